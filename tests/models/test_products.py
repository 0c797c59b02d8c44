"""Large products by oneDNN: the same numbers and gradients as torch's."""

import pytest
import torch

from fedreact.models import products
from fedreact.models.products import by_onednn, linear

M, IN, OUT = 700, 90, 70  # 4.4 million multiply-adds


def made(K=2, m=M, dtype=torch.float32):
    generator = torch.Generator().manual_seed(0)
    shapes = (K, m, IN), (K, OUT, IN), (K, OUT)
    drawn = [torch.randn(s, generator=generator, dtype=torch.float64) for s in shapes]
    return [of.to(dtype).requires_grad_() for of in drawn]


@pytest.mark.parametrize("biased", [True, False])
def test_values_and_gradients_are_those_of_float64(biased):
    given = made()
    given = given if biased else given[:2]
    assert by_onednn(*given[:2])
    exact = [of.detach().double().requires_grad_() for of in given]
    assert not by_onednn(*exact[:2])
    weights = torch.randn(2, M, OUT, generator=torch.Generator().manual_seed(1))
    for of in (given, exact):
        (linear(*of) * weights.to(of[0])).sum().backward()
    torch.testing.assert_close(linear(*given).double(), linear(*exact), rtol=1e-4, atol=1e-4)
    for one, other in zip(given, exact):
        torch.testing.assert_close(one.grad.double(), other.grad, rtol=1e-4, atol=1e-3)


def test_a_client_has_the_same_bits_beside_any_others():
    x, weight, bias = (of.detach() for of in made(K=3))
    together = linear(x, weight, bias)
    for k in range(3):
        alone = linear(x[k : k + 1], weight[k : k + 1], bias[k : k + 1])
        assert torch.equal(alone[0], together[k])


def test_inputs_without_gradients_cost_none():
    x, weight, bias = made()
    x = x.detach()
    linear(x, weight, bias).sum().backward()
    assert x.grad is None
    assert weight.grad is not None


def test_small_products_stay_with_torch():
    x, weight, bias = made(m=10)
    assert not by_onednn(x, weight)
    expected = torch.baddbmm(bias[:, None], x, weight.mT)
    assert torch.equal(linear(x, weight, bias), expected)
    assert torch.equal(linear(x, weight), torch.bmm(x, weight.mT))


def test_without_onednn_all_is_torchs(monkeypatch):
    monkeypatch.setattr(products, "ONEDNN", None)
    x, weight, bias = made()
    assert torch.equal(linear(x, weight, bias), torch.baddbmm(bias[:, None], x, weight.mT))
