"""Adam is torch's, to the bit, and loads no compiler."""

import subprocess
import sys

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


def test_it_loads_no_compiler():
    code = (
        "import sys, torch; from fedreact.optimizers.adam import Adam; w = torch.ones(2);"
        "w.grad = torch.ones(2); Adam()([w], 0.1).step(); assert w[0] < 1;"
        "assert 'torch._dynamo' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
