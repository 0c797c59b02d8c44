"""Commands on a user's data: import, check, split, export."""

import json

import numpy as np
import pandas as pd
import pytest
import yaml
from small_cli import call

from fedreact.clients.partitioners.owner import Owner
from fedreact.data import own
from fedreact.errors import UserError

RNG = np.random.default_rng(0)
SOUND = {"X": RNG.normal(size=(40, 2, 5)), "y": np.arange(40) % 2}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder of one's own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, **changes):
    file = folder / "mine.npz"
    np.savez(file, **(SOUND | changes))
    return file


def write_table(file="watch.csv", people=("bob", "ann", "cy")):
    rows = [
        pd.DataFrame(
            {
                "person": who,
                "t": np.arange(120) / 10 + 100 * k,
                "act": label,
                "x": RNG.normal(size=120),
            }
        )
        for who in people
        for k, label in enumerate(("walk", "sit"))
    ]
    pd.concat(rows).to_csv(file, index=False)
    return file


WORDS = ("--client", "person", "--label", "act", "--time", "t", "--window", "1s")


def test_a_table_becomes_a_dataset_with_its_recipe(folder):
    source = write_table()
    status, printed, said = call("import", source, "--name", "watch", *WORDS)
    assert (status, said) == (0, "")
    assert "3 clients with 24 series: ann (24), bob (24), cy (24)" in printed
    assert "Next: fedreact check watch" in printed
    data = own.read(folder / "data/own/watch.npz", "watch")
    assert data.X.shape == (72, 1, 10)
    assert data.owner_names.tolist() == ["ann", "bob", "cy"]
    recipe = yaml.safe_load((folder / "data/own/watch.import.yaml").read_text())
    assert recipe["options"] == {
        "client": "person",
        "label": "act",
        "time": "t",
        "window": "1s",
    }
    before = (folder / "data/own/watch.npz").read_bytes()
    (folder / "data/own/watch.npz").unlink()
    assert call("import", "--repeat", "data/own/watch.import.yaml")[0] == 0
    assert (folder / "data/own/watch.npz").read_bytes() == before


def test_a_dry_run_writes_nothing(folder):
    source = write_table()
    status, printed, _ = call("import", source, "--name", "watch", *WORDS, "--dry-run", "--json")
    assert status == 0
    about = json.loads(printed)
    assert about["clients"] == {"bob": 24, "ann": 24, "cy": 24}
    assert about["labels"] == {"walk": 36, "sit": 36}
    (finding,) = about["findings"]
    assert "directly follow or precede a train series" in finding
    words = [word if word != "act" else "person" for word in WORDS]
    printed = call("import", source, "--name", "watch", *words, "--dry-run", "--json")[1]
    assert json.loads(printed)["findings"][0].startswith("Labels follow from clients")
    assert not (folder / "data").exists()


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--name", "Watch_1"), 1, "Watch_1.npz: names are of a-z, 0-9 and dashes"),
        (("--name", "har"), 1, "nothing says what is predicted"),
        ((), 2, "name the SOURCE and the --name"),
        (
            ("--name", "w", "--annotations", "T0"),
            1,
            "--annotations is no option of the format table",
        ),
        (("--name", "w", "--resample", "0"), 2, "--resample: "),
        (("--name", "w", "--scale", "x"), 2, "'x' is unknown; known:"),
        (("--name", "w", "--labl", "x"), 2, "Did you mean"),
    ],
)
def test_wrong_words_of_an_import(words, status, said):
    from fedreact.cli.main import main

    source = write_table()
    with pytest.raises(SystemExit) as caught:
        main(["import", source, *words])
    assert caught.value.code == status


def test_check_says_all_of_it(folder):
    file = write(folder, X=np.zeros((40, 2, 5)), client=np.arange(40) // 10)
    said = call("check", file)[1]
    assert "40 series of 2 channels and 5 steps; classification, 2 labels" in said
    assert call("check", file)[0] == 0
    assert call("check", file, "--strict")[0] == 1
    assert "4 clients, with 9 train samples" in said
    assert "note: No series changes over its steps." in said
    assert "takes all" not in said
    assert "takes all that 4 of 4 clients have" in call("check", file, "--samples-per-round", 9)[1]
    assert "true clusters are unknown" in said
    assert "takes all" not in call("check", file, "--samples-per-round", 5)[1]
    assert "names no clients" in call("check", write(folder))[1]
    tested = np.arange(40) % 5 == 0
    said = call("check", write(folder, client=np.arange(40) // 10, tested=tested))[1]
    assert "4 clients, with 8 train samples, 8 in the median, by its array tested" in said
    assert list(folder.iterdir()) == [file]


def test_check_finds_leaks_that_a_split_mends(folder):
    steps = RNG.normal(size=(4, 300, 2))
    X = np.stack([r[s : s + 24].T for r in steps for s in range(0, 270, 3)])
    content = {"X": X, "y": np.arange(360) % 3, "client": np.repeat(list("abcd"), 90)}
    file = write(folder, **content)
    status, printed, _ = call("check", file)
    assert status == 0
    assert "test series share up to 21 of 24 steps" in printed
    assert "split: chronological with gap: 7" in printed
    mended = call("check", file, "--split", "chronological", "--gap", 7)[1]
    assert "share up to" not in mended
    about = json.loads(call("check", file, "--json")[1])
    assert about["clients"][0] == {"client": "a", "train": 81, "test": 9}
    assert any("share up to" in note for note in about["notes"])


def test_check_names_a_client_that_is_too_small(folder, capsys):
    from fedreact.cli.main import main

    file = write(folder, client=np.array(["ann"] * 39 + ["bob"]))
    with pytest.raises(SystemExit) as caught:
        main(["check", str(file)])
    assert caught.value.code == 1
    assert "client bob has 1 series, too few for 1 to test" in capsys.readouterr().err
    assert "1 clients, with 35" in call("check", file, "--min-samples", 5)[1]


def test_split_and_export_write_the_clients(folder):
    file = write(folder, client=np.array(list("abcd")).repeat(10))
    status, printed, _ = call("split", file, "--to", "clients", "--test-share", "0.2")
    assert (status, printed) == (0, "clients: 4 files of clients, listed in partition.json\n")
    with np.load("clients/0-a.npz") as arrays:
        assert arrays["tested"].sum() == 2
    status, printed, _ = call("export", "flower", file, "--to", "flower", "--min-samples", "5")
    assert status == 0
    assert "4 partitions" in printed
    status, _, said = call("export", "floweer", file, "--to", "x")
    assert (status, "did you mean flower?" in said) == (2, True)
    printed = json.loads(call("export", "flower", file, "--to", "flower", "--json")[1])
    assert printed["to"] == "flower"
    assert "4 partitions" in printed["notes"][0]
    printed = json.loads(call("split", file, "--to", "clients", "--json")[1])
    assert printed == {
        "folder": "clients",
        "notes": ["4 files of clients, listed in partition.json"],
    }
    with pytest.raises(UserError, match="--license is no option of flower"):
        call("export", "flower", file, "--to", "x", "--license", "MIT")
    with pytest.raises(UserError, match="names no clients"):
        call("split", write(folder), "--to", "x")


def test_a_partition_of_a_run_can_be_exported(folder):
    file = write(folder, client=np.array(list("abcd")).repeat(10))
    data = own.read(file, "mine")
    data.save(folder / "prepared.npz")
    Owner(parts=2).deal(data, 0).save(folder / "partition.npz")
    words = ("--to", "clients", "--partition", "partition.npz")
    assert call("split", "prepared.npz", *words)[0] == 0
    assert len(list((folder / "clients").glob("*.npz"))) == 8
