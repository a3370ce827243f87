"""A backbone with its tokenizer, pooling and kept head: texts in, vectors out."""

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from workbench.core import presets
from workbench.core.device import checked, placed, queues
from workbench.core.errors import BadModel, BadSetting
from workbench.core.method import calling, find
from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import seeded, torch_generator
from workbench.models import unpadded as without_padding
from workbench.models.alterations import Alteration, Matrices, altering, matrices
from workbench.models.computing import Computing, Leaf, padded
from workbench.models.drophead import dropping_heads
from workbench.models.dropout import complete_dropout, dropped
from workbench.models.frequent_tokens import left_mask
from workbench.models.prompts import Prompt
from workbench.models.rounded import Rounded
from workbench.models.thread_pool import thread_pool
from workbench.models.tokens import Token, Tokens, TokenTable
from workbench.models.turns import Begun, turns
from workbench.models.walks import modules_of, named_parameters_of, set_mode
from workbench.pooling import METHODS as POOLINGS
from workbench.pooling import check_pooled

if TYPE_CHECKING:
    import torch
    from jaxtyping import Float, Int
    from torch import Generator, Tensor, nn
    from transformers import PreTrainedTokenizerFast

    from workbench.models.backbone import Backbone
    from workbench.models.cards import Place

BUDGET = 1024  # tokens in a batch on the CPU; measured: 4,096 takes a fifth longer, because states no longer fit in the cache
SHARED = 4  # number of batches from which on they are shared among threads
PROMPT = ('This sentence : "', '" means {mask} .')


class Cancelled(Exception):
    """The encoding was cancelled; its results are discarded."""


class Encoder:
    """What `load` returns; `backbone`, `pooling`, `head`, `max_length` and `normalise` may be reassigned.

    `origin` is the folder it was loaded from, or None if it was not loaded from one.

    `head` is the one used at evaluation, or None; `normalise` scales vectors to length 1 at the very end, which does not
    change cosines. `left_out` holds the token ids that pooling leaves out, or None; see `models.frequent_tokens`.
    `own_prompt` is what the model's files put before each text, or None.
    """

    def __init__(
        self,
        backbone: "Backbone",
        tokenizer: "PreTrainedTokenizerFast",
        *,
        name: str,
        pooling: str = presets.POOLING,
        head: "nn.Module | None" = None,
        max_length: int = 512,
        positions: int = 512,
        normalise: bool = False,
        prompt: Prompt | None = None,
    ) -> None:
        """`positions` is the number of tokens that the backbone has positions for; `prompt` is put before each text."""
        complete_dropout(backbone)
        self.backbone: Backbone = backbone
        self.tokenizer, self.name = tokenizer, name
        self.pooling, self.head, self.normalise = pooling, head, normalise
        self.left_out: np.ndarray | None = None
        self.own_prompt = prompt
        self.origin: Place | None = None
        self.positions, self.max_length = positions, min(max_length, positions)
        self._rounded: Rounded | None = None
        self._table_gradient: dict[nn.Parameter, Tensor] = {}
        self._drawing = threading.local()
        pad = tokenizer.pad_token_id
        pad = backbone.config.pad_token_id if pad is None else pad
        self.tokens = Tokens(
            tokenizer.backend_tokenizer,
            pad=pad or 0,
            unknown=tokenizer.unk_token_id,
            mask=tokenizer.mask_token,
            prompt=prompt.text if prompt else "",
        )

    @property
    def device(self) -> "torch.device":
        """The device that the backbone is on."""
        return next(self.backbone.parameters()).device

    @property
    def dim(self) -> int:
        """Length of a vector, after the kept head."""
        from torch import nn

        layers = (
            [layer for layer in self.head.modules() if isinstance(layer, nn.Linear)] if self.head is not None else []
        )
        return layers[-1].out_features if layers else self.width(self.pooling)

    def width(self, pooling: str) -> int:
        """Length of a pooled vector, before any head."""
        return self._embeddings.shape[1] if self.reads(pooling) == "none" else int(self.backbone.config.hidden_size)

    def reads(self, pooling: str | None = None) -> str:
        """The layers that a pooling (default: the encoder's) reads: last, several, or none (only the word embeddings)."""
        return find(POOLINGS, "pooling", pooling or self.pooling).tags.get("layers", "several")

    def _pooling_needs(self, pooling: str) -> str:
        return find(POOLINGS, "pooling", pooling).tags.get("needs", "")

    def to(self, device: str) -> "Encoder":
        """Move backbone and head to `device`; returns this encoder."""
        if device.startswith("cuda"):
            # The tokenizers package asks at each call. While a GPU computes, all cores are free for it.
            os.environ["TOKENIZERS_PARALLELISM"] = "true"
        self.backbone.to(device)
        self._rounded = None  # it stays where it was
        if self.head is not None:
            self.head.to(device)
        return self

    # Tokens

    def tokenise(self, texts: Sequence[str], max_length: int | None = None) -> TokenTable:
        """All texts as ids, cut to `max_length` tokens (default: the encoder's), specials included.

        The model's own `prompt` is before each text and counts towards `max_length`. If the pooling needs a prompt, each text is
        put inside that one instead, whose tokens do not count.

        Raises:
            BadSetting: `max_length` leaves no room for a text behind the prompt.
        """
        limit = min(max_length or self.max_length, self.positions)
        prompted = self._pooling_needs(self.pooling) == "prompt"
        return self.prompted(texts, limit) if prompted else self.tokens.table(texts, limit)

    def token_view(self, text: str, max_length: int | None = None) -> list[Token]:
        """See `Tokens.view`: the tokens of `text` that the model sees, then those that were cut."""
        return self.tokens.view(text, min(max_length or self.max_length, self.positions))

    def prompt_ids(self, prompt: tuple[str, str] = PROMPT) -> tuple[np.ndarray, np.ndarray]:
        """The ids before and after the text in a prompt, specials included; {mask} in it stands for the mask token.

        Raises:
            BadModel: the backbone has no mask token.
        """
        mask = self.tokenizer.mask_token
        if mask is None:
            raise BadModel(
                f"{self.name} has no mask token.", rule="mask_token pools the state of one.", way_out="Use mean."
            )
        before, after = prompt
        around = self.tokens.table([before, after.format(mask=mask), ""], specials=False, prompt=False)
        start, end, _ = (around.ids[low:high] for low, high in zip(around.offsets, around.offsets[1:], strict=False))
        first, last = self.tokens.table([""], prompt=False).ids
        return np.concatenate([[first], start]), np.concatenate([end, [last]])

    def prompted(self, texts: Sequence[str], limit: int, prompt: tuple[str, str] = PROMPT) -> TokenTable:
        """All texts as ids inside a prompt, whose tokens do not count towards `limit`.

        Raises:
            BadModel: the backbone has no mask token.
            BadSetting: `limit` leaves no room for the text.
        """
        before, after = self.prompt_ids(prompt)
        room = min(limit - 2, self.positions - len(before) - len(after))
        if room < 1:
            raise BadSetting(f"max_length {limit} leaves no room for the text.", way_out="Raise max_length.")
        bare = self.tokens.table(texts, room, specials=False, prompt=False)
        rows = [
            np.concatenate([before, bare.ids[low:high], after])
            for low, high in zip(bare.offsets, bare.offsets[1:], strict=False)
        ]
        flat = np.concatenate(rows).astype(np.int32) if rows else np.zeros(0, dtype=np.int32)
        return TokenTable(flat, np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64), bare.pad)

    @property
    def prompt(self) -> Prompt | None:
        """What the model puts before each text; None too if the pooling puts texts inside a prompt of its own."""
        return self.own_prompt if self._pooling_needs(self.pooling) != "prompt" else None

    def skipped(self, pooling: str | None = None) -> int:
        """The number of tokens at the beginning of each text that a pooling (default: the encoder's) skips."""
        pooled = (
            self.own_prompt is None
            or self.own_prompt.pooled
            or self._pooling_needs(pooling or self.pooling) == "prompt"
        )
        return 0 if pooled else self.tokens.prompt_length

    # States and vectors

    def forward(
        self,
        ids: "Int[Tensor, 'batch tokens']",
        mask: "Int[Tensor, 'batch tokens'] | None",
        *,
        every_layer: bool = True,
    ) -> "tuple[Float[Tensor, 'batch tokens dim'], ...]":
        """States of every layer, index 0 the embedding output; only of the last layer if `every_layer` is off.

        `mask` may be None if nothing is padded.
        """
        return padded(self.backbone, ids, mask, every_layer=every_layer)

    def altered(
        self,
        ids: "Int[Tensor, 'batch tokens']",
        mask: "Int[Tensor, 'batch tokens'] | None",
        alter: Alteration | None,
        *,
        every_layer: bool = True,
    ) -> "tuple[tuple[Float[Tensor, 'batch tokens dim'], ...], Int[Tensor, 'batch tokens']]":
        """See `forward`: (states, the mask that pooling must use), with `alter` applied before the first layer."""
        with altering(self.backbone, alter or Alteration(), ids, mask) as seen:
            states = self.forward(ids, mask, every_layer=every_layer)
        return states, seen.mask

    def embedding_matrices(self, texts: Sequence[str] | TokenTable, alter: Alteration) -> Matrices:
        """Token embeddings, masks and position ids of `texts`, in one batch, before and after `alter`; dropout off.

        They are the output of the embedding module, which in ELECTRA is narrower than the model. Each function of `alter` is
        called once, so a generator inside it advances by one pass.
        """
        table = texts if isinstance(texts, TokenTable) else self.tokenise(texts)
        ids, mask = table.batch(range(len(table)), str(self.device))
        with self.evaluating():
            return matrices(self.backbone, alter, ids, mask)

    def pool(
        self,
        hidden_states: "tuple[Float[Tensor, 'batch tokens dim'], ...]",
        ids: "Int[Tensor, 'batch tokens']",
        mask: "Int[Tensor, 'batch tokens']",
        pooling: str | None = None,
    ) -> "Float[Tensor, 'batch dim']":
        """One vector per text, before any head, by `pooling` (default: the encoder's). Gradients flow."""
        name = pooling or self.pooling
        settings: dict[str, object] = {}
        if skipped := self.skipped(name):
            hidden_states = tuple(states[:, skipped:] for states in hidden_states)
            ids, mask = ids[:, skipped:], mask[:, skipped:].clone()
            mask[:, 0] |= ~mask.any(dim=1)  # span cutoff may have left tokens of the prompt only
        if self.left_out is not None:
            mask = left_mask(ids, mask, self.left_out)
        if (needs := self._pooling_needs(name)) == "pooler layer":
            settings["pooler"] = getattr(self.backbone, "pooler", None)
        elif needs == "prompt":
            settings["mask_id"] = self.tokenizer.mask_token_id
        method = POOLINGS[name]
        with calling("pooling", method):
            vectors = method.fn(hidden_states, mask, ids=ids, weights=self._embeddings, **settings)
        check_pooled(method, vectors, hidden_states[-1], texts=len(mask), width=self.width(name))
        return vectors

    @property
    def _embeddings(self) -> "Tensor":
        return self.backbone.get_input_embeddings().weight

    def check_pooling(self, pooling: str) -> None:
        """Check that this backbone can be pooled that way.

        Raises:
            UnknownName: no such pooling.
            BadModel: the pooling needs a pre-trained pooler or a mask token that this backbone lacks.
        """
        needs = self._pooling_needs(pooling)
        if needs == "pooler layer" and getattr(self.backbone, "pooler", None) is None:
            raise BadModel(f"{self.name} has no pre-trained pooler.", way_out="Use pooling cls with head mlp, or mean.")
        if needs == "prompt":
            self.prompt_ids()

    def encode(
        self,
        texts: Sequence[str],
        *,
        precision: Literal["fp32", "bf16"] = "fp32",
        on_progress: Progress = no_progress,
        cancelled: Callable[[], bool] | None = None,
        max_length: int | None = None,
        lock: AbstractContextManager[object] | None = None,
        begun: Begun | None = None,
    ) -> np.ndarray:
        """Vectors of `texts`, float32 (n, dim), with dropout off and the kept head applied. Each distinct text is encoded once.

        `on_progress` and `cancelled` are called between batches; the progress note counts distinct texts.
        `lock` is held for some batches at a time, see `turns`. What is in `begun`, of the same texts, is not encoded again.
        bf16 computes with a copy of the backbone in bf16; pooling and head stay in fp32.

        Raises:
            Cancelled: `cancelled` returned true.
            BadModel: a vector is not finite.
        """
        import torch

        places: dict[str, int] = {}
        rows = np.fromiter((places.setdefault(text, len(places)) for text in texts), dtype=np.int64, count=len(texts))
        self.check_pooling(self.pooling)
        with lock or nullcontext():
            table = self.tokenise(list(places), max_length)
        begun = begun or Begun()
        begun.sized(len(table), self.dim)
        vectors, there = begun.vectors, begun.done

        def encode_batch(batch: np.ndarray) -> np.ndarray:
            if cancelled is not None and cancelled():
                raise Cancelled
            with torch.inference_mode():  # set per thread
                return self._vectors(states, table, batch).cpu().numpy()

        batches = list(table.batches(self.budget))
        by_itself = self.device.type != "cpu" or len(batches) < SHARED
        pool = thread_pool(torch.get_num_threads())
        note = f"of {len(table):,} texts"
        for some in turns(self, batches, lock):
            on_progress(there.mean(), f"Encoding, {there.sum():,} {note}")
            with lock or nullcontext(), self.evaluating(), self.computing(precision) as states:
                done = int(there.sum())  # others may have been here while it waited
                left = [batch for batch in some if not there[batch].all()]
                # Written here: where this is stopped, a thread may go on for a moment while others use the encoder.
                mapped = map if by_itself else pool.map
                for batch, found in zip(left, mapped(encode_batch, left), strict=True):
                    vectors[batch], there[batch] = found, True
                    done += len(batch)
                    on_progress(done / len(table), f"Encoding, {done:,} {note}")
        self._check_finite(vectors, precision)
        return vectors[rows]

    def _check_finite(self, vectors: np.ndarray, precision: str) -> None:
        """Raises BadModel if a vector has NaN or infinity, and says whether the weights have any."""
        lost = int((~np.isfinite(vectors).all(axis=1)).sum())
        if not lost:
            return
        modules = [self.backbone, *([self.head] if self.head is not None else [])]
        damaged = [
            name for module in modules for name, weight in module.named_parameters() if not weight.isfinite().all()
        ]
        raise BadModel(
            f"{self.name} gives NaN or infinity in place of a vector for {lost:,} of {len(vectors):,} texts.",
            rule=f"Its weights hold some too: {damaged[0]}."
            if damaged
            else "Its weights hold none: the numbers overflow.",
            way_out="Download or save it again, or use an earlier checkpoint."
            if damaged
            else f"Use {'precision fp32' if precision != 'fp32' else 'another pooling, or another model'}.",
        )

    def on_device(self, texts: Sequence[str], max_length: int | None = None) -> "Tensor":
        """The vectors of `encode`, (n, dim) on the encoder's device; without gradient, and without waiting for a GPU."""
        import torch

        if not queues(self.device):
            return torch.from_numpy(self.encode(texts, max_length=max_length)).to(self.device)
        self.check_pooling(self.pooling)
        table = self.tokenise(texts, max_length)
        # `checked`: every text has a token, the special ones.
        with checked(), self.evaluating(), self.computing("fp32") as states, torch.no_grad():
            batches = list(table.batches(self.budget))
            found = torch.cat([self._vectors(states, table, batch) for batch in batches])
        return found[placed(np.argsort(np.concatenate(batches), kind="stable"), self.device)]

    def dropout_views(
        self,
        texts: Sequence[str],
        k: int,
        rate: float = 0.1,
        seed: int = 0,
        heads: float = 0.0,
        *,
        on_progress: Progress = no_progress,
        lock: AbstractContextManager[object] | None = None,
    ) -> np.ndarray:
        """float32 (n, k, dim): each text encoded k times with independent dropout in the backbone; the head has none.

        `heads` is the rate at which whole attention heads are dropped. The same texts, k, rates and seed give the same
        vectors on the same machine, however many threads it uses. `lock` is held for some batches at a time, see `turns`.
        """
        import torch

        self.check_pooling(self.pooling)
        with lock or nullcontext():
            table = self.tokenise(texts)
        # All views of a text are as long as it is, so they fill batches without padding.
        batches = list(table.batches(self.budget, np.repeat(np.arange(len(table)), k)))

        def encode_batch(number: int) -> np.ndarray:
            name = (seed, "dropout_views", number)
            with torch.inference_mode():  # set per thread
                if states.shared:
                    generator = torch_generator(*name)
                    with self.drawing(generator):
                        return self._vectors(states, table, batches[number], generator).cpu().numpy()
                # Here fused kernels draw, or whole heads are dropped: both use torch's global generator.
                with seeded(*name, device=str(self.device)):
                    return self._vectors(states, table, batches[number]).cpu().numpy()

        vectors = np.empty((len(table), k, self.dim), dtype=np.float32)
        found: list[np.ndarray] = []
        for some in turns(self, range(len(batches)), lock):
            on_progress(len(found) / len(batches), f"Encoding {k} dropout views")
            with (
                lock or nullcontext(),
                self.evaluating(),
                self.computing("fp32", unpadded=not heads) as states,
                self.dropout(rate, heads=heads),
            ):
                self.backbone.train()
                mapped = thread_pool(torch.get_num_threads()).map if states.shared else map
                for pooled in mapped(encode_batch, some):
                    found.append(pooled)
                    on_progress(len(found) / len(batches), f"Encoding {k} dropout views")
        if found:  # the views of a text follow each other
            rows = np.concatenate(batches)
            vectors[rows, np.arange(len(rows)) % k] = np.concatenate(found)
        return vectors

    @contextmanager
    def evaluating(self) -> Iterator[None]:
        """A context with backbone and head in eval mode; afterwards each module is back in its earlier mode."""
        modules = [*self.backbone.modules(), *(self.head.modules() if self.head is not None else ())]
        before = [module.training for module in modules]
        self.backbone.eval()
        if self.head is not None:
            self.head.eval()
        try:
            yield
        finally:
            for module, mode in zip(modules, before, strict=True):
                module.training = mode

    @contextmanager
    def dropout(
        self, rate: float | Literal["off"], backbone: "Backbone | None" = None, heads: float = 0.0
    ) -> Iterator[None]:
        """A context with every dropout of the backbone, hidden and attention, at `rate`, and whole heads dropped at rate `heads`,
        see `dropping_heads`; both act in train mode only.

        `backbone` is the one that computes, if it is not the encoder's. All families have `nn.Dropout` modules, and their
        attention reads `p` from one at each call; only ModernBERT's has a rate of its own.

        Raises:
            BadSetting: `rate` is not in [0, 1).
            BadModel: `heads` is above 0, and the attention heads cannot be found.
        """
        from torch import nn

        value = 0.0 if rate == "off" else float(rate)
        if not 0.0 <= value < 1.0:
            raise BadSetting(f"dropout cannot be {rate!r}.", rule="It is a number from 0 to below 1, or off.")
        used = self.backbone if backbone is None else backbone
        modules = modules_of(used)
        layers = [module for module in modules if isinstance(module, nn.Dropout)]
        before = [layer.p for layer in layers]
        own = [module for module in modules if "attention_dropout" in module.__dict__]
        rates = [module.__dict__["attention_dropout"] for module in own]
        cheaper = self.device.type == "cpu" and value > 0
        try:
            for layer in layers:
                if layer.p != value:  # setting an attribute of a module takes longer
                    layer.p = value
                if cheaper:
                    layer.forward = partial(_in_training, layer, self._drawing)  # type: ignore[method-assign]
            for module in own:
                module.__dict__["attention_dropout"] = value
            with dropping_heads(used, heads):
                yield
        finally:
            for module, attention in zip(own, rates, strict=True):
                module.__dict__["attention_dropout"] = attention
            for layer, p in zip(layers, before, strict=True):
                if layer.p != p:
                    layer.p = p
                layer.__dict__.pop("forward", None)

    @contextmanager
    def drawing(self, generator: "torch.Generator | None") -> Iterator[None]:
        """A context in which dropout in this thread draws from `generator`; on a CPU only."""
        self._drawing.generator = generator
        try:
            yield
        finally:
            self._drawing.generator = None

    def fingerprint(self) -> str:
        """SHA-256, as 64 hexadecimal digits, of all weights and of every setting that vectors depend on."""
        import torch

        digest = hashlib.sha256()
        settings = [self.pooling, self.max_length, self.normalise, repr(self.head), self.backbone.config.model_type]
        settings += [] if self.left_out is None else [self.left_out.tolist()]
        settings += [] if self.prompt is None else [self.prompt.text, self.prompt.pooled]
        digest.update(json.dumps(settings).encode())
        for module in (self.backbone, self.head):
            for key, tensor in module.state_dict().items() if module is not None else ():
                digest.update(f"{key}{tuple(tensor.shape)}{tensor.dtype}".encode())
                digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
        return digest.hexdigest()

    @property
    def budget(self) -> int:
        """Tokens in a batch of `encode`."""
        return BUDGET if self.device.type == "cpu" else 64 * BUDGET

    def _vectors(
        self, states: Computing, table: TokenTable, batch: np.ndarray, generator: "Generator | None" = None
    ) -> "Tensor":
        import torch

        ids, mask = table.batch(batch)
        lengths = table.lengths[batch]
        alike = lengths.min() == lengths.max() and not states.unpadded
        hidden = states(ids, None if alike else mask, generator)
        ids, mask = states.sent(ids), states.sent(mask)
        vectors = self.pool(hidden, ids, mask).float()
        if self.head is not None:
            vectors = self.head(vectors)
        return torch.nn.functional.normalize(vectors, dim=1) if self.normalise else vectors

    @contextmanager
    def computing(self, precision: str, **settings: Any) -> Iterator[Computing]:
        """A context with the result of `prepared`, active and in the backbone's mode."""
        found = self.prepared(precision, **settings)
        if found.backbone is not self.backbone:
            set_mode(found.backbone, training=self.backbone.training)
        with found.active():
            yield found

    def prepared(
        self,
        precision: str,
        *,
        pooling: str | None = None,
        vocabulary: np.ndarray | None = None,
        unpadded: bool = False,
        every_layer: bool = False,
    ) -> Computing:
        """A function from (ids, mask) to the states that `pooling` needs, (batch, tokens, dim) each, fp32 in either precision;
        to those of `every_layer` on request.

        It can be called inside its `active` context. Its method `altered` does the same with an alteration, which sees states
        in the precision they are computed in.

        Weights are rounded to bf16 once, here, in a copy whose mode (train or eval) its user sets. Gradients are collected by
        `gradients` and added to the parameters by `give`, so that threads can share the work. `vocabulary` holds the ids that
        will occur, if they are known: their embeddings are then taken from the table once. The gradient is the same, but each
        backward pass no longer fills a gradient of the size of the whole table. `unpadded` leaves padding out, with backbones
        that support it.

        Raises:
            BadSetting: `precision` is neither fp32 nor bf16.
        """
        import torch

        if precision not in ("fp32", "bf16"):
            raise BadSetting(f"precision cannot be {precision!r}.", rule="Here it is fp32 or bf16.")
        on_cpu = self.device.type == "cpu"
        own, table = self.backbone, self._embeddings
        if precision == "fp32":
            used, every = own, [Leaf(weight, weight, None) for weight in named_parameters_of(own).values()]
        else:
            if self._rounded is None or self._rounded.backbone is not own:
                self._rounded = Rounded(own)
            # The word embeddings, most of a small model, are rounded only where the whole table is used.
            used = self._rounded.follow(without=None if vocabulary is None else table)
            every = self._rounded.leaves + self._rounded.rounded
        leaves = [leaf for leaf in every if leaf.owner.requires_grad]
        lookup = None
        if vocabulary is not None:
            known = np.zeros(len(table), dtype=bool)
            known[vocabulary] = known[self.tokens.pad] = True
            rows = placed(np.flatnonzero(known), self.device)
            place = torch.zeros(len(table), dtype=torch.int64, device=self.device)
            place[rows] = torch.arange(len(rows), device=self.device)
            small = table.detach()[rows].to(torch.bfloat16 if used is not own else torch.float32)
            small.requires_grad_(table.requires_grad)
            if table.requires_grad:
                leaves.append(Leaf(small, table, rows))  # type: ignore[arg-type]

            def lookup(ids: "Tensor") -> "Tensor":
                return torch.nn.functional.embedding(place[ids], small)

        unpadded = unpadded and (on_cpu or queues(self.device)) and without_padding.supports(own)
        attention = None
        if unpadded:
            without_padding.register()
            attention = without_padding.NAME
        elif used is not own and on_cpu and own.config._attn_implementation == "sdpa":
            # For short texts in bf16 on a CPU, plain products are faster than the fused kernel: 8 % of the total time.
            attention = "eager"
        every_layer = every_layer or self.reads(pooling) != "last"
        return Computing(used, every_layer, tuple(leaves), unpadded, attention, lookup, self._table_gradient)


def _in_training(layer: "nn.Dropout", drawing: threading.local, values: "Tensor") -> "Tensor":
    return dropped(values, layer.p, getattr(drawing, "generator", None)) if layer.training else values
