"""Ward's hierarchy of many clients, in the precision of their distances.

SciPy's version needs double precision, and an order in which half of a client's distances lie far
apart in memory. From a few thousand clients on that is most of a round of clustering
(``python benchmarks/affect.py``). This is the same nearest-neighbour chain (Murtagh 1983; Müllner
2011, "Modern hierarchical, agglomerative clustering algorithms", section 3.2) on whole rows, which
are copied together when many clients have been merged.
"""

import numpy as np

COPIED = 0.5
"""Share of the rows that are left when they are copied together."""


def merges(distances: np.ndarray) -> np.ndarray:
    """List merges of two nodes, from the smallest increase of the sum of squares on.

    Parameters
    ----------
    distances
        ``[K, K]`` squared distances of the clients, symmetric; they are overwritten.

    Returns
    -------
    numpy.ndarray
        ``int64 [K - 1, 2]``. Nodes 0 to K - 1 are the clients; row i makes node K + i.
    """
    D, K = distances, len(distances)
    np.fill_diagonal(D, np.inf)
    size, gone = np.ones(K, D.dtype), np.zeros(K, D.dtype)
    client = np.arange(K)  # one client of each row's cluster stands for it
    heights: list[float] = []
    pairs: list[tuple[int, int]] = []
    chain: list[int] = []
    while len(pairs) < K - 1:
        if not chain:
            chain.append(int(gone.argmin()))
        last = chain[-1]
        row = D[last] + gone
        nearest = int(row.argmin())
        if len(chain) < 2 or row[chain[-2]] > row[nearest]:
            chain.append(nearest)
            continue
        # The last two are each other's nearest: Lance and Williams's formula for Ward.
        height, other = row[chain[-2]], chain[-2]
        del chain[-2:]
        heights.append(height)
        pairs.append((client[last], client[other]))
        new = (size + size[last]) * row
        new += (size + size[other]) * D[other]
        new -= size * height
        size[last] += size[other]
        new /= size + size[last]
        new[[last, other]] = np.inf
        D[last] = D[:, last] = new
        gone[other] = np.inf
        if K - len(pairs) < COPIED * len(D) and len(D) > 64:
            left = np.flatnonzero(gone == 0)
            row_after = np.empty(len(D), np.int64)
            row_after[left] = np.arange(len(left))
            D, size, gone, client = D[left].take(left, axis=1), size[left], gone[left], client[left]
            chain = row_after[chain].tolist()
    return _as_nodes(np.array(pairs)[np.argsort(heights, kind="stable")], K)


def _as_nodes(pairs: np.ndarray, K: int) -> np.ndarray:
    """Return the nodes of pairs of clients that stand for clusters, in the order of merging."""
    parent, node, nodes = list(range(K)), list(range(K)), np.empty((K - 1, 2), np.int64)

    def root(client: int) -> int:
        while parent[client] != client:
            parent[client] = client = parent[parent[client]]
        return client

    for i, (a, b) in enumerate(pairs.tolist()):
        a, b = root(a), root(b)
        nodes[i] = node[a], node[b]
        parent[b], node[a] = a, K + i
    return nodes
