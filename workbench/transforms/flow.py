"""A normalising flow: an invertible map to a space where the vectors are normally distributed, fitted by likelihood."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob, Method

if TYPE_CHECKING:
    from sklearn.base import TransformerMixin


def flow(
    *,
    blocks: Annotated[int, Knob(1, 32, 1, "Steps of the flow; the published one has 3 levels of 3.")] = 9,
    width: Annotated[int, Knob(4, 512, 4, "Hidden units of each coupling's network.")] = 32,
    epochs: Annotated[int, Knob(1, 50, 1, "Passes over the texts it is fitted on.")] = 1,
    learning_rate: Annotated[float, Knob(1e-6, 0.1, 1e-6, "Learning rate of Adam.")] = 1e-3,
    seed: Annotated[
        int, Knob(0, 2**31 - 1, 1, "Seed of the permutations, the networks and the order of the texts.")
    ] = 0,
) -> "TransformerMixin":
    """A transformer whose blocks normalise, permute, and add to one half of the dimensions a function of the other half.

    Each block normalises every dimension, permutes them by the seed, and computes that function with a small network. Fitting
    maximises the likelihood of the vectors, in nats, under a standard normal distribution of the mapped ones; the encoder is
    not changed. Normalisation starts at mean 0 and variance 1, couplings start at zero, and only normalisation changes
    volumes. At most 5,000 updates of 64 texts. This is a compact Glow: the published one also splits its dimensions into
    levels. Vectors (n, dim) keep their dimensions and dtype. Fitting raises BadData for vectors of a single dimension.

    Prefer it over `whitening` where a linear map is not enough and more texts than dimensions are at hand; it takes training,
    and its result depends on the seed.

    >>> import numpy as np
    >>> rows = np.random.default_rng(0).normal(3.0, 2.0, size=(500, 4))
    >>> fitted = flow(blocks=2).fit(rows)
    >>> bool(np.abs(fitted.inverse_transform(fitted.transform(rows)) - rows).max() < 1e-4)
    True
    """
    from workbench.transforms._glow import Glow

    return Glow(blocks=blocks, width=width, epochs=epochs, learning_rate=learning_rate, seed=seed)


METHOD = Method(
    flow,
    title="Flow (compact Glow, additive coupling)",
    source="Li et al. 2020 (BERT-flow), https://aclanthology.org/2020.emnlp-main.733; Kingma and Dhariwal 2018 (Glow), "
    "arXiv:1807.03039",
    formula=r"\max_f \; \log N(f(x); 0, I) + \log \left| \det \tfrac{\partial f}{\partial x} \right|",
    tags={"fitted": "yes", "done": "through a flow", "progress": "yes", "texts": "dimensions"},
)
