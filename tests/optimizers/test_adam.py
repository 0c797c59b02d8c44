"""Adam is torch's, to the bit, in either precision."""

import torch

from fedreact.optimizers.adam import Adam


def steps(make, dtype):
    generator = torch.Generator().manual_seed(0)
    weights = [torch.randn(3, 5, generator=generator).to(dtype).requires_grad_()]
    optimizer = make(weights)
    for _ in range(7):
        weights[0].grad = torch.randn(3, 5, generator=generator).to(dtype)
        optimizer.step()
    return weights[0].detach()


def test_it_is_torchs_to_the_bit():
    for dtype in (torch.float32, torch.float64):
        ours = steps(lambda w: Adam()(w, 0.01), dtype)
        theirs = steps(lambda w: torch.optim.Adam(w, lr=0.01, fused=True), dtype)
        assert torch.equal(ours, theirs)
