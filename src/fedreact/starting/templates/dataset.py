"""Write the dataset mine: FILL IN where its series come from. As it stands, it is noise on a wave.

Run it, then check and try the data:

    python own/make_mine.py && fedreact check mine && fedreact try mine
"""

from pathlib import Path

import numpy as np

OUTPUT = Path("data/own/mine.npz")
CLIENTS, EACH, CHANNELS, STEPS = 6, 40, 2, 50


def main() -> None:
    """Write X, y and client. docs/howto/own_data.md describes all arrays that there may be."""
    rng = np.random.default_rng(0)
    # FILL IN: labels are strings or integers; floats are the targets of a regression.
    y = rng.choice(["slow", "fast"], CLIENTS * EACH)
    # FILL IN: series as numbers [N, channels, steps] without NaN.
    speed = np.where(y == "fast", 0.6, 0.3)[:, None, None]
    wave = np.sin(speed * np.arange(STEPS) + rng.uniform(0, 2 * np.pi, (len(y), CHANNELS, 1)))
    X = wave + 0.5 * rng.standard_normal(wave.shape)
    # FILL IN: who holds each series.
    client = np.repeat([f"client {k}" for k in range(1, CLIENTS + 1)], EACH)
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    np.savez(OUTPUT, X=X, y=y, client=client)


if __name__ == "__main__":
    main()
