"""Theorems 1 to 4 of the dissertation's chapters 5 and 7: examples in which they are false.

The numbers are those of docs/theorems/async_theorems.md, which is read here.
"""

from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import ROOT

from fedreact.kinds.asynchronous.algorithms.aso_fed import ASOFed
from fedreact.kinds.asynchronous.algorithms.fedat import FedAT

PAGE = (ROOT / "docs/theorems/async_theorems.md").read_text()
ETA, T = 0.1, 100


def table(theorem):
    """Lines of the table of a theorem, as on the page; the first cell is a whole number."""
    (part,) = [p for p in PAGE.split("\n## ") if p.startswith(f"Theorem {theorem} ")]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]
    return [(int(first), *rest) for first, *rest in rows]


def excess(K, eta=ETA, steps=T):
    """F(w^t) - F* for t = 0 to T, of K equal clients with F = w^2 / 2, from F(w^0) - F* = 1."""
    w = np.sqrt(2) * (1 - eta / K) ** np.arange(steps + 1)
    return w**2 / 2


def bound(eta, steps=T):
    """Eq. 5.15 with mu = L = eps = V = 1, and the client's rate in gamma' as in its proof."""
    return (1 - 2 * (1 - eta / 2) * eta) ** steps


# --- Theorems 1 and 2


@pytest.mark.parametrize("K", [1, 2, 10, 30])
def test_the_example_is_what_the_server_of_aso_fed_does(K):
    """Eq. 5.4: one update of one of K equal clients moves the model by its share."""
    algorithm = ASOFed(features="none")
    w = np.ones(1, np.float32)
    clock = SimpleNamespace(held=np.full(K, 7))
    flight = SimpleNamespace(held=np.array([7]))
    uploads = {"theta": (w - ETA * w)[None].astype(np.float32)}  # a step on F = w^2 / 2
    after = algorithm.arrived(None, {"theta": w}, uploads, {"theta": w}, flight, clock)
    assert after["theta"][0] == pytest.approx(1 - ETA / K, rel=1e-6)


@pytest.mark.parametrize(("K", "true", "printed", "right"), table(1))
def test_theorem_1(K, true, printed, right):
    found, said = excess(K)[-1], bound(ETA)
    assert (f"{found:.2e}", f"{said:.2e}") == (true, printed)
    assert f"{bound(ETA / K):.2e}" == right
    assert found == pytest.approx(bound(ETA / K), rel=1e-9)  # with m, equality
    assert (found > 1.01 * said) == (K > 1)


@pytest.mark.parametrize("K", [1, 2, 10])
def test_theorem_1_as_printed_says_nothing(K):
    """gamma' = eps - L eta_k V^2 / 2 with eta_k = 2 eps N' / (L V^2 n'_k) is not positive."""
    gamma = 1 - Fraction(2 * K) / 2
    assert gamma == 1 - K <= 0
    assert 1 - 2 * gamma * Fraction(1, 10) >= 1
    assert ETA < 2 * K  # what the theorem asks of the rate


def test_what_the_proof_says_is_increasing_decreases():
    """-m (eps - L m V^2 / 2) after eq. 5.23, until m = eps / (L V^2)."""
    m = np.linspace(0, 2, 2001)
    value = -m * (1 - m / 2)
    assert m[value.argmin()] == pytest.approx(1)
    assert (np.diff(value[m <= 1]) < 0).all()


@pytest.mark.parametrize(("K", "left", "right", "with_m"), table(2))
def test_theorem_2(K, left, right, with_m):
    squares = excess(K, steps=20000)  # |grad F|^2 = w^2 = 2 F, from w = 1: F(w^0) - F* = 1 / 2
    total = squares[:-1].sum()
    assert f"{squares[0] / 2:.2f}" == right
    assert f"{ETA / 2 * total:.2f}" == left
    assert f"{ETA / K / 2 * total:.2f}" == with_m
    assert (ETA / 2 * total > squares[0] / 2) == (K > 1)
    assert ETA / K / 2 * total <= squares[0] / 2


# --- Theorem 3


@pytest.mark.parametrize(("steps", "recursion", "printed"), table(3))
def test_theorem_3_has_the_noise_of_one_step(steps, recursion, printed):
    rate, noise, value = 0.9, 0.01, 1.0
    for _ in range(steps):
        value = rate * value + noise  # eq. 7.24
    assert f"{value:.4f}" == recursion
    assert f"{rate**steps + noise:.4f}" == printed
    assert value == pytest.approx(rate**steps + noise / (1 - rate) * (1 - rate**steps))  # 7.26
    assert value > rate**steps + noise


def squares(steps, eta=Fraction(1, 10)):
    """E w^2 after each step along gradients w + 1 or w - 1, from w = 0."""
    found = [Fraction(0)]
    for _ in range(steps):
        found.append((1 - eta) ** 2 * found[-1] + eta**2)
    return found


def test_the_recursion_of_the_example_is_the_mean_over_all_that_may_happen():
    ends = []
    for signs in product((-1, 1), repeat=8):
        w = Fraction(0)
        for sign in signs:
            w -= (w + sign) / 10
        ends.append(w)
    assert sum(w**2 for w in ends) / len(ends) == squares(8)[-1]


def test_theorem_3_is_false():
    eta, all_squares = Fraction(1, 10), squares(200)
    most = Fraction(20, 19)
    assert max(all_squares) + 1 < most  # E|g|^2 = E w^2 + 1 <= gamma^2 G^2 c^2
    found = all_squares[-1] / 2
    printed = eta**2 * most / 2  # the first term is 0
    right = eta * most / 4 * (1 - (1 - 2 * eta) ** 200)  # mu = L = sigma = 1
    assert printed < found < right
    text = " ".join(PAGE.split())
    assert f"`E f` is {float(found):.4f}, and the printed bound is {float(printed):.4f}" in text
    assert f"in the example {float(right):.4f};" in text
    assert "`E|g|^2 <= 20 / 19`" in text


@pytest.mark.parametrize("gamma", [Fraction(1, 2), Fraction(9, 10), Fraction(1)])
def test_lemma_2_needs_gamma_1(gamma):
    """One client with F = w^2 / 2 at w = 1: grad h = grad F + lambda (w - w_0), and w is w_0."""
    w = w_0 = Fraction(1)
    g = w + Fraction(2, 5) * (w - w_0)
    assert (g**2 <= gamma**2 * w**2) == (gamma == 1)


def test_theorem_4_is_false_for_small_gamma():
    eta, steps, most = Fraction(1, 10), 2, Fraction(20, 19)
    left = sum(squares(steps)[:-1])  # |grad f|^2 = w^2, from w = 0
    right = {gamma: steps**2 * eta * gamma**2 * most / 2 for gamma in (Fraction(1, 5), 1)}
    assert right[Fraction(1, 5)] < left < right[1]
    assert left <= right[1] / steps  # with T for T^2
    text = " ".join(PAGE.split())
    assert f"left side is {float(left):.4f} after two steps" in text
    assert f"right side {float(right[Fraction(1, 5)]):.4f} with gamma = 0.2" in text


@pytest.mark.parametrize(("strength", "gamma"), [(Fraction(7), "0.2"), (Fraction(2, 5), "0.86")])
def test_which_lambda_has_the_gamma_of_the_example(strength, gamma):
    """Definition 9: |grad h(w)| <= gamma |grad F(w_0)| after a step of 0.1 on h from w_0."""
    w_0, noise, eta = Fraction(3), Fraction(1), Fraction(1, 10)
    gradient = w_0 + noise
    w = w_0 - eta * gradient
    left = abs(w + noise + strength * (w - w_0)) / abs(gradient)
    assert left == Fraction(gamma)
    right = 4 * eta * left**2 * Fraction(20, 19) / 2
    text = " ".join(PAGE.split())
    if gamma == "0.2":
        assert "gamma = 0.2 for lambda = 7" in text
    else:
        assert f"lambda of 0.4 gamma is 0.86, the right side {float(right):.4f}" in text


@pytest.mark.parametrize("M", [2, 3, 4, 5])
def test_b_of_theorem_3_is_0_before_a_middle_tier_has_answered(M):
    algorithm, updates = FedAT(), np.zeros(M, int)
    for tier in range(M):
        updates[tier] += 1
        assert (algorithm.shares(updates)[: tier + 1] > 0).any() == (tier >= M // 2)
