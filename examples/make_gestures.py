"""Example of a dataset: simulated strokes of 12 people, written as data/own/gestures.npz.

Five gestures (circle, zigzag, and swipes to the right, to the left and up) of 50 steps in the
plane, at changing pace and with an unsteady hand. Each person holds the device at an angle of their
own. People 7 to 12 make each gesture mirrored, so what is a swipe to the right for some is one to
the left for the others: there are two clusters of clients to be found, and one model for all cannot
be right.
"""

from pathlib import Path

import numpy as np

PEOPLE, EACH, STEPS = 12, 60, 50
OUTPUT = Path("data/own/gestures.npz")


def gesture(label: str, mirrored: bool, angle: float, rng: np.random.Generator) -> np.ndarray:
    """Draw a stroke ``[2, STEPS]``, turned by an angle in radians."""
    s = np.linspace(0, 1, STEPS) ** np.exp(rng.uniform(-0.5, 0.5))
    x, y = {
        "circle": (np.cos(2 * np.pi * s), np.sin(2 * np.pi * s)),
        "zigzag": (2 * s - 1, np.abs((6 * s) % 2 - 1)),
        "right": (2 * s - 1, 0 * s),
        "left": (1 - 2 * s, 0 * s),
        "up": (0 * s, 2 * s - 1),
    }[label]
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    stroke = turn @ np.stack([-x if mirrored else x, y]) * rng.uniform(0.7, 1.2)
    return stroke + 0.6 * rng.standard_normal(stroke.shape).cumsum(1) / STEPS**0.5


def main() -> None:
    """Write X, y (names of labels) and client."""
    rng = np.random.default_rng(0)
    labels = rng.choice(["circle", "zigzag", "right", "left", "up"], (PEOPLE, EACH))
    angles = rng.uniform(-0.3, 0.3, PEOPLE)
    X = [
        gesture(label, person >= PEOPLE // 2, angles[person], rng)
        for person, own in enumerate(labels)
        for label in own
    ]
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    np.savez(OUTPUT, X=X, y=labels.ravel(), client=np.repeat(np.arange(1, PEOPLE + 1), EACH))


if __name__ == "__main__":
    main()
