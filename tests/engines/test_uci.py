"""A UCI engine that misbehaves is reported as itself, and the questions go on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from refute.board.move import encode_uci
from refute.engines.process import PIPE_BYTES
from refute.engines.protocol import Ability, Answer, Fault, Question, Trouble
from refute.engines.uci import HUNG_CASES, UciEngine
from refute.errors import EngineError, SpecError
from refute.walk import START_FEN, Walk

Opener = Callable[..., UciEngine]

MOVES = Question(frozenset({Ability.MOVES}))
EVERYTHING = Question(frozenset({Ability.MOVES, Ability.FEN, Ability.CHECK}))
# Four places with four answers; HERE is where a twist strikes.
BEFORE = Walk("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
HERE = Walk("4k3/8/8/8/8/8/3P4/4K3 w - - 0 1")
AFTER = Walk("4k3/8/8/8/8/8/2P5/4K3 w - - 0 1")
LATER = Walk("4k3/8/8/8/8/8/1P6/4K3 w - - 0 1")
STRIKE = "3P4"  # in HERE's FEN and in no other
HANGS = 0.4  # the timeout for an engine that hangs: each time it does, the test waits that long


def codes(text: str) -> list[int]:
    return sorted(encode_uci(move) for move in text.split())


KING = "e1d1 e1f1 e1f2"
EXPECTED = {
    BEFORE: codes(f"{KING} e1d2 e2e3 e2e4"),
    HERE: codes(f"{KING} e1e2 d2d3 d2d4"),
    AFTER: codes(f"{KING} e1d2 e1e2 c2c3 c2c4"),
    LATER: codes(f"{KING} e1d2 e1e2 b2b3 b2b4"),
}


def moves_of(answer: Answer | Fault) -> list[int]:
    assert isinstance(answer, Answer), answer
    assert answer.moves is not None
    return list(answer.moves)


def fault_of(answer: Answer | Fault) -> Fault:
    assert isinstance(answer, Fault), answer
    return answer


def assert_only_here_fails(answers: list[Answer | Fault], trouble: Trouble) -> Fault:
    assert len(answers) == 4
    for walk, answer in zip((BEFORE, HERE, AFTER, LATER), answers, strict=True):
        if walk is not HERE:
            assert moves_of(answer) == EXPECTED[walk]
    fault = fault_of(answers[1])
    assert fault.trouble == trouble
    assert any(line.startswith("> position fen") and STRIKE in line for line in fault.transcript)
    return fault


def ask_four(engine: UciEngine, question: Question = MOVES) -> list[Answer | Fault]:
    return engine.at([BEFORE, HERE, AFTER, LATER], question)


def test_a_batch_is_answered_in_its_order(open_scripted: Opener) -> None:
    answers = ask_four(open_scripted())
    assert [moves_of(answer) for answer in answers] == list(EXPECTED.values())


def test_an_engine_tells_what_it_is_and_what_it_lacks(open_scripted: Opener) -> None:
    engine = open_scripted()
    assert (engine.name, engine.version) == ("scripted", "Scripted 1.0")
    assert engine.abilities == {Ability.MOVES, Ability.PERFT, Ability.CHESS960}
    assert engine.abilities.isdisjoint(engine.lacks)
    assert engine.abilities | engine.lacks.keys() == set(Ability)
    assert "'Fen:'" in engine.lacks[Ability.FEN]


def test_a_display_brings_fen_and_check(open_scripted: Opener) -> None:
    engine = open_scripted("SHOWS = True")
    assert {Ability.FEN, Ability.CHECK} <= engine.abilities
    mated = Walk(START_FEN, ("f2f3", "e7e5", "g2g4", "d8h4"))
    answers = engine.along(mated, EVERYTHING)
    assert [answer.check for answer in answers if isinstance(answer, Answer)] == [False] * 4 + [True]
    last = answers[-1]
    assert isinstance(last, Answer)
    assert last.fen == "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
    assert last.moves == []


def test_an_en_passant_square_stays_only_where_a_legal_capture_uses_it(open_scripted: Opener) -> None:
    engine = open_scripted("SHOWS = True")  # it writes the square after every double push
    pinned = Walk("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", ("e2e4",))
    free = Walk("8/8/8/8/k2p4/8/4P3/4K3 w - - 0 1", ("e2e4",))
    fens = [answer.fen for answer in engine.at([pinned, free], EVERYTHING) if isinstance(answer, Answer)]
    assert fens == ["8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1", "8/8/8/8/k2pP3/8/8/4K3 b - e3 0 1"]


def test_perft_is_divided_by_root_move(open_scripted: Opener) -> None:
    (answer,) = open_scripted().at([Walk(START_FEN)], Question(frozenset({Ability.PERFT}), depth=2))
    assert isinstance(answer, Answer)
    assert answer.divide is not None
    assert len(answer.divide) == 20
    assert sum(answer.divide.values()) == 400
    assert answer.moves is None


def test_perft_zero_is_never_sent(open_scripted: Opener) -> None:
    engine = open_scripted(
        """
        right = go
        def go(board, depth):
            while depth == 0:
                time.sleep(1)
            right(board, depth)
        """
    )
    (answer,) = engine.at([BEFORE], Question(frozenset({Ability.PERFT}), depth=0))
    assert answer == Answer()


def test_a_duplicate_move_is_kept(open_scripted: Opener) -> None:
    engine = open_scripted(
        """
        right = lines
        def lines(board, depth):
            for move, count in right(board, depth):
                yield move, count
                if move == "d2d4":
                    yield move, count
        """
    )
    answers = ask_four(engine, Question(frozenset({Ability.MOVES, Ability.PERFT}), depth=1))
    assert moves_of(answers[1]) == sorted([*EXPECTED[HERE], encode_uci("d2d4")])
    assert isinstance(answers[1], Answer)
    assert answers[1].divide is not None
    assert sum(answers[1].divide.values()) == len(EXPECTED[HERE]) + 1


def test_intervening_lines_are_passed_over(open_scripted: Opener) -> None:
    engine = open_scripted(
        """
        right = lines
        def lines(board, depth):
            for move, count in right(board, depth):
                say("info string e2e4: 1 is not an answer", "\\x1b[2J\\x00", "info depth 1 nodes 20")
                yield move, count
        """
    )
    assert [moves_of(answer) for answer in ask_four(engine)] == list(EXPECTED.values())


@pytest.mark.parametrize(
    ("line", "total"),
    [
        ("{move}: {count}", "Nodes searched: {total}"),
        ("{move} {count}", "Total: {total}"),
        ("{move} - {count}", "Nodes: {total}\\nTime: 12"),
        ("  {move}:{count}", "Perft({depth}) = {total}"),
        ("{move}: {count}", "nodes {total}\\nTotal nodes: {total}"),
    ],
)
def test_other_ways_to_print_a_divide_are_understood(open_scripted: Opener, line: str, total: str) -> None:
    engine = open_scripted(
        f"""
        def go(board, depth):
            total = 0
            for move, count in lines(board, depth):
                say(f"{line}\\r")
                total += count
            say(f"{total}\\r")
        """
    )
    assert [moves_of(answer) for answer in ask_four(engine)] == list(EXPECTED.values())
    (answer,) = engine.at([Walk(START_FEN)], Question(frozenset({Ability.PERFT}), depth=2))
    assert isinstance(answer, Answer)
    assert answer.divide is not None
    assert sum(answer.divide.values()) == 400


def test_a_header_before_the_divide_costs_no_ability(open_scripted: Opener) -> None:
    engine = open_scripted(
        """
        right = go
        def go(board, depth):
            say(f"perft {depth}")
            right(board, depth)
        """
    )
    assert {Ability.MOVES, Ability.PERFT} <= engine.abilities
    assert [moves_of(answer) for answer in ask_four(engine)] == list(EXPECTED.values())


def strike_in_place(act: str) -> str:
    return f"""
        right = place
        def place(board, fen, moves):
            if {STRIKE!r} in fen:
                {act}
            return right(board, fen, moves)
        """


@pytest.mark.parametrize(
    ("act", "text"),
    [
        pytest.param("os._exit(3)", "exited with status 3", id="exits"),
        pytest.param("os.abort()", "died of signal 6 (SIGABRT)", id="is killed"),
        pytest.param("os.close(1); time.sleep(60)", "closed its output", id="closes its pipe"),
    ],
)
def test_a_crash_is_one_cases_fault_and_the_rest_is_answered(
    open_scripted: Opener, act: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refute.engines.process.LAST_WORDS", 0.2)
    engine = open_scripted(strike_in_place(act))
    first = engine.pid
    fault = assert_only_here_fails(ask_four(engine), Trouble.CRASH)
    assert text in fault.text
    assert engine.pid != first
    assert [moves_of(answer) for answer in engine.at([BEFORE], MOVES)] == [EXPECTED[BEFORE]]


def test_a_crash_keeps_the_engines_last_words(open_scripted: Opener) -> None:
    engine = open_scripted(strike_in_place("raise KeyError('\\x1b[31mno such pawn')"))
    fault = assert_only_here_fails(ask_four(engine), Trouble.CRASH)
    assert any(line.startswith("! KeyError") and "no such pawn" in line for line in fault.transcript)
    assert all(line.isprintable() for line in fault.transcript)


def test_a_crash_while_counting_is_found_too(open_scripted: Opener) -> None:
    engine = open_scripted(
        f"""
        right = go
        def go(board, depth):
            if {STRIKE!r} in board.fen():
                say("e1d1: 1")
                os._exit(1)
            right(board, depth)
        """
    )
    fault = assert_only_here_fails(ask_four(engine), Trouble.CRASH)
    assert "< e1d1: 1" in fault.transcript


def test_a_crash_at_the_nth_question_is_reported_though_no_position_alone_shows_it(open_scripted: Opener) -> None:
    engine = open_scripted(
        """
        right = go
        def go(board, depth):
            if asked == 4:  # the first was asked in greeting it
                os._exit(1)
            right(board, depth)
        """
    )
    answers = ask_four(engine)
    assert [isinstance(answer, Fault) for answer in answers] == [False, False, True, False]
    fault = fault_of(answers[2])
    assert fault.trouble == Trouble.CRASH
    assert "asked this alone, it answered" in fault.text


def test_a_hang_is_a_timeout_and_the_rest_is_answered(open_scripted: Opener) -> None:
    engine = open_scripted(strike_in_place("time.sleep(600)"), timeout=HANGS)
    assert_only_here_fails(ask_four(engine), Trouble.TIMEOUT)


def test_an_engine_that_only_hangs_is_given_up(open_scripted: Opener) -> None:
    engine = open_scripted(
        """
        def place(board, fen, moves):
            if fen != chess.STARTING_FEN:
                time.sleep(600)
            return board
        """,
        timeout=HANGS,
    )
    answers = engine.at([BEFORE] * 50, MOVES)
    assert len(answers) == 50
    assert all(fault_of(answer).trouble == Trouble.TIMEOUT for answer in answers)
    assert [answer for answer in answers if "not asked" in fault_of(answer).text] == answers[HUNG_CASES:]


def test_silence_for_one_position_does_not_shift_the_answers(open_scripted: Opener) -> None:
    engine = open_scripted(
        f"""
        right = go
        def go(board, depth):
            if {STRIKE!r} not in board.fen():
                right(board, depth)
        """,
        timeout=HANGS,
    )
    assert_only_here_fails(ask_four(engine), Trouble.TIMEOUT)


def test_a_rejected_position_does_not_yield_the_answer_of_the_one_before(open_scripted: Opener) -> None:
    engine = open_scripted(strike_in_place("""say("info string invalid fen"); return board"""))
    fault = assert_only_here_fails(ask_four(engine), Trouble.ASTRAY)
    assert "the position asked before" in fault.text
    assert "< info string invalid fen" in fault.transcript


def test_a_rejected_position_is_seen_in_the_display_when_only_that_is_asked(open_scripted: Opener) -> None:
    engine = open_scripted(strike_in_place("return board") + "SHOWS = True")
    answers = ask_four(engine, Question(frozenset({Ability.FEN})))
    assert [isinstance(answer, Fault) for answer in answers] == [False, True, False, False]
    assert fault_of(answers[1]).trouble == Trouble.ASTRAY


def test_an_engine_that_always_answers_for_the_position_before_is_astray(open_scripted: Opener) -> None:
    engine = open_scripted(
        """
        before = [chess.Board(), chess.Board()]
        right_place, right_go = place, go
        def place(board, fen, moves):
            before.append(right_place(board, fen, moves))
            return before[-1]
        def go(board, depth):
            right_go(before[-2], depth)
        """
    )
    for answer in ask_four(engine):
        assert fault_of(answer).trouble == Trouble.ASTRAY


@pytest.mark.parametrize("color", ["w", "b"])
def test_a_position_that_truly_has_the_markers_moves_is_answered(open_scripted: Opener, color: str) -> None:
    walk = Walk(f"7k/7p/8/8/8/8/P7/K7 {color} - - 0 1")
    answers = open_scripted("SHOWS = True").at([walk, BEFORE, walk], EVERYTHING)
    moves = codes("a1b1 a1b2 a2a3 a2a4") if color == "w" else codes("h8g8 h8g7 h7h6 h7h5")
    assert [moves_of(answer) for answer in answers] == [moves, EXPECTED[BEFORE], moves]


def test_dropped_moves_are_seen_in_the_display(open_scripted: Opener) -> None:
    engine = open_scripted(
        """
        SHOWS = True
        def place(board, fen, moves):
            board = chess.Board(fen)
            for move in moves:
                if move == "e7e5":
                    break
                board.push_uci(move)
            return board
        """
    )
    walk = Walk(START_FEN, ("e2e4", "e7e5", "g1f3"))
    answers = engine.at([walk.prefix(1), walk], MOVES)
    assert isinstance(answers[0], Answer)
    fault = fault_of(answers[1])
    assert fault.trouble == Trouble.ASTRAY
    assert "stopped before e7e5, move 2 of 3" in fault.text
    along = engine.along(walk, MOVES)
    assert [type(answer) for answer in along] == [Answer, Answer, Fault]


def test_a_wrongly_made_move_is_an_answer_and_not_astray(open_scripted: Opener) -> None:
    engine = open_scripted(
        """
        SHOWS = True
        right = place
        def place(board, fen, moves):
            board = right(board, fen, moves)
            if moves:
                board.remove_piece_at(chess.A1)
                board.fullmove_number += 3
            return board
        """
    )
    (answer,) = engine.at([Walk(START_FEN, ("e2e4",))], EVERYTHING)
    assert isinstance(answer, Answer)
    assert answer.fen is not None
    assert answer.fen.startswith("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/1NBQKBNR b")
    assert answer.fen.endswith(" 4")


def test_counts_that_do_not_add_up_are_told_as_that(open_scripted: Opener) -> None:
    engine = open_scripted(
        f"""
        right = go
        def go(board, depth):
            if {STRIKE!r} in board.fen():
                say("e1d1: 1", "e1??: 1", "Nodes searched: 2")
            else:
                right(board, depth)
        """
    )
    fault = assert_only_here_fails(ask_four(engine), Trouble.MISCOUNT)
    assert fault.text == "said 2 nodes, but its lines add up to 1"
    assert "< e1??: 1" in fault.transcript


def test_a_total_that_is_wrong_only_while_more_is_asked_is_settled_alone(open_scripted: Opener) -> None:
    # Stockfish adds the moves of the next `position` command to the total it is about to print.
    engine = open_scripted(
        """
        right = say
        def say(*lines):
            if lines[0] == "" and len(lines) == 3 and asked == 3:
                right("Nodes searched: 99")
            else:
                right(*lines)
        """
    )
    assert [moves_of(answer) for answer in ask_four(engine)] == list(EXPECTED.values())


def test_an_interrupted_batch_does_not_answer_the_next_question(
    open_scripted: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_scripted()
    engine.submit([BEFORE, HERE], MOVES)
    with monkeypatch.context() as patch:

        def interrupt(*_args: object) -> bytes:
            raise KeyboardInterrupt

        patch.setattr("refute.engines.process.Process.receive", interrupt)
        with pytest.raises(KeyboardInterrupt):
            engine.collect()
    assert [moves_of(answer) for answer in engine.at([AFTER, LATER], MOVES)] == [EXPECTED[AFTER], EXPECTED[LATER]]


def test_a_count_other_than_one_at_depth_one_is_garbage(open_scripted: Opener) -> None:
    engine = open_scripted(
        f"""
        right = go
        def go(board, depth):
            if {STRIKE!r} in board.fen():
                say("e1d1: 2", "Nodes searched: 2")
            else:
                right(board, depth)
        """
    )
    assert "e1d1" in assert_only_here_fails(ask_four(engine), Trouble.GARBAGE).text


@pytest.mark.parametrize(
    "flood",
    [
        pytest.param("say('info string la la la ' * 50)", id="lines"),
        pytest.param("sys.stdout.write('la' * 10000); sys.stdout.flush()", id="one line"),
        pytest.param("say('e1d1: 1\\n' * 500)", id="moves"),
        pytest.param("say('Nodes searched: 0')", id="totals"),
    ],
)
def test_output_without_end_is_garbage(open_scripted: Opener, flood: str) -> None:
    engine = open_scripted(
        f"""
        right = place
        def place(board, fen, moves):
            while {STRIKE!r} in fen:
                {flood}
            return right(board, fen, moves)
        """
    )
    fault = assert_only_here_fails(ask_four(engine), Trouble.GARBAGE)
    assert len(fault.transcript) <= 120
    assert all(len(line) < 600 for line in fault.transcript)


def test_binary_garbage_becomes_printable(open_scripted: Opener) -> None:
    engine = open_scripted(
        f"""
        right = place
        def place(board, fen, moves):
            if {STRIKE!r} in fen:
                sys.stdout.buffer.write(b"\\xff\\x00\\x1b]0;title\\x07\\n")
                sys.stdout.buffer.flush()
                os._exit(1)
            return right(board, fen, moves)
        """
    )
    fault = assert_only_here_fails(ask_four(engine), Trouble.CRASH)
    assert r"< \xff\x00\x1b]0;title\x07" in fault.transcript


def test_an_engine_that_cannot_be_started_again_fails_the_rest(open_scripted: Opener) -> None:
    engine = open_scripted(
        f"""
        right = place
        def place(board, fen, moves):
            if {STRIKE!r} in fen:
                os.remove(sys.argv[1])
                os._exit(1)
            return right(board, fen, moves)
        """
    )
    answers = ask_four(engine)
    assert moves_of(answers[0]) == EXPECTED[BEFORE]
    assert len(answers) == 4
    for answer in answers[1:]:
        fault = fault_of(answer)
        assert fault.trouble == Trouble.CRASH
        assert "could not be started again" in fault.text


def test_an_engine_without_a_divide_lacks_moves(open_scripted: Opener) -> None:
    engine = open_scripted(
        """
        SHOWS = True
        def go(board, depth):
            say("info depth 1 score cp 13 nodes 20 pv e2e4", "bestmove e2e4")
        """
    )
    assert engine.abilities == {Ability.FEN, Ability.CHECK, Ability.CHESS960}
    assert "go perft 1" in engine.lacks[Ability.MOVES]
    (answer,) = engine.at([BEFORE], EVERYTHING)
    assert answer == Answer(fen=BEFORE.fen, check=False)


def test_an_engine_that_searches_without_end_instead_of_counting_is_opened_without_moves(
    open_scripted: Opener,
) -> None:
    engine = open_scripted("def go(board, depth): time.sleep(600)", timeout=HANGS)
    assert Ability.MOVES not in engine.abilities


def test_an_engine_that_dies_of_the_display_command_still_counts(open_scripted: Opener) -> None:
    engine = open_scripted("SHOWS = True\ndef show(board): os._exit(1)")
    assert engine.abilities == {Ability.MOVES, Ability.PERFT, Ability.CHESS960}
    assert [moves_of(answer) for answer in ask_four(engine)] == list(EXPECTED.values())


def test_chess960_is_switched_by_the_walk_and_only_if_declared(open_scripted: Opener) -> None:
    twist = """
        is_960 = False
        right = place
        class Input:
            def __iter__(self):
                global is_960
                for line in sys.__stdin__:
                    if line.startswith("setoption"):
                        assert line.split()[:3] == ["setoption", "name", "UCI_Chess960"] and OPTIONS
                        is_960 = line.split()[-1] == "true"
                    yield line
        sys.stdin = Input()
        def place(board, fen, moves):
            board = chess.Board(fen, chess960=is_960)
            for move in moves:
                board.push_uci(move)
            return board
        """
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    walks = [Walk(fen), Walk(fen, chess960=True), Walk(fen)]
    castles = [set(codes("e1g1 e1c1")), set(codes("e1h1 e1a1")), set(codes("e1g1 e1c1"))]
    answers = open_scripted(twist).at(walks, MOVES)
    assert [castle <= set(moves_of(answer)) for castle, answer in zip(castles, answers, strict=True)] == [True] * 3
    undeclared = open_scripted(twist + "OPTIONS = []").at(walks, MOVES)
    assert [isinstance(answer, Fault) for answer in undeclared] == [False, True, False]
    assert "UCI_Chess960" in fault_of(undeclared[1]).text


def test_a_batch_larger_than_any_pipe_is_answered(open_scripted: Opener) -> None:
    # The knights come back to where they were, so the engine need not make their moves.
    engine = open_scripted("def place(board, fen, moves): return chess.Board(fen)")
    walk = Walk(START_FEN, ("g1f3", "g8f6", "f3g1", "f6g8") * 100)
    assert 600 * len(str(walk)) > PIPE_BYTES
    answers = engine.at([walk] * 600, MOVES)
    assert len(answers) == 600
    assert {len(moves_of(answer)) for answer in answers} == {20}


def test_submitted_work_is_collected_later_and_once(open_scripted: Opener) -> None:
    engine = open_scripted()
    engine.submit([BEFORE, HERE], MOVES)
    with pytest.raises(RuntimeError, match="collected"):
        engine.submit([AFTER], MOVES)
    assert [moves_of(answer) for answer in engine.collect()] == [EXPECTED[BEFORE], EXPECTED[HERE]]
    with pytest.raises(RuntimeError, match="without a submit"):
        engine.collect()
    assert engine.at([], MOVES) == []


def test_a_closed_engine_is_not_asked(open_scripted: Opener) -> None:
    engine = open_scripted()
    with engine:
        pass
    engine.close()
    assert engine.pid is None
    with pytest.raises(EngineError, match="closed"):
        engine.at([BEFORE], MOVES)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        pytest.param("cat", "only repeats what it is told", id="cat"),
        pytest.param("true", "exited with status 0", id="true"),
        pytest.param("false", "exited with status 1", id="false"),
        pytest.param("yes", "without 'uciok'; it said 'y'", id="yes"),
        pytest.param("sleep 60", "gave no answer in time", id="sleep"),
    ],
)
def test_what_is_not_uci_is_refused_with_what_it_did(command: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("refute.engines.uci_probe.GREETING_SECONDS", 0.5)
    with pytest.raises(EngineError, match="is not a UCI engine") as caught:
        UciEngine(command)
    assert text in str(caught.value)
    assert "speaks UCI" in str(caught.value)


def test_an_engine_that_dies_on_start_is_refused_with_its_last_words(open_scripted: Opener) -> None:
    with pytest.raises(EngineError, match="missing network file"):
        open_scripted("sys.exit('missing network file')")


@pytest.mark.parametrize("command", ["", "   ", "'unclosed", "a\nb", "a\0b"])
def test_a_command_that_is_none_is_refused(command: str) -> None:
    with pytest.raises(SpecError):
        UciEngine(command)
