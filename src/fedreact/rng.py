"""Random generators derived from the configured seed; nothing uses global state.

Each piece of work has its own stream, keyed by what it is (seed, purpose, round, client, ...),
so the order in which work is done, and by how many processes, changes no number.
"""

import zlib

import numpy as np

from fedreact.errors import UserError


def generator(seed: int, purpose: str, *keys: int) -> np.random.Generator:
    """Return the generator of one piece of work.

    Parameters
    ----------
    seed
        The seed from the config.
    purpose
        What the numbers are for, e.g. ``"partition"``; streams of different purposes are
        independent.
    keys
        Non-negative integers that tell apart the pieces of one purpose, e.g. round and client.
    """
    if seed < 0:
        raise UserError(f"seed is {seed}; it must be 0 or more")
    # As a spawn key, a sequence that ends in zeros is not taken for a shorter one.
    key = (zlib.crc32(purpose.encode()), *keys)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
