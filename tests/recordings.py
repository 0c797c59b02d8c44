"""EDF files for the tests that read recordings."""

import numpy as np

from fedreact.data.eeg import MOTOR_STRIP

MARKS = [(0.0, 4.2, "T0"), (4.2, 4.1, "T2"), (8.3, 4.2, "T0"), (12.5, 4.1, "T1")]
NAMES = [f"{n[0]}{n[1:].lower()}".ljust(4, ".") for n in (*MOTOR_STRIP, "Fpz", "Iz")]


def write_edf(path, signal, names=NAMES, marks=MARKS, rate=160):
    """Write microvolts ``[channels, samples]`` as EDF+, in records of a second."""
    path.parent.mkdir(parents=True, exist_ok=True)
    n, samples = signal.shape
    records = samples // rate
    notes = [
        f"+{i}\x14\x14\0".encode()
        + b"".join(f"+{t}\x15{d}\x14{text}\x14\0".encode() for t, d, text in marks if i == int(t))
        for i in range(records)
    ]
    size = max(map(len, notes)) + 1 & ~1

    def field(width, values):
        return b"".join(str(value).encode().ljust(width) for value in values)

    columns = [
        (16, [*names, "EDF Annotations"]),
        (80, [""] * (n + 1)),
        (8, ["uV"] * n + [""]),
        (8, [-8192] * n + [-1]),
        (8, [8191] * n + [1]),
        (8, [-8192] * n + [-32768]),
        (8, [8191] * n + [32767]),
        (80, [""] * (n + 1)),
        (8, [rate] * n + [size // 2]),
        (32, [""] * (n + 1)),
    ]
    head = field(8, ["0"]) + field(80, ["X X X X", "Startdate 12-AUG-2009 X X X"])
    head += b"12.08.0916.15.00" + field(8, [256 * (n + 2)]) + field(44, ["EDF+C"])
    head += field(8, [records, 1]) + field(4, [n + 1])
    data = np.rint(signal[:, : records * rate]).astype("<i2").reshape(n, records, rate)
    body = b"".join(data[:, i].tobytes() + note.ljust(size, b"\0") for i, note in enumerate(notes))
    path.write_bytes(head + b"".join(field(*column) for column in columns) + body)
    return path
