"""The model of FedST: an encoder and a projector of each view, and one classifier (section 4.2)."""

from dataclasses import dataclass, replace
from math import prod, sqrt
from typing import Any, ClassVar

import torch

from fedreact.models.flat import FlatWeights, Shapes
from fedreact.models.layers import Training, linear

TIME, FREQUENCY = "time", "frequency"


@dataclass(frozen=True)
class TwoViews(FlatWeights):
    """Encoders f(theta_f^v) of views v, projectors of their features, and a linear classifier.

    Attributes
    ----------
    base
        Architecture of the encoders, without its head, each with weights of its own.
    views
        ``time`` and ``frequency``, or the former alone.
    hidden, projected
        Hidden units of a projector, and numbers r of a shared and of a personal projection.
    spectrum
        What the frequency view is (:func:`spectrum`).
    """

    base: Any
    views: tuple[str, ...] = (TIME, FREQUENCY)
    hidden: int = 256
    projected: int = 128
    spectrum: str = "amplitude"
    trains_otherwise: ClassVar[bool] = True

    @property
    def n_out(self) -> int:
        """Labels."""
        return self.base.n_out

    @property
    def n_features(self) -> int:
        """Length of the features of all views side by side, which the classifier reads."""
        return len(self.views) * self.base.n_features

    @property
    def in_channels(self) -> int:
        """Channels of series."""
        return self.base.in_channels

    @property
    def length(self) -> int:
        """Steps of series."""
        return self.base.length

    def encoder(self, view: str) -> Any:
        """Return the architecture of a view's encoder."""
        if view == TIME or self.spectrum == "full":
            return self.base
        return replace(self.base, length=self.base.length // 2 + 1)

    @property
    def shapes(self) -> Shapes:
        """Name and shape of each weight, in the order of the flat vector."""
        m, n = self.base.n_features, 2 * self.projected
        shapes: Shapes = {}
        for view in self.views:
            of_encoder = self.encoder(view).shapes
            shapes |= {f"{view}.{k}": s for k, s in of_encoder.items() if not _in_head(k)}
        for view in self.views:
            shapes |= {
                f"{view}.hidden.weight": (self.hidden, m),
                f"{view}.hidden.bias": (self.hidden,),
            }
            shapes |= {f"{view}.out.weight": (n, self.hidden), f"{view}.out.bias": (n,)}
        head = {"head.weight": (self.n_out, self.n_features), "head.bias": (self.n_out,)}
        return shapes | head

    @property
    def buffers(self) -> Shapes:
        """Running statistics of the encoders."""
        return {
            f"{view}.{name}": shape
            for view in self.views
            for name, shape in self.encoder(view).buffers.items()
        }

    def multiply_adds(self) -> float:
        """Count multiply-adds of encoders, projectors and classifier for one series."""
        m, head = self.base.n_features, self.base.n_features * self.n_out
        projector = m * self.hidden + self.hidden * 2 * self.projected
        encoders = sum(self.encoder(view).multiply_adds() - head for view in self.views)
        return encoders + len(self.views) * projector + self.n_features * self.n_out

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]``: of encoders as theirs are, of the rest as torch's are."""
        drawn: dict[str, torch.Tensor] = {}
        for view in self.views:
            encoder = self.encoder(view)
            weights = encoder.unpack(encoder.init(generator)[None])
            drawn |= {f"{view}.{name}": values.flatten() for name, values in weights.items()}
        for name, shape in self.shapes.items():
            if name not in drawn:
                fan_in = self.shapes[name.replace("bias", "weight")][1]
                draw = torch.rand(prod(shape), generator=generator)
                drawn[name] = (draw * 2 - 1) / sqrt(fan_in)
        return torch.cat([drawn[name] for name in (*self.shapes, *self.buffers)])

    def encode_views(
        self, theta: torch.Tensor, x: torch.Tensor, training: Training | None = None
    ) -> list[torch.Tensor]:
        """Compute features z^v ``[K, B, m]`` of each view of series ``x [K, B, T, C]``."""
        w, features = self.unpack(theta), []
        for view in self.views:
            encoder = self.encoder(view)
            parts = [
                w[f"{view}.{name}"].flatten(1)
                if not _in_head(name)
                else theta.new_zeros(len(theta), prod(shape))
                for name, shape in {**encoder.shapes, **encoder.buffers}.items()
            ]
            of_view = None if training is None else training.part()
            inputs = x if view == TIME else spectrum(x, self.spectrum)
            features.append(encoder.encode(torch.cat(parts, 1), inputs, of_view))
            if training is not None and of_view is not None:
                training.buffers |= {f"{view}.{n}": v for n, v in of_view.buffers.items()}
        return features

    def project(
        self, theta: torch.Tensor, view: str, z: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Project features: shared and personal projections h^s, h^p ``[K, B, r]``, of length 1."""
        w = self.unpack(theta)
        h = linear(linear(z, w, f"{view}.hidden").relu(), w, f"{view}.out")
        shared, personal = h.split(self.projected, -1)
        return _unit(shared), _unit(personal)

    def head(self, theta: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of the features of all views side by side."""
        return linear(h, self.unpack(theta), "head")

    def forward(
        self, theta: torch.Tensor, x: torch.Tensor, training: Training | None = None
    ) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of series ``x [K, B, T, C]``."""
        return self.head(theta, torch.cat(self.encode_views(theta, x, training), -1))


def spectrum(x: torch.Tensor, kind: str = "amplitude") -> torch.Tensor:
    """Compute the frequency view of series ``x [..., T, C]`` (eq. 5): ``[..., T // 2 + 1, C]``.

    ``amplitude`` is |X[k]| / T; ``log`` is log(1 + |X[k]|); ``full`` has all T frequencies, the
    second half of which mirrors the first (``frequency-view`` in config/papers/fedst/ledger.yaml).
    """
    amplitude = (torch.fft.fft if kind == "full" else torch.fft.rfft)(x, dim=-2).abs()
    return amplitude.log1p() if kind == "log" else amplitude / x.shape[-2]


def _in_head(name: str) -> bool:
    return name.startswith("head.")


def _unit(h: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.normalize(h, dim=-1)
