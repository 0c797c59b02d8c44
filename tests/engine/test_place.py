"""Where trainings run, and what they leave behind."""

from fedreact.engine.place import Place


def test_trainings_of_one_job_have_checkpoints_beside_each_other(tmp_path):
    place = Place("cuda", 3, tmp_path / "seed0-abc.npz")
    one = place.named("lstm-fedavg+batch_size=10")
    assert one == Place("cuda", 3, tmp_path / "seed0-abc-lstm-fedavg+batch_size=10.npz")


def test_clearing_removes_the_checkpoints_of_all_trainings_of_a_job_and_no_others(tmp_path):
    place = Place("cpu", 1, tmp_path / "seed0-abc.npz")
    mine = [place.checkpoint, *(place.named(name).checkpoint for name in ("a", "b-c"))]
    others = [tmp_path / name for name in ("seed1-abc.npz", "seed0-abd.npz", "seed0-abc.csv")]
    (tmp_path / "below").mkdir()
    others.append(tmp_path / "below" / "seed0-abc-a.npz")
    for file in (*mine, *others):
        file.write_text("something")
    place.clear()
    assert not any(file.exists() for file in mine)
    assert all(file.exists() for file in others)


def test_clearing_where_nothing_was_kept_does_nothing(tmp_path):
    Place("cpu", 1, tmp_path / "not-there" / "seed0.npz").clear()
    place = Place("cpu", 1, tmp_path / "seed0.npz")
    place.named("a").checkpoint.write_text("something")
    place.clear()
    assert list(tmp_path.iterdir()) == []
