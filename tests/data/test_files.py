"""Files of datasets: found, downloaded, checked."""

import hashlib
import http.server
import os
import socket
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers import ROOT

from fedreact.data import files
from fedreact.data.registry import DataFile, load_registry
from fedreact.errors import UserError

BODY = bytes(range(256)) * 1000


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/missing":
            self.send_error(404)
            return
        if self.path == "/slow":
            self.server.release.wait(10)
            return
        self.send_response(200)
        if self.path != "/unannounced":
            self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY[:-1] if self.path == "/truncated" else BODY)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.release = threading.Event()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.release.set()
        server.shutdown()


@pytest.fixture(autouse=True)
def direct(monkeypatch):
    """Neither a proxy nor an order to stay offline from outside reaches these tests."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("FEDREACT_OFFLINE", raising=False)


@pytest.fixture
def closed_port():
    with socket.socket() as bound:  # not listening, so connections are refused
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}/"


@pytest.fixture(scope="module")
def registry():
    return load_registry(ROOT / "config" / "datasets.yaml")


def touch(*paths):
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_locate_looks_in_the_data_folder_then_in_the_mirror(registry, tmp_path):
    data, mirror, entry = tmp_path / "data", tmp_path / "mirror", registry["pendigits"]
    mirrored = mirror / "pendigits-orig"
    assert files.locate(entry, data, [mirror]) is None
    touch(mirrored / "pendigits-orig.tra")
    assert files.locate(entry, data, [mirror]) is None  # tes is missing
    touch(mirrored / "pendigits-orig.tes.Z")
    assert files.locate(entry, data, [mirror]) == {
        "tra": mirrored / "pendigits-orig.tra",
        "tes": mirrored / "pendigits-orig.tes.Z",
    }
    assert files.locate(entry, data) is None
    touch(data / "pendigits" / "pendigits-orig.tes")
    assert files.locate(entry, data, [mirror])["tes"] == data / "pendigits" / "pendigits-orig.tes"


def test_the_first_mirror_that_has_a_file_wins(registry, tmp_path):
    one, two, entry = tmp_path / "one", tmp_path / "two", registry["rtd"]
    touch(two / "rtd" / "features", one / "rtd" / "labels.pkl", two / "rtd" / "labels")
    wanted = {"features": two / "rtd" / "features", "labels": one / "rtd" / "labels.pkl"}
    assert files.locate(entry, tmp_path / "data", [one, two]) == wanted
    assert files.locate(entry, tmp_path / "data", [two, one])["labels"] == two / "rtd" / "labels"
    assert files.places(entry, tmp_path, [one, two]) == [
        *(tmp_path / "rtd", one / "rtd", two / "rtd")
    ]
    assert files.places(registry["sumo-ev"], tmp_path, [one]) == [tmp_path / "sumo-ev"]


@pytest.mark.parametrize(
    ("text", "folders"),
    [(None, []), ("", []), ("a", ["a"]), (os.pathsep.join(["a b", "", "/c"]), ["a b", "/c"])],
)
def test_mirrors_of_the_environment(text, folders):
    assert files.mirrors(text) == tuple(map(Path, folders))


@pytest.mark.parametrize("extension", ["", ".pkl", ".pickle", ".p"])
def test_locate_rtd_under_any_of_its_names(extension, registry, tmp_path):
    touch(*(tmp_path / "rtd" / f"{name}{extension}" for name in ("features", "labels")))
    found = files.locate(registry["rtd"], tmp_path)
    assert {parameter: path.name for parameter, path in found.items()} == {
        "features": f"features{extension}",
        "labels": f"labels{extension}",
    }


def test_a_computed_dataset_has_no_files(registry, tmp_path):
    assert files.locate(registry["air-writing-sim"], tmp_path, [tmp_path]) == {}


def test_missing_message_says_where_from_and_where_to(registry, tmp_path):
    message = files.missing_message(registry["rtd"], tmp_path)
    assert message.startswith(
        f"rtd: features and labels not found (looked in {tmp_path}/rtd/); open https://shahinur.com"
    )
    assert message.endswith(f"put them into {tmp_path / 'rtd'}/")
    message = files.missing_message(registry["pendigits"], tmp_path)
    assert registry["pendigits"].files["tra"].url in message
    assert "\n" not in message
    # Only what is missing, and all places that were looked in.
    touch(tmp_path / "two" / "rtd" / "labels")
    mirrors = [tmp_path / "one", tmp_path / "two"]
    message = files.missing_message(registry["rtd"], tmp_path, mirrors)
    places = f"{tmp_path}/rtd/, {tmp_path}/one/rtd/, {tmp_path}/two/rtd/"
    assert message.startswith(f"rtd: features not found (looked in {places}); open")


def test_of_many_missing_files_the_first_is_named(registry, tmp_path):
    many = {f"f{i}": DataFile((f"f{i}.csv",), None) for i in range(9)}
    entry = replace(registry["rtd"], files=many)
    message = files.missing_message(entry, tmp_path)
    assert message.startswith("rtd: f0.csv and 8 other files not found (looked in")


@pytest.mark.parametrize("path", ["/whole", "/unannounced"])
def test_download(path, server, tmp_path):
    destination = tmp_path / "new" / "file"
    files.download(server + path, destination)
    assert destination.read_bytes() == BODY
    assert list(destination.parent.iterdir()) == [destination]


def test_download_replaces_a_file(server, tmp_path):
    destination = tmp_path / "file"
    destination.write_bytes(b"old")
    files.download(f"{server}/whole", destination)
    assert destination.read_bytes() == BODY


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/missing", "404"),
        ("/truncated", "255999 of 256000 bytes received"),
        ("/slow", "timed out"),
    ],
)
def test_a_failed_download_leaves_nothing_behind(path, reason, server, tmp_path):
    destination = tmp_path / "file"
    destination.write_bytes(b"old")
    with pytest.raises(UserError, match=rf"^{server}{path}: [^\n]*{reason}[^\n]*by hand[^\n]*$"):
        files.download(server + path, destination, timeout=0.2)
    assert list(tmp_path.iterdir()) == [destination]
    assert destination.read_bytes() == b"old"


def test_download_from_no_server(closed_port, tmp_path):
    for url in (closed_port, "no address", "http://[", "http://a b/"):
        with pytest.raises(UserError, match=r"download failed [^\n]*$"):
            files.download(url, tmp_path / "file")
    assert not list(tmp_path.iterdir())


def test_download_to_where_no_folder_can_be(server, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"download failed [^\n]*$"):
        files.download(f"{server}/whole", tmp_path / "file" / "file")


def test_reachable(server, closed_port):
    assert files.reachable(f"{server}/whole")
    for url in (f"{server}/missing", closed_port, "no address", "http://["):
        assert not files.reachable(url)


def test_reachable_is_bounded_in_time(server, monkeypatch):
    assert not files.reachable(f"{server}/slow", timeout=0.2)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: time.sleep(1) or [])
    start = time.monotonic()
    assert not files.reachable("http://example.invalid/", timeout=0.1)
    assert time.monotonic() - start < 0.9


def test_offline(server, monkeypatch, tmp_path):
    monkeypatch.setenv("FEDREACT_OFFLINE", "1")
    assert not files.reachable(f"{server}/whole")
    with pytest.raises(UserError, match=r"FEDREACT_OFFLINE is set; place the file in [^\n]*$"):
        files.download(f"{server}/whole", tmp_path / "file")
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("FEDREACT_OFFLINE", "0")
    assert files.reachable(f"{server}/whole")


def test_content_sha256_is_that_of_the_values_whatever_their_type():
    series = [np.array([[1, 2], [3, 4], [1, 0]])]
    digest = files.content_sha256(series, [4], [3])
    # SHA-256 of the little-endian int64 3, 2, 4, 3 and float64 1, 2, 3, 4, 1, 0.
    assert digest == "6af222f6761366004206fd351049bca567f01f73055ad5f7531a48c5dcc3342a"
    assert files.content_sha256([np.float32(series[0])], np.array([4]), np.array([3])) == digest
    assert files.content_sha256([np.asfortranarray(series[0])], [4], [3]) == digest
    others = (
        files.content_sha256([series[0].T], [4], [3]),
        files.content_sha256(series, [5], [3]),
        files.content_sha256(series, [4], [2]),
        files.content_sha256(series, [4]),
        files.content_sha256(series * 2, [4] * 2, [3] * 2),
    )
    assert len({digest, *others}) == 6


def test_a_file_of_another_digest_is_refused(server, tmp_path):
    right = hashlib.sha256(BODY).hexdigest()
    path = tmp_path / "whole"
    files.download(f"{server}/whole", path, sha256=right)
    for digest in (right, None):
        files.check_file(DataFile(("whole",), None, digest), path)
    wrong = "0" * 64
    with pytest.raises(UserError, match=rf"^[^\n]*whole: not the registered file[^\n]*{right}"):
        files.check_file(DataFile(("whole",), None, wrong), path)
    with pytest.raises(UserError, match=rf"SHA-256 {right} received, {wrong} expected"):
        files.download(f"{server}/whole", tmp_path / "new", sha256=wrong)
    assert [p.name for p in tmp_path.iterdir()] == ["whole"]
