"""The child process: lines in, lines out, and nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from refute.engines.process import LONGEST_LINE, STDERR_BYTES, Misbehaved, Process
from refute.engines.protocol import Trouble
from refute.errors import EngineError


def run(source: str) -> Process:
    return Process([sys.executable, "-u", "-c", source])


def soon(seconds: float = 10.0) -> float:
    return time.monotonic() + seconds


def lines_of(process: Process) -> Iterator[bytes]:
    """Everything it says until it misbehaves."""
    try:
        while True:
            yield from process.receive(soon()).splitlines()
    except Misbehaved:
        return


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until_gone(pid: int) -> bool:
    deadline = soon()
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_running(pid)


def test_what_is_sent_comes_back_from_cat() -> None:
    process = Process(["cat"])
    process.send(b"one\ntwo\n")
    received = b""
    while received.count(b"\n") < 2:
        received += process.receive(soon())
    process.close()
    assert received == b"one\ntwo\n"


def test_megabytes_both_ways_do_not_deadlock() -> None:
    process = Process(["cat"])
    sent = b"".join(b"line %d of many\n" % number for number in range(300_000))
    process.send(sent)
    received = bytearray()
    while len(received) < len(sent):
        received += process.receive(soon())
    process.close()
    assert received == sent


def test_a_full_stderr_does_not_stop_the_answers() -> None:
    process = run("import sys; sys.stderr.write('x' * 3_000_000 + 'last words'); print('done')")
    assert process.receive(soon()) == b"done\n"
    with pytest.raises(Misbehaved):
        process.receive(soon())
    assert process.complaints.endswith(b"last words")
    assert len(process.complaints) <= STDERR_BYTES
    process.close()


def test_a_shell_never_sees_the_words(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    process = Process(["echo", f"$(touch {trap})", ";", "touch", str(trap)])
    said = b"".join(lines_of(process))
    process.close()
    assert b"$(touch" in said
    assert not trap.exists()


@pytest.mark.parametrize(
    ("source", "text"),
    [
        pytest.param("raise SystemExit(7)", "exited with status 7", id="exit status"),
        pytest.param("import os; os.abort()", "died of signal 6 (SIGABRT)", id="signal"),
        pytest.param("import os, time; os.close(1); time.sleep(60)", "closed its output", id="closed pipe"),
    ],
)
def test_an_end_is_told_as_it_was(source: str, text: str) -> None:
    process = run(source)
    with pytest.raises(Misbehaved, match=text.replace("(", r"\(").replace(")", r"\)")) as caught:
        process.receive(soon())
    assert caught.value.trouble == Trouble.CRASH
    process.close()


def test_what_was_said_before_dying_is_still_read() -> None:
    process = run("print('last answer'); raise SystemExit(1)")
    time.sleep(0.2)
    process.send(b"anyone there?\n" * 10)
    assert list(lines_of(process)) == [b"last answer"]
    process.close()


def test_silence_ends_at_the_deadline() -> None:
    process = Process(["sleep", "60"])
    with pytest.raises(Misbehaved) as caught:
        process.receive(time.monotonic() + 0.05)
    assert caught.value.trouble == Trouble.TIMEOUT
    process.close()


def test_a_line_without_end_is_garbage() -> None:
    process = run(f"print('x' * {LONGEST_LINE * 4}, end=''); input()")
    with pytest.raises(Misbehaved, match="a line of over") as caught:
        process.receive(soon())
    assert caught.value.trouble == Trouble.GARBAGE
    process.close()


def test_half_a_line_waits_for_its_other_half() -> None:
    process = run("print('rea', end=''); input(); print('dyok')")
    deadline = soon()
    while not process.unfinished:
        assert time.monotonic() < deadline
        with pytest.raises(Misbehaved):
            process.receive(time.monotonic() + 0.05)
    assert process.unfinished == b"rea"
    process.send(b"\n")
    assert process.receive(soon()) == b"readyok\n"
    process.close()


def test_closing_kills_what_the_child_started_too() -> None:
    process = run(
        "import subprocess, sys\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        "print(child.pid)\n"
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child.wait()"
    )
    grandchild = int(process.receive(soon()))
    process.close()
    process.close()
    assert wait_until_gone(grandchild)
    assert wait_until_gone(process.pid)
    assert not process.is_open


def test_a_dropped_process_is_killed() -> None:
    process = Process(["sleep", "60"])
    pid = process.pid
    del process
    assert wait_until_gone(pid)


def run_python(source: str) -> subprocess.CompletedProcess[str]:
    """A whole interpreter of its own, for what happens at fork and exit."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", source]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)


def test_the_interpreters_exit_leaves_no_child() -> None:
    done = run_python(
        "from refute.engines.process import Process\n"
        "kept = Process(['sleep', '60'])\n"
        "print(kept.pid)\n"
        "raise RuntimeError('unhandled')"
    )
    assert "unhandled" in done.stderr
    assert wait_until_gone(int(done.stdout))


def test_a_forked_copy_does_not_kill_its_parents_engine() -> None:
    done = run_python(
        "from refute.engines.process import Process\n"
        "import os, sys, time\n"
        "process = Process(['cat'])\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    sys.exit()\n"
        "os.waitpid(child, 0)\n"
        "process.send(b'still here')\n"
        "process.send(b'\\n')\n"
        "print(process.receive(time.monotonic() + 10).decode())\n"
    )
    assert done.stdout.strip() == "still here", done.stderr


def test_a_script_without_its_interpreter_is_told_from_no_script(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    with pytest.raises(EngineError, match="the program that its first line names is not there"):
        Process([str(script)])


def test_a_program_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("not a program")
    with pytest.raises(EngineError, match="no such program"):
        Process([str(tmp_path / "nowhere")])
    with pytest.raises(EngineError, match=r"chmod \+x"):
        Process([str(plain)])
    plain.chmod(0o755)
    with pytest.raises(EngineError, match="not a program"):
        Process([str(plain)])
    with pytest.raises(EngineError, match="null"):
        Process(["cat\0"])
