"""Messages hold arrays and facts alone, and clients send what the docstrings say."""

import json
import pickle
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_federation_plans import clustered, federated, link, split, synchronous

from fedreact.errors import UserError
from fedreact.federation.client import OwnData
from fedreact.federation.messages import Expected, Message, pack, unpack, wrong

UPLOADS = {
    "fedavg": {"theta"},
    "ditto": {"theta"},
    "fedproto": {"theta", "counts"},
    "fedst": {"theta", "prototypes", "counts"},
}
"""What the algorithms' docstrings say that a client uploads."""
PHASE_2 = {"fit": {"model"}, "losses": {"losses"}, "descend": {"model"}, "hold": set()}
HELLO = {"number", "train", "test", "kind", "outputs", "channels", "steps", "names"}


def test_a_message_survives_its_bytes():
    arrays = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([True, False])}
    message = Message("train", {"t": 3, "why": "é", "x": 0.5}, arrays)
    read = Message.from_bytes(message.to_bytes())
    assert (read.do, dict(read.facts)) == ("train", {"t": 3, "why": "é", "x": 0.5})
    for name, values in arrays.items():
        np.testing.assert_array_equal(read.arrays[name], values)


def evil() -> np.ndarray:
    class Evil:
        def __reduce__(self):
            return (pytest.fail, ("code of a message was run",))

    return np.array([Evil()], dtype=object)


def test_no_message_holds_objects_or_claims_memory_that_it_has_not():
    file = BytesIO()
    np.lib.format.write_array(file, evil(), allow_pickle=True)
    large = BytesIO()
    np.lib.format.write_array_header_1_0(
        large, {"descr": "<f4", "fortran_order": False, "shape": (10**15,)}
    )
    for data in (file.getvalue(), large.getvalue(), pickle.dumps(1), b"", pack(np.zeros(3))[:-1]):
        with pytest.raises(UserError):
            unpack(data)
    with pytest.raises(UserError):
        pack(evil())
    with pytest.raises(UserError):
        Message.from_bytes(pickle.dumps(Message("hello")))


@given(st.binary(max_size=300))
def test_bytes_that_are_no_message_are_a_line(data):
    for read in (Message.from_bytes, unpack):
        with pytest.raises(UserError):
            read(data)


def test_what_is_wrong_with_an_answer_is_said():
    expected = {"theta": Expected((3,))}
    nan = np.array([0, np.nan, 1], np.float32)
    assert wrong({"theta": np.zeros(3, np.float32)}, expected) is None
    assert wrong({"theta": nan}, expected) == "its theta holds NaN or infinite values"
    assert "float32 [4] instead of float32 [3]" in wrong(
        {"theta": np.zeros(4, np.float32)}, expected
    )
    assert "float64" in wrong({"theta": np.zeros(3)}, expected)
    assert wrong({}, expected) == "it sent nothing instead of theta"


def messages(over, direction):
    return [Message.from_bytes(data) for _, way, data in over.seen if way == direction]


def nothing_of_the_data(over, files, features=()):
    """No message holds a series, a channel of one, the labels of a client, or features."""
    secrets = []
    for file in files:
        data = OwnData(file).data
        secrets += [channel.tobytes() for series in data.X for channel in series]
        secrets += [series.tobytes() for series in data.X.transpose(0, 2, 1)]
        secrets += [data.y.tobytes(), data.y.astype(np.float32).tobytes(), file.stem.encode()]
    secrets += [row.tobytes() for array in features for row in array]
    for _, _, data in over.seen:
        assert not [secret for secret in secrets if secret in data]


@pytest.mark.parametrize("name", UPLOADS)
def test_clients_of_a_synchronous_kind_send_what_is_said(tmp_path, name):
    files = split(tmp_path / "split")
    _, over = federated(synchronous(name, score="all"), files, tmp_path)
    for answer in messages(over, "up"):
        facts = {"hello": HELLO, "train": set(), "test": {"score"}}[answer.do]
        assert set(answer.facts) == facts
        assert set(answer.arrays) == (UPLOADS[name] if answer.do == "train" else set())
    nothing_of_the_data(over, files)


@pytest.mark.parametrize("name", ["fed-react", "ifca", "flsc", "flacc"])
def test_clients_of_a_clustered_kind_send_and_receive_what_is_said(tmp_path, name):
    files = split(tmp_path / "split")
    outcome, over = federated(clustered(name), files, tmp_path)
    for answer in messages(over, "up"):
        wanted = {"hello": set(), "train": {"theta"}} | PHASE_2
        assert set(answer.arrays) == wanted[answer.do]
        assert set(answer.facts) <= (HELLO if answer.do == "hello" else {"score"})
    down = [question for question in messages(over, "down") if question.do in PHASE_2]
    asked = {"fit": set(), "losses": {"models"}, "descend": {"start"}, "hold": set()}
    for question in down:
        assert set(question.arrays) - {"encoder"} <= {"held"} | asked[question.do]
    # The encoder goes to each client once, and each merged model to its client alone.
    assert sum("encoder" in question.arrays for question in down) == len(files)
    assert sum("held" in question.arrays for question in down) == outcome.present.sum()
    kept = [np.load(f)["features"] for f in tmp_path.glob("client*/*-features.npz")]
    assert len(kept) == len(files)
    nothing_of_the_data(over, files, kept)


def test_a_client_says_in_a_line_what_it_cannot_do(tmp_path):
    client = link(split(tmp_path / "split"), tmp_path).clients[0]
    plan = synchronous("fedavg").as_text()
    about = {"plan": plan, "run": "0", "outputs": 3, "training": "model", "t": 1, "counted": 0}
    for question, why in (
        (Message("open the door"), "does not know the question"),
        (Message("train", {}), "KeyError: 'plan'"),
        (Message("train", about | {"run": "../../x"}), "names no run"),
        (Message("train", about | {"counted": 5}), "the state of round 5 is lost"),
        (Message("train", about), "theta"),
        (Message("train", about | {"plan": "!!python/object:os.system x"}), "not the plan"),
        (Message("fit", about | {"plan": clustered("fed-react").as_text(), "width": 9}), "encoder"),
        (Message("train", about | {"plan": plan.replace("fedavg", "../own")}), "unknown"),
    ):
        answer = client.answer(question)
        assert answer.do == "refused"
        assert why in answer.facts["why"]
        assert json.dumps(dict(answer.facts))
