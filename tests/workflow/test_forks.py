"""Steps as forks of one Python: they see, say and end as a Python of their own would."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import PATHS, ROOT, descendants, wait_until

from fedreact.workflow import forks

WORKFLOW = """
import subprocess, sys
from fedreact.workflow import forks

forks.begin()
sys.exit(subprocess.run(["bash", "-c", sys.argv[1]]).returncode)
"""
NONE = {"FEDREACT_FORKS": "no"}


def shell(folder, command):
    """As a shell of a step runs a command."""
    return f'. "{ROOT}/workflow/step.sh" "{ROOT}/src"; cd {folder}; {command} 2>&1 | tee log'


def done(folder, script, words="", before="", env=None):
    """What a step says, and its status."""
    (folder / "step.py").write_text(script)
    step = subprocess.run(
        ["bash", "-c", shell(folder, f"{before} python step.py {words}")],
        env=os.environ | {"PATH": PATHS["PATH"]} | (env or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=60,
    )
    return step.stdout, step.returncode


@pytest.fixture(scope="module")
def kept():
    """A Python that is kept for steps."""
    forks.begin()
    yield
    forks.end()


needed = pytest.mark.skipif(not forks._possible(), reason="needs Linux 5.3")

LOOK = """
import os, sys
print("torch" in sys.modules, __name__, sys.argv, sys.path[0] == os.getcwd(), os.environ.get("X"))
print(open(sys.argv[1]).read())
print("to err", file=sys.stderr)
sys.exit(3)
"""


@needed
def test_a_step_finds_torch_loaded_and_all_else_as_ever(kept, tmp_path):
    said, status = done(tmp_path, LOOK, "<(echo from a pipe) 'two words'", "X=5")
    assert status == 3
    loaded, name, *rest = said.splitlines()[0].split(" ", 2)
    assert (loaded, name) == ("True", "__main__")
    assert rest[0].startswith("['step.py', '/dev/fd/")
    assert rest[0].endswith("'two words'] True 5")
    assert said.splitlines()[1:] == ["from a pipe", "", "to err"]


def test_without_forks_it_is_the_same_but_for_torch(tmp_path):
    said, status = done(tmp_path, LOOK, "<(echo from a pipe) 'two words'", "X=5", env=NONE)
    assert status == 3
    assert said.startswith("False __main__ ['step.py', '/dev/fd/")
    assert said.splitlines()[1:] == ["from a pipe", "", "to err"]


def test_another_environments_python_is_not_forked(kept, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").symlink_to(sys.executable)
    said, _ = done(tmp_path, LOOK, "/dev/null", env={"PATH": f"{tmp_path}/bin:{PATHS['PATH']}"})
    assert said.startswith("False __main__")


ENDS = {
    "a word": ("import sys\nsys.exit('no such thing')", 1, "no such thing"),
    "nothing": ("import sys\nsys.exit()", 0, ""),
    "an exception": ("raise ValueError('of mine')", 1, 'step.py", line 1, in <module>'),
    "a killed one": ("import os\nos.kill(os.getpid(), 9)", 137, "error: stopped by signal 9"),
    "at the end": ("import atexit\natexit.register(print, 'late')", 0, "late"),
}


@needed
@pytest.mark.parametrize(("script", "status", "says"), ENDS.values(), ids=ENDS)
def test_a_step_ends_as_it_would_alone(kept, tmp_path, script, status, says):
    forked, alone = done(tmp_path, script), done(tmp_path, script, env=NONE)
    assert forked[1] == alone[1] == status
    assert says in forked[0]
    assert says in alone[0]


@needed
def test_steps_run_at_once(kept, tmp_path):
    wait = (
        "import sys, time\nfrom pathlib import Path\nme, other = sys.argv[1:]\nPath(me).touch()\n"
        "while not Path(other).exists(): time.sleep(.01)\n"
    )
    said, _ = done(tmp_path, wait, "b a; wait; echo both", "python step.py a b &")
    assert said == "both\n"


SLOW = """
import argparse, os, time
from fedreact.command import run

def main(args):
    print(os.getpid(), flush=True)
    time.sleep(150)

run(main, argparse.ArgumentParser())
"""


def alive(pid):
    """Whether a process is there, and no zombie."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def parent_of(pid):
    """The process that started another."""
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


@pytest.fixture
def slow(tmp_path):
    """A workflow whose step takes long, and the numbers of the step's process and its keeper's."""
    (tmp_path / "step.py").write_text(SLOW)
    workflow = subprocess.Popen(
        [sys.executable, "-c", WORKFLOW, shell(tmp_path, "python step.py; echo over")],
        env=PATHS | {"PYTHONPATH": f"{ROOT}/src", "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    pid = int(workflow.stdout.readline())
    keeper = parent_of(pid)
    yield workflow, pid, keeper
    for one in (pid, keeper, workflow.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)
    workflow.communicate()


def asking(workflow):
    """Number of the process that waits for a fork, below a workflow."""
    for pid in descendants(workflow.pid):
        if b"workflow/fork.py\0step.py" in Path(f"/proc/{pid}/cmdline").read_bytes():
            return pid
    raise AssertionError


@needed
@pytest.mark.campaign
def test_who_ends_the_asking_process_ends_the_step(slow):
    workflow, pid, _ = slow
    os.kill(asking(workflow), signal.SIGKILL)
    wait_until(lambda: not alive(pid))
    assert "Killed" in workflow.communicate(timeout=60)[0]


@needed
@pytest.mark.campaign
@pytest.mark.parametrize("above", [1, 2])
def test_a_step_ends_when_its_shell_is_killed(slow, above):
    """Both the shell and the part of it that stands before the pipe."""
    workflow, pid, _ = slow
    victim = asking(workflow)
    for _ in range(above):
        victim = parent_of(victim)
    assert b"bash" in Path(f"/proc/{victim}/cmdline").read_bytes()
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: not alive(pid))


@needed
@pytest.mark.campaign
def test_nothing_stays_behind_a_workflow_that_was_killed(slow, tmp_path):
    workflow, pid, keeper = slow
    assert list(tmp_path.glob("fedreact-*"))
    workflow.kill()
    wait_until(lambda: not alive(keeper) and not alive(pid))
    assert not list(tmp_path.glob("fedreact-*"))


@needed
@pytest.mark.campaign
def test_if_the_keeper_is_killed_the_step_has_failed(slow):
    workflow, pid, keeper = slow
    os.kill(keeper, signal.SIGKILL)
    assert "the Python that ran this step is gone" in workflow.stdout.readline()
    wait_until(lambda: not alive(pid))


@needed
@pytest.mark.campaign
def test_the_keeper_has_one_thread(slow):
    assert len(list(Path(f"/proc/{slow[2]}/task").iterdir())) == 1


@needed
def test_where_nobody_listens_the_step_is_started_as_ever(tmp_path):
    folder = Path(shutil.which("python", path=PATHS["PATH"])).parent
    said, _ = done(tmp_path, LOOK, "/dev/null", env={"FEDREACT_FORKS": f"{folder}:/nowhere"})
    assert said.startswith("False __main__")


def test_where_no_socket_can_be_had_steps_are_started_as_ever(monkeypatch, tmp_path):
    """Its name may have a hundred letters; temporary folders of clusters may have more."""
    (long := tmp_path / ("x" * 120)).mkdir()
    monkeypatch.setattr(forks.tempfile, "tempdir", str(long))
    monkeypatch.delenv(forks.FORKS, raising=False)
    forks.begin()
    assert forks.FORKS not in os.environ
    assert list(long.iterdir()) == []


LOAD = """
import sys
from fedreact.workflow import forks
forks.load()
print(*sorted(name for name in sys.modules if name.startswith(("fedreact", "sklearn"))))
"""


@pytest.mark.campaign
def test_what_steps_need_is_loaded_and_what_takes_long_is_not():
    words = [sys.executable, "-c", LOAD]
    env = PATHS | {"PYTHONPATH": f"{ROOT}/src"}
    said = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    assert said.stderr == ""
    found = set(said.stdout.split())
    wanted = {f"fedreact.{part}" for part in forks.PARTS}
    wanted |= {"fedreact.models.architectures.patchtst", "fedreact.kinds.split.run"}
    assert wanted <= found
    assert "sklearn" not in found


def test_a_file_that_cannot_be_loaded_keeps_none_from_being(monkeypatch):
    def load(name):
        tried.append(name)
        raise SyntaxError

    tried = []
    monkeypatch.setattr(forks, "LOADED", ())
    monkeypatch.setattr(forks.importlib, "import_module", load)
    forks.load()
    assert "fedreact.metrics.accuracy" in tried
    assert len(tried) > 150
