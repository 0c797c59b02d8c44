"""Architectures of the package as modules of torch's own layers, as most people write them.

Torch and the sources of the package are all that they need, so that other frameworks can train them
in environments of their own.
Each takes the architecture ``a`` that it is the plain form of.
"""

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.parametrizations import weight_norm

from fedreact.models.positions import sinusoids


class PlainLSTM(nn.Module):
    """Linear embedding, ``nn.LSTM``, linear head."""

    def __init__(self, a):
        super().__init__()
        self.embedding = nn.Linear(a.in_channels, a.embedding)
        self.lstm = nn.LSTM(a.embedding, a.hidden, batch_first=True)
        self.head = nn.Linear(a.hidden, a.n_out)

    def forward(self, x):
        """Return the logits of ``x [B, T, C]``."""
        return self.head(self.lstm(self.embedding(x))[0][:, -1])


class PlainBlock(nn.Module):
    """Two causal convolutions, padded on the left only, and a skip connection."""

    def __init__(self, n_in, n_out, kernel_size, dilation):
        super().__init__()
        layers = []
        for width in (n_in, n_out):
            conv = nn.Conv1d(width, n_out, kernel_size, dilation=dilation)
            padding = nn.ConstantPad1d(((kernel_size - 1) * dilation, 0), 0.0)
            layers += [padding, weight_norm(conv), nn.LeakyReLU()]
        self.causal = nn.Sequential(*layers)
        self.skip = nn.Conv1d(n_in, n_out, 1) if n_in != n_out else nn.Identity()

    def forward(self, x):
        """Map ``[B, n_in, T]`` to ``[B, n_out, T]``."""
        return self.causal(x) + self.skip(x)


class PlainCausalCNN(nn.Module):
    """Blocks of ``nn.Conv1d``, a maximum over time, two linear layers."""

    def __init__(self, a):
        super().__init__()
        e = a.encoder
        blocks = [PlainBlock(n_in, n_out, e.kernel_size, d) for n_in, n_out, d in e.blocks]
        linear = nn.Linear(e.reduced_size, e.out_channels), nn.Linear(e.out_channels, a.n_out)
        self.layers = nn.Sequential(*blocks, nn.AdaptiveMaxPool1d(1), nn.Flatten(), *linear)

    def forward(self, x):
        """Return the logits of ``x [B, T, C]``."""
        return self.layers(x.mT)


class PlainPatchTST(nn.Module):
    """Patches of normalised channels through ``nn.TransformerEncoder``."""

    def __init__(self, a):
        super().__init__()
        self.a = a
        self.patch = nn.Linear(a.patch, a.width, bias=False)
        layer = nn.TransformerEncoderLayer(
            a.width, a.heads, a.feed_forward, 0.0, "gelu", batch_first=True
        )
        self.encoder = nn.TransformerEncoder(
            layer, a.layers, nn.LayerNorm(a.width), enable_nested_tensor=False
        )
        self.head = nn.Linear(a.in_channels * a.n_patches * a.width, a.n_out)

    def forward(self, x):
        """Return the logits of ``x [B, T, C]``."""
        x = x.mT
        x = (x - x.mean(2, keepdim=True)) / torch.sqrt(x.var(2, keepdim=True, correction=0) + 1e-5)
        x = F.pad(x, (0, self.a.stride), mode="replicate").unfold(2, self.a.patch, self.a.stride)
        h = self.patch(x.flatten(0, 1))
        h = self.encoder(h + sinusoids(h.shape[1], h.shape[2], h.dtype, h.device))
        return self.head(h.reshape(len(x), -1))


class PlainCNN(nn.Sequential):
    """Three blocks of ``nn.Conv1d``, ``nn.BatchNorm1d``, a pooling of two steps; a linear head."""

    def __init__(self, a):
        layers, channels = [], a.in_channels
        for i, width in enumerate(a.widths):
            kernel, stride = (a.kernel, a.stride) if i == 0 else (8, 1)
            layers += [nn.Conv1d(channels, width, kernel, stride, kernel // 2, bias=False)]
            layers += [nn.BatchNorm1d(width), nn.ReLU(), nn.MaxPool1d(2, 2, 1)]
            layers += [nn.Dropout(a.drop)] if i == 0 else []
            channels = width
        super().__init__(
            *layers, nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(channels, a.n_out)
        )

    def forward(self, x):
        """Return the logits of ``x [B, T, C]``."""
        return super().forward(x.mT)


class PlainTimesNet(nn.Module):
    """The Time-Series-Library's TimesNet: each kernel of an inception block on its own."""

    def __init__(self, a):
        super().__init__()
        self.a = a

        def inception(n_in, n_out):
            return nn.ModuleList(nn.Conv2d(n_in, n_out, k, padding="same") for k in a.kernels)

        self.embedding = nn.Conv1d(
            a.in_channels, a.width, 3, padding=1, padding_mode="circular", bias=False
        )
        self.time = nn.Linear(a.time_features, a.width, bias=False)  # never called, as there
        self.blocks = nn.ModuleList(
            nn.ModuleList([inception(a.width, a.feed_forward), inception(a.feed_forward, a.width)])
            for _ in range(a.layers)
        )
        self.norm = nn.LayerNorm(a.width)
        self.head = nn.Linear(a.length * a.width, a.n_out)

    def forward(self, x):
        """Return the logits of ``x [B, T, C]``."""
        h = self.embedding(x.mT).mT
        h = h + sinusoids(self.a.length, self.a.width, h.dtype, h.device)
        for first, second in self.blocks:
            h = self.norm(self.times_block(h, first, second))
        return self.head(F.gelu(h).flatten(1))

    def times_block(self, h, first, second):
        """Add what the convolutions make of ``h [B, T, d]`` folded by its strongest periods."""
        (B, T, d), results = h.shape, []
        amplitude = torch.fft.rfft(h, dim=1).abs().mean(2)[:, 1:]
        top = amplitude.detach().mean(0).topk(self.a.top_k).indices
        for frequency in (top + 1).tolist():
            period = T // frequency
            padded = F.pad(h, (0, 0, 0, -T % period))
            picture = padded.reshape(B, -1, period, d).permute(0, 3, 1, 2).contiguous()
            y = F.gelu(torch.stack([conv(picture) for conv in first], -1).mean(-1))
            y = torch.stack([conv(y) for conv in second], -1).mean(-1)
            results.append(y.permute(0, 2, 3, 1).reshape(B, -1, d)[:, :T])
        weights = amplitude[:, top].softmax(1)[:, None, None]
        return (torch.stack(results, -1) * weights).sum(-1) + h


PLAIN = {
    "causal-cnn": PlainCausalCNN,
    "lstm": PlainLSTM,
    "timesnet": PlainTimesNet,
    "patchtst": PlainPatchTST,
    "cnn": PlainCNN,
}
