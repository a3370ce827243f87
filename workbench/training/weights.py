"""Load a checkpoint's tensors into their modules, to resume training or to evaluate."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.core.errors import BadRun

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.models.encoder import Encoder


def load_weights(encoder: "Encoder", head: "nn.Module | None", weights: Mapping[str, "Tensor"]) -> None:
    """Put a checkpoint's tensors into an encoder and, if given, a head.

    Raises:
        BadRun: names or shapes differ.
    """
    for prefix, module in (("backbone.", encoder.backbone), ("head.", head)):
        if module is not None:
            fill(prefix, module, weights)


def fill(prefix: str, module: "nn.Module", weights: Mapping[str, "Tensor"]) -> None:
    """Load the tensors whose names begin with `prefix` into a module.

    Raises:
        BadRun: names or shapes differ.
    """
    own = {name.removeprefix(prefix): tensor for name, tensor in weights.items() if name.startswith(prefix)}
    own |= {name: own[first] for name, first in first_names(module).items() if name not in own and first in own}
    try:
        module.load_state_dict(own)
    except RuntimeError as error:
        raise BadRun(f"The checkpoint does not fit the model: {str(error).splitlines()[-1].strip()}") from None


def first_names(module: "nn.Module") -> dict[str, str]:
    """For each name, the first name of its tensor: a tensor with several names is stored once, under the first."""
    first: dict[tuple[int, tuple[int, ...]], str] = {}
    return {
        name: first.setdefault((tensor.data_ptr(), tuple(tensor.shape)), name) if tensor.numel() else name
        for name, tensor in module.state_dict().items()
    }
