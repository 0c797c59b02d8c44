"""Example of a dataset: simulated strokes of 12 people, written as data/own/gestures.npz.

Four gestures (circle, zigzag, swipe right, swipe up) of 60 steps in the plane. People 1 to 6 make
them one way, people 7 to 12 mirrored, so there are two clusters of clients to be found.
"""

from pathlib import Path

import numpy as np

PEOPLE, EACH, STEPS = 12, 40, 60
OUTPUT = Path("data/own/gestures.npz")


def gesture(label: str, mirrored: bool, rng: np.random.Generator) -> np.ndarray:
    """Draw a stroke ``[2, STEPS]``."""
    s = np.linspace(0, 1, STEPS)
    x, y = {
        "circle": (np.cos(2 * np.pi * s), np.sin(2 * np.pi * s)),
        "zigzag": (2 * s - 1, np.abs((6 * s) % 2 - 1)),
        "right": (2 * s - 1, 0 * s),
        "up": (0 * s, 2 * s - 1),
    }[label]
    stroke = np.stack([-x if mirrored else x, y]) * rng.uniform(0.7, 1.2)
    return stroke + 0.1 * rng.standard_normal(stroke.shape).cumsum(1) / STEPS**0.5


def main() -> None:
    """Write X, y (names of labels) and client."""
    rng = np.random.default_rng(0)
    labels = rng.choice(["circle", "zigzag", "right", "up"], (PEOPLE, EACH))
    X = [
        gesture(label, person >= PEOPLE // 2, rng)
        for person, own in enumerate(labels)
        for label in own
    ]
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    np.savez(OUTPUT, X=X, y=labels.ravel(), client=np.repeat(np.arange(1, PEOPLE + 1), EACH))


if __name__ == "__main__":
    main()
