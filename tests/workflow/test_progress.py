"""What a run of the workflow says of its progress."""

from types import SimpleNamespace

from fedreact.workflow import progress


class Job:
    def __init__(self, rule, output):
        self.rule, self.output = SimpleNamespace(name=rule), [output]


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


def test_time_left_by_hand():
    """Two runs of 30 s and a training of 120 s took 90 s, two at once; as much is left."""
    done = [("run", 30.0), ("run", 30.0), ("train", 120.0)]
    said = progress.message(done, {"run": 2, "train": 1}, 6, 90.0)
    assert said == "3 of 6 jobs are done, about 2 minutes left."
    # A rule that has not run yet counts as the mean of all: 60 s.
    assert (
        progress.message(done, {"table": 6}, 9, 90.0)
        == "3 of 9 jobs are done, about 3 minutes left."
    )


def test_nothing_is_guessed_before_a_job_has_ended():
    assert progress.message([], {"run": 3}, 3, 60.0) == "0 of 3 jobs are done."


def test_hours_and_less_than_a_minute():
    done = [("run", 60.0)]
    assert progress.message(done, {"run": 600}, 601, 60.0).endswith("about 10 hours left.")
    assert progress.message(done, {"run": 1}, 2, 60.0).endswith("about a minute left.")
