"""Theorem 1 of Fed-REACT, measured: time-smoothed gradient descent of a linear encoder (section 3).

With noise of mean 0, independent in the two views, the loss of section 3 is
``f_SSL(theta) = (||X - theta^T theta||_F^2 - ||X||_F^2) / 2``. We use the loss that the paper uses
from there on, ``f(theta) = ||X - theta^T theta||_F^2``. Jin et al. (2017) show that it is
16 Gamma-smooth where ``||theta||_2^2 <= Gamma``.

The regret ``S_t(theta_t) = (1 / W) sum_j gamma^j f_{t-j}(theta_{t-j})`` has a model for each term.
As in Aydore et al. (2019), its gradient "at theta_t" is the same sum of the terms' gradients, and
f_t = 0 for t < 1.

Encoders are ``[..., m, d]``, covariances ``[..., d, d]``: m features, d inputs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from fedreact.errors import UserError
from fedreact.options import Count, Share, Sizes
from fedreact.rng import generator

Floats = npt.NDArray[np.float64]


def loss(theta: Floats, X: Floats) -> Floats:
    """Compute ``||X - theta^T theta||_F^2``, ``[...]``."""
    return np.square(X - theta.mT @ theta).sum((-2, -1))


def gradient(theta: Floats, X: Floats) -> Floats:
    """Compute ``4 theta (theta^T theta - X)``, ``[..., m, d]``; stochastic for a minibatch's X.

    It is linear in X, so the mean over clients is the gradient at their mean covariance.
    """
    slope: Floats = 4 * theta @ (theta.mT @ theta - X)
    return slope


def covariance(x: Floats) -> Floats:
    """Compute ``X_k = (1 / N) sum_i x_i x_i^T`` of ``x [..., N, d]``."""
    X: Floats = x.mT @ x / x.shape[-2]
    return X


def project(theta: Floats, region: float) -> Floats:
    """Return the nearest point with ``||theta||_2^2 <= region``: singular values are cut off."""
    u, s, v = np.linalg.svd(theta, full_matrices=False)
    return (u * np.minimum(s, region**0.5)[..., None, :]) @ v


@dataclass(frozen=True)
class Constants:
    """The numbers of Assumption 1.

    Attributes
    ----------
    M, beta, sigma2
        Bounds in the whole region, over all clients and rounds, of the loss, its smoothness, and
        the variance of a client's stochastic gradient ("standard deviation" in the paper).
    epsilon2
        Largest squared projection error of the run; 0 before a run.
    """

    M: float
    beta: float
    sigma2: float
    epsilon2: float = 0.0

    @property
    def eta(self) -> float:
        """The step of the proof; the text of the theorem has 1 / 3."""
        return 1 / self.beta


def smoothness(region: float) -> float:
    """Return 16 Gamma (Jin et al. 2017), in the region and where ``lambda_1(X) <= 2 Gamma``.

    The Hessian's form, ``2 ||theta^T U + U^T theta||^2 + 4 <theta^T theta - X, U^T U>``, is at most
    ``8 Gamma + 4 max(Gamma, lambda_1(X))`` for ``||U|| = 1``.
    """
    return 16 * region


def largest_loss(X: Floats, m: int, region: float) -> Floats:
    """Compute the exact maximum of the loss in the region, ``[...]``.

    The loss is convex in ``theta^T theta``, so a maximum is at an extreme point: Gamma times a
    projector of rank at most m, on those of the smallest eigenvalues that raise the loss.
    """
    smallest = np.linalg.eigvalsh(X)[..., :m]
    return np.square(X).sum((-2, -1)) + np.maximum(region**2 - 2 * region * smallest, 0).sum(-1)


def largest_variance(x: Floats, batch: int, m: int, region: float) -> Floats:
    """Compute the exact maximum in the region of the stochastic gradient's variance, ``[...]``.

    The noise of ``batch`` of the samples ``x [..., N, d]``, drawn with replacement, is
    ``4 theta (X - X_batch)``; its variance is ``16 tr(theta V theta^T)`` with
    ``V = E[(X - X_batch)^2]``.
    """
    X = covariance(x)
    V = (covariance(x * np.linalg.vector_norm(x, axis=-1, keepdims=True)) - X @ X) / batch
    return 16 * region * np.linalg.eigvalsh(V)[..., -m:].sum(-1)


@dataclass(frozen=True)
class Problem:
    """Data of K clients in T rounds; only these covariances matter to the algorithm.

    Attributes
    ----------
    X, X_batch
        ``[T, K, d, d]``: covariances of all of a client's samples, and of its minibatch.
    start
        ``[m, d]`` first encoder.
    region
        Gamma; 1, by the unit of x.
    constants
        Constants without epsilon.
    """

    X: Floats
    X_batch: Floats
    start: Floats
    region: float
    constants: Constants


def draw(
    seed: int,
    clients: int = 10,
    rounds: int = 500,
    dimension: int = 8,
    features: int = 3,
    samples: int = 64,
    batch: int = 16,
) -> Problem:
    """Draw data that drifts: Gaussian samples whose mixing turns once in all rounds.

    Half of a client's mixing is its own; each input of the mixing has half the scale of the last.

    Raises
    ------
    UserError
        A number is below 1, or there are more features than inputs.
    """
    sizes = {"clients": clients, "rounds": rounds, "dimension": dimension, "features": features}
    for name, value in (sizes | {"samples": samples, "batch": batch}).items():
        if value < 1:
            raise UserError(f"theorem1: {name} is {value}; it must be at least 1")
    if features > dimension:
        raise UserError(f"theorem1: {features} features of {dimension} inputs; at most {dimension}")
    rng = generator(seed, "theorem1")
    scale = 0.5 ** np.arange(dimension)[:, None]
    # Two ends of the turn: [2, 1 or K, d, d].
    common, own = (rng.normal(size=(2, n, dimension, dimension)) for n in (1, clients))
    ends = scale * (common + own)
    angle = 2 * np.pi * np.arange(rounds)[:, None, None, None] / rounds
    mixing = np.cos(angle) * ends[0] + np.sin(angle) * ends[1]
    x = rng.normal(size=(rounds, clients, samples, dimension)) @ mixing
    chosen = rng.integers(samples, size=(rounds, clients, batch))
    X = covariance(x)
    # Gamma is at least lambda_1 of the clients' mean, as in the paper, and half that of any client,
    # for the smoothness of its own loss. The unit of x is such that the least Gamma is 1.
    unit = max(_largest_eigenvalue(X.mean(1)), _largest_eigenvalue(X) / 2)
    x, X, region = x / unit**0.5, X / unit, 1.0
    X_batch = covariance(np.take_along_axis(x, chosen[..., None], -2))
    start = rng.normal(size=(features, dimension))
    start /= 2 * np.linalg.matrix_norm(start, ord=2)
    constants = Constants(
        M=float(largest_loss(X, features, region).max()),
        beta=smoothness(region),
        sigma2=float(largest_variance(x, batch, features, region).max()),
    )
    return Problem(X, X_batch, start, region, constants)


def _largest_eigenvalue(X: Floats) -> float:
    return float(np.linalg.eigvalsh(X)[..., -1].max())


def weights(w: int, gamma: float) -> Floats:
    """Compute ``gamma^j / W``, ``[w]``."""
    powers = np.asarray(gamma ** np.arange(w), dtype=np.float64)
    return powers / powers.sum()


def theorem_bound(c: Constants, w: int, gamma: float) -> float:
    """Compute the right side of Theorem 1 as printed, which is for ``gamma -> 1``.

    Below 1, it has that gamma's W. The proof does not give it: see :func:`finite_bound`. 5 / 8 is a
    slip for 5 (5 eta / 8 is divided by eta / 8), and no factor below 1 can hold: where a linear
    loss has pushed the model to the border, gradient and projection error are equal, and W may be
    as large as one likes.
    """
    return float((64 * c.beta * c.M + 2 * c.sigma2) * weights(w, gamma)[0] + 5 / 8 * c.epsilon2)


def finite_bound(c: Constants, w: int, gamma: float) -> float:
    """Compute the first line of the proof after ``eta = 1 / beta``, for any gamma.

    The right sides of Lemmas 2 and 3 are 2 M, whatever w and gamma, so 1 / W cancels. The first
    step of Lemma 1 holds for w = 1 only: it takes S_t to be a function of one model. From there,
    with nothing dropped, one gets 8 beta M + 2 sigma^2 + 2 epsilon^2.
    """
    return 32 * c.beta * c.M + _rest(c, w, gamma)


def last_finite_bound(c: Constants, w: int, gamma: float) -> float:
    """Compute the last line of the proof before the limit; it goes to infinity."""
    if gamma == 1:
        return np.inf
    sums = (2 - gamma**w + gamma ** (w - 1)) / (1 - gamma)
    return float(32 * c.beta * c.M * weights(w, gamma)[0] * sums + _rest(c, w, gamma))


def _rest(c: Constants, w: int, gamma: float) -> float:
    """Compute the terms of sigma and epsilon."""
    return float(2 * c.sigma2 * np.square(weights(w, gamma)).sum() + 5 / 8 * c.epsilon2)


def certain_bound(c: Constants) -> float:
    """Compute the bound at any point for any w and gamma: ``||grad f||^2 <= 16 Gamma f <= beta M``.

    Theorem 1 says more than this only where W > 64.
    """
    return c.beta * c.M


@dataclass(frozen=True)
class Result:
    """One run.

    Attributes
    ----------
    measured
        Average over t of ``||grad S_t(theta_t)||^2``, the left side of Theorem 1.
    bound
        Its right side.
    constants
        Constants with epsilon of this run.
    thetas
        ``[T + 1, m, d]``: global models.
    """

    measured: float
    bound: float
    constants: Constants
    thetas: Floats


def run(problem: Problem, w: int, gamma: float) -> Result:
    """Run time-smoothed gradient descent with stored gradients (update rule of section 3).

    Each client's smoothed step is projected as a whole, so that the model stays in the region:
    steps of projected gradients of past models could leave it. For w = 1 the two are the same.

    Raises
    ------
    UserError
        ``w`` or ``gamma`` is out of its range.
    """
    from scipy.signal import lfilter  # the workflow asks studies for options, and starts often

    T, K = problem.X.shape[:2]
    if not 1 <= w <= T:
        raise UserError(f"theorem1: w is {w}; it must be between 1 and the number of rounds, {T}")
    if not 0 < gamma <= 1:
        raise UserError(f"theorem1: gamma is {gamma}; it must be above 0, at most 1")
    eta, a = problem.constants.eta, weights(w, gamma)
    thetas = np.empty((T + 1, *problem.start.shape))
    thetas[0] = problem.start
    stochastic = np.empty((T, K, *problem.start.shape))
    epsilon2 = 0.0
    for t, theta in enumerate(thetas[:-1]):
        stochastic[t] = gradient(theta, problem.X_batch[t])
        past = stochastic[max(t - w + 1, 0) : t + 1]
        smoothed = np.tensordot(a[: len(past)][::-1], past, 1)
        local = project(theta - eta * smoothed, problem.region)
        error = (theta - local) / eta - smoothed
        epsilon2 = max(epsilon2, float(np.square(error).sum((-2, -1)).max()))
        thetas[t + 1] = local.mean(0)
    exact = gradient(thetas[:-1], problem.X.mean(1))
    measured = np.square(lfilter(a, 1.0, exact, axis=0)).sum((-2, -1)).mean()
    c = problem.constants
    constants = replace(c, epsilon2=epsilon2)
    return Result(float(measured), theorem_bound(constants, w, gamma), constants, thetas)


@dataclass(frozen=True)
class Theorem1:
    """Does Theorem 1 hold, and how loose is it? A line for each seed, w and gamma.

    Attributes
    ----------
    windows
        Windows w.
    decays
        Decays gamma.
    clients, rounds
        Numbers of clients K and of rounds T.
    dimension
        Inputs d of the encoder.
    features
        Outputs m of the encoder.
    """

    windows: Sizes = (1, 2, 5, 10, 20, 50, 100)
    decays: tuple[Share, ...] = (0.7, 0.9, 0.99, 1.0)
    clients: Count = 10
    rounds: Count = 500
    dimension: Count = 8
    features: Count = 3

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "seed",
        "w",
        "gamma",
        "measured",
        "bound",
        "M",
        "beta",
        "sigma2",
        "epsilon2",
        "eta",
    )

    def run(self, seeds: Sequence[int]) -> Iterator[Sequence[Any]]:
        """Run all windows and decays of all seeds."""
        for seed in seeds:
            problem = draw(seed, self.clients, self.rounds, self.dimension, self.features)
            for w in self.windows:
                for gamma in self.decays:
                    result = run(problem, w, gamma)
                    c = result.constants
                    numbers = (result.measured, result.bound, c.M, c.beta, c.sigma2, c.epsilon2)
                    yield [seed, w, gamma, *(f"{n:.6e}" for n in (*numbers, c.eta))]


STUDY = Theorem1
