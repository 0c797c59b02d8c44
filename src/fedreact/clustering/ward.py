"""Ward's hierarchy of many clients, in the precision of their distances.

SciPy's takes distances in double precision, in an order in which half of what it reads for a client
lies far apart. From a few thousand clients on that is most of a round of clustering
(``python benchmarks/affect.py``). This is the same nearest-neighbour chain (Murtagh 1983; Müllner
2011, "Modern hierarchical, agglomerative clustering algorithms", section 3.2) on whole rows, which
are copied together when many clients have been merged.
"""

import numpy as np

COPIED = 0.5
"""Share of the rows that are left when they are copied together."""


def merges(distances: np.ndarray) -> np.ndarray:
    """Which two nodes are merged, from the smallest increase of the sum of squares on.

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
    of_row = np.arange(K)  # the client that stands for a row's cluster
    heights, pairs, chain = [], [], []
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
        pairs.append((of_row[last], of_row[other]))
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
            at = np.empty(len(D), np.int64)
            at[left] = np.arange(len(left))
            D, size, gone, of_row = D[left].take(left, axis=1), size[left], gone[left], of_row[left]
            chain = at[chain].tolist()
    return _as_nodes(np.array(pairs)[np.argsort(heights, kind="stable")], K)


def _as_nodes(pairs, K):
    """Pairs of clients that stand for clusters, in the order of their merging, as nodes."""
    parent, node, found = list(range(K)), list(range(K)), np.empty((K - 1, 2), np.int64)

    def root(client):
        while parent[client] != client:
            parent[client] = client = parent[parent[client]]
        return client

    for i, (a, b) in enumerate(pairs.tolist()):
        a, b = root(a), root(b)
        found[i] = node[a], node[b]
        parent[b], node[a] = a, K + i
    return found
