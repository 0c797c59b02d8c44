"""What a run will cost beside what it has taken, as text."""

import pytest

from fedreact.estimates import overview


def job(rule, inputs=(), cpu=0.0, gpu=0.0, memory=100.0, files=1.0, basis="records", outputs=()):
    return {
        "rule": rule,
        "inputs": list(inputs),
        "outputs": list(outputs),
        "cpu_hours": cpu,
        "gpu_hours": gpu,
        "memory_mb": memory,
        "megabytes": files,
        "basis": basis,
    }


EVERYTHING = {
    "data": job("prepare_data", cpu=0.5, outputs=["data"]),
    "e0": job("train_encoder", ["data"], 2.0, 0.25, 2000, 0.7, outputs=["e0"]),
    "e1": job("train_encoder", ["data"], 3.0, 0.5, 2500, 0.7, "model", outputs=["e1"]),
    "t.csv": job("make_table", ["e0"], 0.001, outputs=["t.csv", "t.md"]),
    "f.pdf": job("make_figure", ["e1"], 0.002, outputs=["f.pdf"]),
}
TOOK = {"data": 0.75, "e0": 4.0}
LEFT = {name: of for name, of in EVERYTHING.items() if name not in TOOK}
TARGETS = {"table": ["t.csv", "t.md"], "figure": ["f.pdf"], "elsewhere": ["x.csv"]}


def rows(text, first):
    """Cells of the rows below a header, by their first word."""
    part = text[text.index(first) :].split("\n\n")[0]
    header, *below = part.splitlines()
    assert header.split() == [first, *" ".join(overview.COLUMNS).split()]
    return {line.split()[0]: line.split()[1:] for line in below}


def test_steps_say_what_is_to_do_and_what_was_taken():
    text = overview.text(EVERYTHING, LEFT, TOOK, TARGETS, cores=4)
    assert rows(text, "step") == {
        "prepare_data": ["0", "-", "-", "0", "0", "1", "0.5", "0.75"],
        "train_encoder": ["1", "3", "0.5", "2500", "1", "1", "2", "4"],
        "make_table": ["1", "<0.01", "-", "100", "1", "0", "-", "-"],
        "make_figure": ["1", "<0.01", "-", "100", "1", "0", "-", "-"],
        "all": ["3", "3", "0.5", "2500", "3", "2", "2.5", "4.75"],
    }
    assert "\n0.751 hours on 4 cores, if all are always busy.\n" in text
    assert "Jobs by what their estimate rests on: model 1, records 2." in text
    assert text.endswith(overview.NOTES)


def test_targets_count_all_that_they_are_made_from():
    found = rows(overview.text(EVERYTHING, LEFT, TOOK, TARGETS, 1), "target")
    assert list(found) == ["table", "figure"]  # of the third nothing is known
    assert found["table"] == ["1", "<0.01", "-", "100", "1", "2", "2.5", "4.75"]
    assert found["figure"][:6] == ["2", "3", "0.5", "2500", "2", "1"]


def test_hours_of_a_gpu_that_are_unknown_are_unknown_in_sums():
    unknown = EVERYTHING | {"e1": EVERYTHING["e1"] | {"gpu_hours": None}}
    text = overview.text(unknown, unknown, {}, TARGETS, 1)
    by_step = rows(text, "step")
    assert by_step["train_encoder"][2] == by_step["all"][2] == "unknown"
    assert by_step["prepare_data"][2] == "-"
    by_target = rows(text, "target")
    assert (by_target["table"][2], by_target["figure"][2]) == ("0.25", "unknown")


def test_nothing_to_do_has_no_length():
    text = overview.text(EVERYTHING, {}, TOOK, {}, 1)
    assert "always busy" not in text
    assert "rests on" not in text
    assert rows(text, "step")["all"][0] == "0"
    assert overview.DONE in text
    assert overview.text({}, {}, {}, {}, 1) == overview.DONE


@pytest.mark.parametrize(
    ("hours", "text"),
    [
        (0, "-"),
        (0.00012345, "<0.01"),
        (0.0123, "0.0123"),
        (1.2345, "1.23"),
        (99.9, "99.9"),
        (12345.6, "12,346"),
    ],
)
def test_hours_have_three_digits_or_so(hours, text):
    assert overview.hours(hours) == text
