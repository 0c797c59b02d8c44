"""What a client receives and sends in a round."""

import pytest
from small_studies import ARCHITECTURES, by_labels

from fedreact import plugins
from fedreact.studies.communication import Communication

RECEIVED, SENT = "Received (KB)", "Sent (KB)"


def test_bytes_by_hand():
    found = by_labels(Communication(ARCHITECTURES))
    # 153,380 weights of the encoder and 10 x 321 of a task model, 4 bytes each.
    encoder, task_model = 4 * 153_380 / 1e3, 12.84
    assert found["Phase 1 of Fed-REACT (encoder)"] == {RECEIVED: encoder, SENT: encoder}
    of_phase_2 = found["Phase 2 of Fed-REACT, FLACC, FedAvg (task model)"]
    assert of_phase_2 == {RECEIVED: task_model, SENT: task_model}
    assert found["LSTM by FedAvg, FedProx, Ditto, APFL"] == {
        RECEIVED: pytest.approx(4 * 398.346),
        SENT: pytest.approx(4 * 398.346),
    }


def test_ifca_sends_the_models_of_all_clusters_and_receives_one():
    found = by_labels(Communication(ARCHITECTURES))
    # 3,210 weights of 4 bytes; IFCA sends those of 3 clusters.
    (ifca,) = [of_row for row, of_row in found.items() if "IFCA" in row]
    assert list(ifca.values()) == pytest.approx([3 * 12.84, 12.84])
    assert list(ifca) == [RECEIVED, SENT]


def test_clusters_features_and_labels_are_options():
    found = by_labels(Communication({}, features=99, outputs=5, clusters=7))
    assert found["IFCA, FLSC (7 clusters; task models)"] == {RECEIVED: 14.0, SENT: 2.0}


def test_all_rows_are_there_in_the_order_of_the_labels():
    found = list(by_labels(Communication(ARCHITECTURES)))
    assert [row.split(" by ")[0] for row in found[3:]] == list(ARCHITECTURES)
    assert len(found) == 3 + len(ARCHITECTURES)


def test_the_encoder_is_an_option():
    for name in ("table12", "franceschi"):
        encoder = plugins.load("models/encoders", name, "ENCODER")(2)
        found = by_labels(Communication({}, encoder=name, channels=2))
        sent = found["Phase 1 of Fed-REACT (encoder)"][SENT]
        assert sent == pytest.approx(4 * encoder.n_parameters / 1e3)


def test_its_code_is_that_of_the_architectures_and_the_encoder():
    files = list(plugins.named(Communication(ARCHITECTURES, encoder="franceschi")))
    assert [name for _, name, _ in files] == [*ARCHITECTURES.values(), "franceschi"]
    assert all(plugins.find(*of).is_file() for of in files)
