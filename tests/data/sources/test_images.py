"""Images as series: Fashion-MNIST and CIFAR-10, of which tests write small files."""

import gzip
import io
import tarfile
from dataclasses import replace

import numpy as np
import pytest
from helpers import ROOT, of_mirror
from images import idx

from fedreact.data import prepare
from fedreact.data.files import content_sha256
from fedreact.data.registry import DataFile, load_registry
from fedreact.data.sources import cifar_10, fashion_mnist
from fedreact.errors import UserError

REGISTRY = load_registry(ROOT / "config" / "papers" / "aso_fed" / "datasets.yaml")


def unpinned(name):
    """The entry, with files of any content."""
    files = {key: DataFile(file.names, None) for key, file in REGISTRY[name].files.items()}
    return replace(REGISTRY[name], files=files, content_sha256=None)


# --- Fashion-MNIST


@pytest.fixture
def clothes(tmp_path):
    """Five images to train on and three to test on."""
    rng, found = np.random.default_rng(0), {}
    for part, n in (("train", 5), ("test", 3)):
        for what, values in (
            ("images", rng.integers(0, 256, (n, 28, 28))),
            ("labels", np.arange(n) % 10),
        ):
            found[f"{part}_{what}"] = path = tmp_path / f"{part}-{what}.gz"
            path.write_bytes(gzip.compress(idx(values)))
    return found


def read_clothes(files, **changes):
    return fashion_mnist.FashionMNIST(**changes).read(files, unpinned("fashion-mnist"))


def test_rows_of_an_image_are_channels(clothes):
    data = read_clothes(clothes)
    assert data.X.shape == (8, 28, 28)
    assert data.y.tolist() == [0, 1, 2, 3, 4, 0, 1, 2]
    assert data.tested.tolist() == [False] * 5 + [True] * 3
    given = np.random.default_rng(0).integers(0, 256, (5, 28, 28))
    np.testing.assert_array_equal(data.X[:5], given.astype(np.float32) / 255)
    assert data.X.max() <= 1
    some = read_clothes(clothes, n_train=2, n_test=1)
    assert some.y.tolist() == [0, 1, 0]
    assert some.tested.tolist() == [False, False, True]


def test_images_are_pinned_however_they_are_compressed(clothes, tmp_path):
    def read(entry):
        return prepare.read(fashion_mnist.FashionMNIST(n_train=2), entry, tmp_path, (), [])

    entry = REGISTRY["fashion-mnist"]
    folder = tmp_path / "fashion-mnist"
    folder.mkdir()
    for key, path in clothes.items():
        path.rename(folder / entry.files[key].names[0])
    images = np.random.default_rng(0)
    images = [images.integers(0, 256, (n, 28, 28)) for n in (5, 3)]
    digest = content_sha256(np.concatenate(images), [0, 1, 2, 3, 4, 0, 1, 2])
    pinned = replace(entry, content_sha256=digest)
    before = read(pinned)
    assert len(before.y) == 2 + 3  # all is checked, whatever is used
    for file in list(folder.iterdir()):  # anew, with a name and a time, as Debian's are not
        content = gzip.decompress(file.read_bytes())
        with gzip.GzipFile("x.gz", "wb", 1, file.open("wb"), mtime=7) as anew:
            anew.write(content)
    np.testing.assert_array_equal(read(pinned).X, before.X)
    with pytest.raises(UserError, match=r"^fashion-mnist: the files hold other data than"):
        read(entry)
    images[0][4, 3, 2] ^= 1  # of an image that is not used
    (folder / entry.files["train_images"].names[0]).write_bytes(gzip.compress(idx(images[0])))
    with pytest.raises(UserError, match=r"^fashion-mnist: the files hold other data than"):
        read(pinned)


def test_labels_without_images_are_refused(clothes):
    clothes["train_labels"].write_bytes(gzip.compress(idx(np.arange(4))))
    with pytest.raises(UserError, match=r"4 labels for images \(5, 28, 28\)"):
        read_clothes(clothes)
    clothes["train_labels"].write_bytes(gzip.compress(idx(np.arange(5) + 8)))
    with pytest.raises(UserError, match="labels must be 0 to 9"):
        read_clothes(clothes)
    clothes["train_images"].write_bytes(gzip.compress(idx(np.zeros((5, 28, 27)))))
    with pytest.raises(UserError, match=r"wanted as many, of 28 x 28"):
        read_clothes(clothes)
    for what in ("images", "labels"):
        shape = (0, 28, 28) if what == "images" else (0,)
        clothes[f"train_{what}"].write_bytes(gzip.compress(idx(np.zeros(shape))))
    with pytest.raises(UserError, match="0 labels for images"):
        read_clothes(clothes)


GOOD = idx(np.ones((2, 28, 28)))


# Named, not by their bytes: those hold the second at which they were compressed.
DAMAGED = {
    "empty": (b"", "not an IDX file"),
    "no-gzip": (b"no archive", "not a whole gzip file"),
    "cut-gzip": (gzip.compress(GOOD)[:-9], "not a whole gzip file"),
    "cut-in-the-magic": (gzip.compress(b"\0\0\x08"), "not an IDX file of 3 dimensions"),
    "cut-in-the-sizes": (gzip.compress(GOOD[:10]), "not an IDX file of 3 dimensions"),
    "one-dimension": (gzip.compress(idx(np.ones(5))), "not an IDX file of 3 dimensions"),
    "other-type": (
        gzip.compress(idx(np.ones((2, 2, 2)), kind=13)),
        "not an IDX file of 3 dimensions",
    ),
    "one-value-short": (
        gzip.compress(GOOD[:-1]),
        r"has 1567 values, but sizes \(2, 28, 28\) need 1568",
    ),
    "one-value-over": (gzip.compress(GOOD + b"\0"), "has 1569 values"),
    "absurd-sizes": (
        gzip.compress(GOOD[:4] + b"\xff" * 12 + GOOD[16:]),
        "need 79228162458924105385300197375",
    ),
}


@pytest.mark.parametrize(("content", "words"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_images_are_refused(tmp_path, content, words):
    path = tmp_path / "x.gz"
    path.write_bytes(content)
    with pytest.raises(UserError, match=words) as caught:
        fashion_mnist.read_idx(path, 3)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_clothes_of_the_mirror():
    entry = REGISTRY["fashion-mnist"]
    data = of_mirror(fashion_mnist.FashionMNIST(), entry)
    assert data.task == entry.task
    assert np.bincount(data.y[~data.tested]).tolist() == [6000] * 10
    assert np.bincount(data.y[data.tested]).tolist() == [1000] * 10
    assert data.X[~data.tested].mean() == pytest.approx(0.2860, abs=1e-4)


# --- CIFAR-10


def archive(path, batches):
    with tarfile.open(path, "w:gz") as tar:
        for name, content in batches.items():
            member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def batches(n=3):
    """Batch i has images of kind i, whose red is 10 i, green 20 i and blue their columns."""
    found = {}
    for i, name in enumerate(cifar_10.TRAIN + cifar_10.TEST):
        blue = np.tile(np.arange(32), 32)
        image = np.concatenate([[i], np.full(1024, 10 * i), np.full(1024, 20 * i), blue])
        found[name] = np.tile(image, (n, 1)).astype(np.uint8).tobytes()
    return found


def read_things(path, **changes):
    return cifar_10.CIFAR10(**changes).read({"archive": path}, unpinned("cifar-10"))


def test_rows_of_each_colour_are_channels(tmp_path):
    others = {"batches.meta.txt": b"airplane\n", "readme.html": b"<html>"}
    data = read_things(archive(tmp_path / "x.tar.gz", others | batches()))
    assert data.X.shape == (18, 96, 32)
    assert data.y.tolist() == np.repeat(np.arange(6), 3).tolist()
    assert data.tested.tolist() == [False] * 15 + [True] * 3
    image = data.X[7]  # of batch 2
    np.testing.assert_allclose(image[:32], 20 / 255, rtol=1e-6)
    np.testing.assert_allclose(image[32:64], 40 / 255, rtol=1e-6)
    np.testing.assert_allclose(image[64:], np.tile(np.arange(32) / 255, (32, 1)), rtol=1e-6)
    some = read_things(tmp_path / "x.tar.gz", n_train=4, n_test=2)
    assert some.y.tolist() == [0, 0, 0, 1, 5, 5]


def test_batches_may_stand_in_any_order(tmp_path):
    turned = dict(reversed(batches().items()))
    data = read_things(archive(tmp_path / "x.tar.gz", turned))
    assert data.y.tolist() == np.repeat(np.arange(6), 3).tolist()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"data_batch_3.bin": b"\0" * 3072}, "data_batch_3.bin has 3072 bytes"),
        ({"data_batch_3.bin": b""}, "data_batch_3.bin has 0 bytes"),
        ({"test_batch.bin": b"\x0a" * 3073}, "test_batch.bin has a label that is not 0 to 9"),
    ],
)
def test_other_batches_are_refused(tmp_path, change, words):
    path = archive(tmp_path / "x.tar.gz", batches() | change)
    with pytest.raises(UserError, match=words) as caught:
        read_things(path)
    assert str(path) in str(caught.value)


def test_damaged_archives_are_refused(tmp_path):
    lacking = batches()
    del lacking["data_batch_5.bin"]
    path = archive(tmp_path / "x.tar.gz", lacking)
    with pytest.raises(UserError, match=r"has no data_batch_5\.bin"):
        read_things(path)
    good = archive(path, batches()).read_bytes()
    middle = len(good) // 2
    turned = good[:middle] + bytes(255 - byte for byte in good[middle : middle + 9])
    for content in (b"", b"no archive", good[:middle], turned + good[middle + 9 :]):
        path.write_bytes(content)
        with pytest.raises(UserError, match=r"not the archive of cifar-10|has no ") as caught:
            read_things(path)
        assert "\n" not in str(caught.value)
