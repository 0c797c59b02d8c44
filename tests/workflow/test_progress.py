"""What a run of the workflow says of its progress."""

import io
from types import SimpleNamespace

import pytest
from helpers import wait_until

from fedreact.workflow import console, progress
from fedreact.workflow.progress import Course


class Job:
    def __init__(self, rule, output, **wildcards):
        self.rule, self.output = SimpleNamespace(name=rule), [output]
        self.wildcards_dict = wildcards

    def is_group(self):
        return False


class Group(list):
    def is_group(self):
        return True


def test_what_is_to_do_is_said_by_table():
    run, table, figure = (
        Job("run", "r.csv"),
        Job("make_table", "t/a.csv"),
        Job("make_figure", "f/b.pdf"),
    )
    ready = Job("prepare_data", "d.npz")  # is there already, so not among what is to do
    upstream = {table: [table, run, ready], figure: [figure, ready]}.get
    assert progress.summary([run, table, figure], upstream) == (
        "3 jobs are to do; they share them: a (2), b (1)."
    )
    assert progress.summary([run], upstream) == "1 job is to do."


def test_what_is_asked_for_has_a_name():
    dag = SimpleNamespace(jobs=[Job("run", "r.csv"), Job("make_table", "t/a.csv")])
    assert progress.asked(dag) == {"run", "make_table", "a"}


DONE = [("run", 30.0), ("run", 30.0), ("train", 120.0)]


def test_time_left_by_hand():
    """Two runs of 30 s and a training of 120 s took 90 s, two at once; as much is left."""
    assert Course(DONE, [], {"run": 2, "train": 1}).left(90.0) == 90
    # A rule that has not run yet counts as the mean of all: 60 s.
    assert Course(DONE, [], {"table": 6}).left(90.0) == 180


def test_a_long_job_that_says_how_far_it_is_is_not_like_the_others():
    """The training has done a tenth in 60 s, so 540 s are left; nothing runs beside it."""
    assert Course(DONE, [("train", 60.0, 0.1)], {}).left(120.0) == 540
    # Another training takes 360 s, the mean of 120 and 600. Two places have 900 s to do.
    assert Course(DONE, [("train", 60.0, 0.1)], {"train": 1}).left(120.0) == 540
    assert Course(DONE, [("train", 60.0, 0.1)], {"train": 3}).left(120.0) == (540 + 3 * 360) / 2
    # A run that says nothing has begun 20 s ago, and takes 30.
    assert Course(DONE, [("run", 20.0, None)], {}).left(200.0) == 10
    assert Course(DONE, [("run", 50.0, None)], {}).left(200.0) == 0


def test_nothing_is_guessed_before_a_job_has_ended_or_says_how_far_it_is():
    assert Course([], [("run", 5.0, None)], {"run": 3}).left(60.0) is None
    assert Course([], [("run", 5.0, 0.5)], {}).left(5.0) == 5
    assert progress.message(0, 3, None) == "0 of 3 jobs are done."


def test_the_share_that_is_done_is_in_the_log(tmp_path):
    log = tmp_path / "seed0.log"
    assert progress.share_done(log, 2) is None
    log.write_text("note: round 3 of the data\n")
    assert progress.share_done(log, 2) is None
    log.write_text("fedavg, ten, seed 0: round 3 of 4, loss 1.0, 5 s left\n")
    assert progress.share_done(log, 2) == 3 / 8
    with log.open("a") as file:
        file.write("fedavg, ten, seed 0: stands still after round 3 of 4\n")
        file.write("ditto, ten, seed 0: minute 2.5, update 1 of 10, score 0.5, 9 s left\n")
    assert progress.share_done(log, 2) == pytest.approx(0.55)
    assert progress.share_done(log, 1) == pytest.approx(0.55)


def test_hours_and_less_than_a_minute():
    assert progress.message(1, 601, 36000.0) == "1 of 601 jobs are done, about 10 hours left."
    assert progress.message(1, 2, 60.0).endswith("about a minute left.")


@pytest.mark.parametrize(
    ("job", "name"),
    [
        ("all-2de41631", "run simple waves 1"),
        ("fedst.ditto", "run simple waves 1 ditto"),
        ("grand.minirocket-alone-afc1d0ea", "run simple waves 1 minirocket-alone"),
    ],
)
def test_a_job_is_named_by_its_method_if_it_has_one(job, name):
    wildcards = {"kind": "simple", "paper": "mine", "dataset": "waves", "job": job, "seed": 1}
    assert progress.name_of(Job("run", "x.csv", **wildcards)) == name


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_a_run_says_how_far_it_is_and_what_is_made(stream, tmp_path, monkeypatch):
    """In a terminal in one line, elsewhere in several."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(progress, "OFTEN", 0.01)
    monkeypatch.setattr(progress, "EVERY", 0.01)
    jobs = [Job("run", f"{i}.csv", kind="clustered", dataset="waves", seed=i) for i in range(3)]
    done = {jobs[0]}
    dag = SimpleNamespace(finished=done.__contains__)
    one = console.Console(True, stream=stream)
    running = [Group(jobs[1:])]
    found = progress.Progress(dag, jobs, lambda: running, tmp_path, one)
    line = "1 of 3 jobs are done. Now: run clustered waves 1 ..."
    wait_until(lambda: stream.getvalue().count(line) > 1)
    done.update(jobs)
    running.clear()
    wait_until(lambda: "3 of 3 jobs are done." in stream.getvalue())
    found.stop()
    assert found.left() == []
    text = stream.getvalue()
    if stream.isatty():
        assert "\n" not in text
        assert text.endswith("\r\x1b[K")
    else:
        assert text.startswith(f"{line}\n")
        assert "\x1b" not in text


def test_a_long_run_prints_few_lines():
    """One a minute at first; in a weekend fewer than thirty."""
    elapsed, lines = 0.0, 0
    while elapsed < 60 * 3600:
        elapsed += progress.pause(lines, elapsed)
        lines += 1
        assert lines > 15 or elapsed == 60 * lines
    assert 20 < lines < 30
