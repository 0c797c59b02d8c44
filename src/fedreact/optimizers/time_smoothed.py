"""The steps of DTSSGD (Aydore, Zhu and Foster 2019, Algorithm 2) for torch.

    theta_{t+1} = theta_t - (eta / W) sum_{j=0}^{w-1} gamma^j g_{t-j}(theta_{t-j}),

W = sum_{j=0}^{w-1} gamma^j, with window w and decay gamma.
"""

import torch

from fedreact.errors import UserError


class TimeSmoothedSGD(torch.optim.Optimizer):
    """SGD along the decayed mean of the last gradients.

    Parameters
    ----------
    window, decay
        w and gamma. Gradients before the first step count as zero.
    """

    def __init__(self, params, lr: float, window: int, decay: float):
        if window < 1 or not 0 < decay <= 1:
            raise UserError(
                f"window is {window} and decay {decay}; use a window of at least 1 and a decay in "
                "(0, 1]"
            )
        super().__init__(params, {"lr": lr, "window": window, "decay": decay})

    @torch.no_grad()
    def step(self):
        """Take one step; the gradients of the window are kept, not recomputed."""
        for group in self.param_groups:
            weights = group["decay"] ** torch.arange(group["window"], dtype=torch.float64)
            weights = (weights / weights.sum()).tolist()
            for p in group["params"]:
                past = self.state[p].setdefault("gradients", [])
                past.insert(0, p.grad.clone())
                del past[group["window"] :]
                for weight, gradient in zip(weights, past):
                    p.add_(gradient, alpha=-group["lr"] * weight)
