"""Saves an encoder as a folder from which sentence-transformers and `load` reproduce the same vectors."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core import presets
from workbench.core.errors import BadModel
from workbench.core.writing import write_text
from workbench.models.layout import ACTIVATIONS, CONFIG, MODES, averaged_layers, read_json
from workbench.models.load import quiet
from workbench.models.prompts import FILE as PROMPTS
from workbench.models.tensors import save_tensors
from workbench.pooling import METHODS as POOLINGS

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.models.encoder import Encoder


def exportable(pooling: str, head: str = "") -> str:
    """Empty if sentence-transformers can express this pooling and head, else one sentence that says why not.

    Every head can be expressed, by Dense modules: in eval mode batch normalisation is part of the layer before it.

    >>> exportable("mean"), exportable("cls", "mlp")
    ('', '')
    >>> exportable("static")
    'Pooling static leaves the layers out, which a sentence-transformers folder cannot express.'
    """
    tags = POOLINGS[pooling].tags if pooling in POOLINGS else {}
    if "export" in tags or "averaged" in tags:
        return ""
    why = tags.get("not_exported", "is unknown to it")
    return f"Pooling {pooling} {why}, which a sentence-transformers folder cannot express."


def save(encoder: "Encoder", folder: "str | Path") -> None:
    """Writes weights (safetensors), tokenizer, pooling, kept head, maximum length and prompt to `folder`.

    Raises:
        BadModel: the pooling or head cannot be expressed; in that case nothing is written.
    """
    import torch

    if reason := exportable(encoder.pooling):
        raise BadModel(reason, way_out="Evaluate with mean or cls to export.")
    encoder.check_pooling(encoder.pooling)
    dense = dense_layers(encoder.head)
    tags = POOLINGS[encoder.pooling].tags
    if tags.get("needs") == "pooler layer":
        pooler: nn.Linear = getattr(encoder.backbone, "pooler").dense  # noqa: B009
        dense.insert(0, (pooler.weight, pooler.bias, "Tanh"))
    root = Path(folder)
    save_backbone(encoder, root)
    modules = [("", "Transformer")]
    _write(root / "sentence_bert_config.json", {"max_seq_length": encoder.max_length, "do_lower_case": False})
    width = int(encoder.backbone.config.hidden_size)
    if counts := averaged_layers(encoder.pooling, layers := int(encoder.backbone.config.num_hidden_layers)):
        start = next(index for index, weight in enumerate(counts) if weight)
        path = f"{len(modules)}_WeightedLayerPooling"
        config = {"word_embedding_dimension": width, "layer_start": start, "num_hidden_layers": layers}
        _write(root / path / CONFIG, config)
        weights = torch.tensor(counts[start:], dtype=torch.float32)
        save_tensors(root / path / "model.safetensors", {"layer_weights": weights}, {"format": "pt"})
        # sentence-transformers passes the states of all layers on only if the model's own configuration asks for them.
        _write(root / CONFIG, {**read_json(root / CONFIG), "output_hidden_states": True})
        modules.append((path, "WeightedLayerPooling"))
    path = f"{len(modules)}_Pooling"
    over_tokens = tags.get("export") or POOLINGS[presets.POOLING].tags["export"]
    flags = {flag: mode == over_tokens for flag, mode in MODES.items()}
    included = encoder.prompt is None or encoder.prompt.pooled
    _write(root / path / CONFIG, {"word_embedding_dimension": width, **flags, "include_prompt": included})
    modules.append((path, "Pooling"))
    for weight, bias, activation in dense:
        path = f"{len(modules)}_Dense"
        module = "linear.Identity" if activation == "Identity" else f"activation.{activation}"
        shape = {
            "in_features": weight.shape[1],
            "out_features": weight.shape[0],
            "bias": bias is not None,
            "activation_function": f"torch.nn.modules.{module}",
        }
        _write(root / path / CONFIG, shape)
        tensors = {"linear.weight": weight} if bias is None else {"linear.weight": weight, "linear.bias": bias}
        fp32 = {key: tensor.to(torch.float32) for key, tensor in tensors.items()}
        save_tensors(root / path / "model.safetensors", fp32, {"format": "pt"})
        modules.append((path, "Dense"))
    if encoder.normalise:
        path = f"{len(modules)}_Normalize"
        (root / path).mkdir(exist_ok=True)
        modules.append((path, "Normalize"))
    listed = [
        {"idx": index, "name": str(index), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for index, (path, kind) in enumerate(modules)
    ]
    _write(root / "modules.json", listed)
    about: dict[str, object] = {"similarity_fn_name": "cosine"}
    if encoder.prompt is not None:
        name = encoder.prompt.name
        about |= {"prompts": {name: encoder.prompt.text}, "default_prompt_name": name}
    _write(root / PROMPTS, about)


def save_backbone(encoder: "Encoder", folder: "str | Path") -> None:
    """Writes weights and tokenizer to `folder` in the plain layout of transformers, without pooling and head."""
    root = Path(folder)
    root.mkdir(parents=True, exist_ok=True)
    with quiet():
        encoder.backbone.save_pretrained(root)
        encoder.tokenizer.save_pretrained(root)


def dense_layers(head: "nn.Module | None") -> "list[tuple[Tensor, Tensor | None, str]]":
    """(weight, bias, activation) of each dense layer of a head in eval mode, batch normalisation folded in.

    Raises:
        BadModel: the head has something other than linear layers, batch normalisation and supported activations.
    """
    from torch import nn

    layers: list[tuple[Tensor, Tensor | None, str]] = []
    for module in head.children() if head is not None else ():
        kind = type(module).__name__
        if isinstance(module, nn.Linear):
            layers.append((module.weight, module.bias, "Identity"))
        elif isinstance(module, nn.BatchNorm1d) and layers and layers[-1][2] == "Identity":
            layers[-1] = _folded(layers[-1][0], layers[-1][1], module)
        elif kind in ACTIVATIONS and layers and layers[-1][2] == "Identity":
            layers[-1] = (layers[-1][0], layers[-1][1], kind)
        else:
            raise BadModel(f"The head's {kind} cannot be written as a Dense module of sentence-transformers.")
    return layers


def _folded(weight: "Tensor", bias: "Tensor | None", norm: "nn.BatchNorm1d") -> "tuple[Tensor, Tensor, str]":
    """The linear layer equal to `weight`, `bias` and then `norm` with its running statistics, computed in fp64."""
    import torch

    mean, variance = norm.running_mean, norm.running_var
    assert mean is not None and variance is not None
    scale = (variance.double() + norm.eps).rsqrt() * (norm.weight.double() if norm.affine else 1.0)
    shift = (bias.double() if bias is not None else torch.zeros_like(mean, dtype=torch.float64)) - mean.double()
    new_bias = shift * scale + (norm.bias.double() if norm.affine else 0.0)
    return (weight.double() * scale[:, None]).float(), new_bias.float(), "Identity"


def _write(path: Path, content: object) -> None:
    write_text(path, json.dumps(content, indent=2) + "\n")
