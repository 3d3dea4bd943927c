# The C types of _core.py. Every name here has its twin there; nothing here is logic.

from libc.stdlib cimport calloc, free, realloc

ctypedef unsigned long long U64
ctypedef unsigned short U16
ctypedef unsigned char U8
ctypedef U16 Moves[1098]
ctypedef U64 Counts[9]
ctypedef U64 Pair[2]

cdef extern from *:
    """
    #define REFUTE_ONE 1ULL
    #define REFUTE_ALL 0xFFFFFFFFFFFFFFFFULL

    #if defined(__POPCNT__) || !defined(__x86_64__)
    #define refute_popcount(b) __builtin_popcountll(b)
    #else
    /* Without the instruction the builtin is a library call; adding up in parallel is quicker. */
    static inline __attribute__((always_inline)) int refute_popcount(unsigned long long b) {
        b -= b >> 1 & 0x5555555555555555ULL;
        b = (b & 0x3333333333333333ULL) + (b >> 2 & 0x3333333333333333ULL);
        return (int)(((b + (b >> 4)) & 0x0F0F0F0F0F0F0F0FULL) * 0x0101010101010101ULL >> 56);
    }
    #endif
    #define refute_first(b) __builtin_ctzll(b)

    /* PEXT where the CPU has it in hardware; the first two Zen generations only emulate it. */
    #if defined(__BMI2__) && !defined(__znver1__) && !defined(__znver2__)
    #include <immintrin.h>
    #define refute_slider_index(occupied, mask, magic, shift) _pext_u64(occupied, mask)
    #define REFUTE_SLIDERS "pext"
    #else
    #define refute_slider_index(occupied, mask, magic, shift) (((occupied) & (mask)) * (magic) >> (shift))
    #define REFUTE_SLIDERS "magic"
    #endif
    """
    const U64 ONE "REFUTE_ONE"
    const U64 ALL "REFUTE_ALL"
    const char* SLIDERS "REFUTE_SLIDERS"
    int popcount "refute_popcount"(U64 bits) noexcept nogil
    int first "refute_first"(U64 bits) noexcept nogil
    U64 slider_index "refute_slider_index"(U64 occupied, U64 mask, U64 magic, U64 shift) noexcept nogil

cdef extern from "Python.h":
    int check_signals "PyErr_CheckSignals"() except -1

cdef enum:
    WHITE = 0
    BLACK = 1
    PAWN = 0
    KNIGHT = 1
    BISHOP = 2
    ROOK = 3
    QUEEN = 4
    KING = 5
    EMPTY = 12
    NO_SQUARE = 64
    NO_MOVE = 0
    MOST_MOVES = 1098
    UNDO_WORDS = 2

cdef U64 KNIGHT_ATTACKS[64]
cdef U64 KING_ATTACKS[64]
cdef U64 PAWN_ATTACKS[128]
cdef U64 ROOK_RAYS[64]
cdef U64 BISHOP_RAYS[64]
cdef U64 FILES[64]
cdef U64 DIAGONALS[64]
cdef U64 ANTIDIAGONALS[64]
cdef U64 BETWEEN[4096]
cdef U64 LINE[4096]
cdef U64 NOT_FILE_A, NOT_FILE_H, RANK_3, RANK_6, BACK_RANKS
cdef U64 PIECE_KEYS[768]
cdef U64 CASTLING_KEYS[16]
cdef U64 EN_PASSANT_KEYS[8]
cdef U64 BLACK_KEY
cdef U64 MIXERS[128]
cdef U64 TALLIES[768]

# For each slider and square: mask, magic, shift, offset into SLIDES; one cache line serves a look-up.
cdef U64 LOOKUPS[512]
cdef U64 SLIDES[107648]

cdef inline U64 several(U64 bits) noexcept nogil:
    return bits & (bits - 1)

cdef inline U64 rook_attacks(int square, U64 occupied) noexcept nogil:
    cdef U64* entry = &LOOKUPS[square * 4]
    return SLIDES[entry[3] + slider_index(occupied, entry[0], entry[1], entry[2])]

cdef inline U64 bishop_attacks(int square, U64 occupied) noexcept nogil:
    cdef U64* entry = &LOOKUPS[256 + square * 4]
    return SLIDES[entry[3] + slider_index(occupied, entry[0], entry[1], entry[2])]

cdef inline U64* allocate_table(U64 words) except NULL:
    cdef U64* table = <U64*>calloc(words, sizeof(U64))
    if table == NULL:
        raise MemoryError(f"no room for a table of {words * 8 >> 20} MB")
    return table

cdef inline void free_table(U64* table) noexcept:
    free(table)

cdef inline int grow_undo(Position position) except -1:
    cdef Py_ssize_t capacity = position.capacity * 2 or 32
    cdef U64* undo = <U64*>realloc(position.undo, capacity * UNDO_WORDS * sizeof(U64))
    if undo == NULL:
        raise MemoryError("no room for a longer undo stack")
    position.undo = undo
    position.capacity = capacity
    return 0

import cython

@cython.locals(offset=U64, mask=U64, magic=U64, blockers=U64, diagonal=int, square=int, at=int)
cdef int _fill_sliders() except -1

@cython.locals(seen=U64, direction=int, file_step=int, rank_step=int, file=int, rank=int)
cdef U64 _slide(int square, U64 blockers, int diagonal) noexcept

cdef int MIRROR
@cython.locals(stirred=U64)
cdef U64 _stir(U64 number) noexcept

cdef int _square(object square) except -1
cdef int _colour(object colour) except -1
cdef int _depth(object depth) except -1

@cython.final
cdef class Position:
    cdef U64 pieces[12]
    cdef U64 colours[2]
    cdef U64 occupied_squares
    cdef readonly U64 key
    cdef U64 tallies[2]
    cdef U8 board[64]
    cdef int side
    cdef readonly int castling
    cdef int ep
    cdef int ep_keyed
    cdef readonly long long halfmove
    cdef readonly long long fullmove
    cdef int is_chess960
    cdef int unsound
    cdef int is_sound
    cdef readonly Py_ssize_t ply
    cdef Py_ssize_t capacity
    cdef U64* undo
    cdef U8 keeps[64]
    cdef int rook_homes[4]
    cdef U64 castle_paths[4]
    cdef U64 castle_routes[4]
    cdef U64 castle_keys[16]

    cdef int _allocate(self) except -1
    @cython.locals(right=int, colour=int, king=int, home=int, king_to=int, rook_to=int, rights=int,
                   kings=U64, route=U64, path=U64)
    cdef int _set_up_castling(self, list rook_homes) except -1

    @cython.locals(bit=U64, colour=int)
    cdef inline void _place(self, int piece, int square) noexcept
    @cython.locals(bit=U64, colour=int)
    cdef inline void _remove(self, int piece, int square) noexcept
    @cython.locals(bits=U64, colour=int)
    cdef inline void _shift(self, int piece, int source, int target) noexcept

    @cython.locals(source=int, target=int, flag=int, piece=int, captured=int)
    cdef inline int _make(self, int move, int us) except -1
    @cython.locals(word=U64, move=int, source=int, target=int, flag=int, captured=int)
    cdef inline void _unmake(self, int us) noexcept
    cdef int _make_null(self, int us) except -1
    @cython.locals(word=U64)
    cdef void _unmake_null(self, int us) noexcept
    @cython.locals(at=Py_ssize_t, word=U64)
    cdef inline int _push(self, int move, int captured) except -1
    cdef int _grow(self) except -1

    @cython.locals(pieces="U64*", theirs=int, queens=U64)
    cdef inline U64 _attackers(self, int square, int by, U64 occupied) noexcept
    @cython.locals(pieces="U64*", theirs=int, pawns=U64, danger=U64, men=U64, square=int)
    cdef inline U64 _danger(self, U64 zone, int by, U64 occupied) noexcept
    @cython.locals(takers=U64)
    cdef int _has_legal_en_passant(self, int us) noexcept
    @cython.locals(victim=U64, kings=U64, occupied=U64)
    cdef int _is_legal_en_passant(self, int source, int us) noexcept

    @cython.locals(pieces="U64*", them=int, ours=int, theirs=int, own=U64, enemy=U64, occupied=U64, king=int,
                   queens=U64, checkers=U64, pinned=U64, snipers=U64, sniper=int, blockers=U64, n=int,
                   targets=U64, zone=U64, castles=int, danger=U64, allowed=U64, men=U64, source=int, pawns=U64,
                   free=U64, pushers=U64, takes=U64, singles=U64, doubles=U64, lefts=U64, rights=U64)
    cdef inline int _generate(self, int us, int counting, U16* out) noexcept
    @cython.locals(base=int, target=int)
    cdef inline int _emit(self, U16* out, int n, int source, U64 targets, U64 enemy) noexcept
    @cython.locals(base=int, target=int)
    cdef inline int _emit_pawns(self, U16* out, int n, U64 targets, int back, int flag) noexcept

    @cython.locals(pieces="U64*", ours=int, own=U64, enemy=U64, occupied=U64, n=int, kind=int, men=U64, source=int,
                   targets=U64, step=int, right=int)
    cdef int _generate_pseudo(self, int us, U16* out) noexcept
    @cython.locals(route=U64, king=int, safe=int)
    cdef int _is_safe(self, int move, int us) except -1

    @cython.locals(key=U64, piece=int, men=U64, right=int)
    cdef U64 _scratch_key(self) noexcept
    @cython.locals(sums=Pair, pieces="U64*", piece=int, key=U64, bits=int, empties=int, square=int, colour=int, men=U64,
                   total=U64, has_bits=U64)
    cdef int _broken(self) noexcept
    @cython.locals(seen=U64, piece=int, men=U64, square=int)
    cdef int _misplaced(self) noexcept
    @cython.locals(pieces="U64*", white=U64, black=U64)
    cdef inline int _broken_sets(self) noexcept
    @cython.locals(pieces="U64*", right=int, back=int, home=int, king=int, pawn=int, takeable=int)
    cdef inline int _broken_state(self, U64 key, U64 white, U64 black) noexcept
    @cython.locals(mixed=U64, colour=int, piece=int, right=int, square=int)
    cdef U64 _mix(self) noexcept

    @cython.locals(out=Moves, nodes=U64, n=int, i=int)
    cdef inline U64 _perft(self, int depth, int us) except? 57005
    @cython.locals(castling=int, ep=int, ep_keyed=int, nodes=U64, i=int, move=int)
    cdef inline U64 _count_replies(self, int us, int n, U16* out) noexcept
    @cython.locals(pieces="U64*", source=int, target=int, flag=int, piece=int, leave=U64, arrive=U64, victim=U64,
                   king=U64, rook=U64)
    cdef inline void _toggle(self, int move, int us) noexcept
    cdef U64 _perft_white(self, int depth) except? 57005
    cdef U64 _perft_black(self, int depth) except? 57005
    @cython.locals(out=Moves, nodes=U64, n=int, i=int)
    cdef U64 _perft_played(self, int depth) except? 57005
    @cython.locals(out=Moves, nodes=U64, n=int, i=int, tag=U64, at=U64)
    cdef U64 _perft_hashed(self, int depth, U64* table, U64 slots) except? 57005
    @cython.locals(out=Moves, n=int, i=int, move=int, flag=int, checkers=U64, mover=U64)
    cdef int _perft_detailed(self, int depth, U64* counts) except -1
    @cython.locals(out=Moves, nodes=U64, n=int, i=int, before=U64, broken=int)
    cdef U64 _perft_checked(self, int depth, Py_ssize_t root) except? 57005
    cdef int _fail(self, str stage, int broken, Py_ssize_t root, int last) except -1

    cdef int _list(self, U16* out) noexcept
    @cython.locals(out=Moves)
    cdef int _list_count(self) noexcept
    cdef int _play(self, int move) except -1
    cdef void _take_back(self) noexcept
    cdef U64 _checkers(self) noexcept
    @cython.locals(source=int, target=int, flag=int)
    cdef int _code(self, int move) noexcept

    @cython.locals(out=Moves, n=int, i=int)
    cpdef list legal_moves(self)
    @cython.locals(out=Moves, n=int, i=int)
    cpdef list pseudo_legal_moves(self)
    @cython.locals(out=Moves, n=int, i=int, us=int)
    cpdef list filtered_moves(self)
    @cython.locals(out=Moves, n=int, i=int, codes=list)
    cpdef list codes(self)
    @cython.locals(out=Moves, n=int, i=int, code=int)
    cpdef int parse_uci(self, str text) except -1
    @cython.locals(us=int, king=int, theirs=int, queens=U64, snipers=U64, pinned=U64, blockers=U64)
    cpdef U64 pinned(self) except? 57005
    @cython.locals(trial=Position, broken=int)
    cpdef U64 audit(self) except? 57005
    @cython.locals(trial=Position, root=Py_ssize_t, before=U64, broken=int)
    cpdef audit_move(self, object move)
    @cython.locals(us=int, before=U64, broken=int)
    cdef int _audit_null(self) except -1
    @cython.locals(out=Moves, replies=Moves, us=int, n=int, i=int, total=int, nodes=U64, legal=U64, safe=U64, mirror=U64,
                   probe=Position)
    cdef int _audit_generators(self) except -1
    @cython.locals(out=Moves, n=int, i=int, total=U64)
    cdef U64 _stirred(self) except? 57005
    cdef int _fail_generators(self) except -1
    cdef int _fail_mirror(self) except -1
    @cython.locals(square=int)
    cpdef list mailbox(self)
    @cython.locals(pieces="U64*", rooks=U64, right=int)
    cpdef tuple numbers(self)
    @cython.locals(square=int, piece=int, colour=int, right=int)
    cdef int _same(self, Position other) noexcept
    @cython.locals(times=int, back=Py_ssize_t, at=Py_ssize_t)
    cpdef int repetitions(self) except -1
    @cython.locals(twin=Position, piece=int, square=int, right=int)
    cpdef Position mirrored(self)
    @cython.locals(twin=Position, i=Py_ssize_t)
    cpdef Position copy(self)
    cdef int _require_sound(self) except -1
    @cython.locals(counts=Counts, i=int, trial=Position)
    cpdef dict perft_detailed(self, object depth)
    @cython.locals(table="U64*", slots=U64, trial=Position)
    cpdef U64 perft_hashed(self, object depth, object megabytes=*) except? 57005
