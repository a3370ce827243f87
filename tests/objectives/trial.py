"""A training loop over given terms, on a tiny model with random weights."""

from dataclasses import replace

import numpy as np
import torch

from tests.trial import TEXTS
from workbench.core.config import Term, View
from workbench.core.seeds import seeded
from workbench.models.load import load
from workbench.recipes import settle
from workbench.recipes.terms import settled_terms
from workbench.training.loop import Loop


def view(draw=0, **settings):
    return View(draw=draw, **settings)


def loop_of(folder, *terms, columns=None, numbers=None, **changes):
    """A loop over settled terms; by default with batches of 8, a high learning rate and no dropout."""
    changes = {"batch_size": 8, "steps": 20, "learning_rate": 1e-3, "dropout": 0.0, "clip": 0.0, **changes}
    config = settle("simcse_unsup", backbone=str(folder), changes=changes)
    config = replace(config, terms=settled_terms(terms, {})[0])
    return Loop(load(str(folder)), columns or {"text": TEXTS}, config, numbers=numbers)


def contrast(**more):
    """The usual pair of dropout views."""
    return Term(views={"a": view(0), "b": view(1)}, loss="infonce_nn", **more)


def step(loop, rows=range(8)):
    """(loss, losses of its terms) of one step; gradients are left on the parameters."""
    loop.optimizer.zero_grad()
    with seeded(0, "test"):
        loss, losses, _ = loop.forward(np.array(rows), 0)
    loss.backward()
    loop.views.backward()
    return loss.detach(), losses


def gradients(loop, prefix="backbone."):
    """All gradients in one vector, zeros where a parameter has none."""
    found = [p for name, p in loop.named_parameters().items() if name.startswith(prefix)]
    return torch.cat([(torch.zeros_like(p) if p.grad is None else p.grad).flatten() for p in found])


def masked_model(folder, family="bert", *, half=False):
    """`folder`, now with a masked language model of width 32, whose body is a backbone too; `half` saves fp16, like mini-mlm."""
    import transformers

    from tests.tiny import CLASSES, tiny_tokenizer
    from workbench.models.load import quiet

    tokenizer = tiny_tokenizer(family)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
    if family == "distilbert":
        sizes = {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48}
    name = CLASSES[family]
    config = getattr(transformers, f"{name}Config")(
        vocab_size=len(tokenizer),
        max_position_embeddings=66,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.3,
        **sizes,
    )
    with seeded(0, "masked"), quiet():
        model = getattr(transformers, f"{name}ForMaskedLM")(config)
        (model.half() if half else model).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder
