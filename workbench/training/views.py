"""How a batch becomes views: all terms' requests gathered, equal ones encoded once, alike ones encoded together."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from workbench.augmentations.draw import Drawer, Lines
from workbench.augmentations.pipeline import parse
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.core.config import Augmenting, Term, View
from workbench.core.errors import BadData
from workbench.core.seeds import derive, seeded
from workbench.models.alterations import Alteration
from workbench.models.crew import Crew, crew
from workbench.objectives import encoded

if TYPE_CHECKING:
    from torch import Generator, Tensor

    from workbench.models.computing import Computing
    from workbench.models.encoder import Encoder
    from workbench.models.tokens import TokenTable

Result = TypeVar("Result")
PIECES = 4
"""Pieces of a batch where padding must be paid for: more save more of it and cost more calls."""
Columns = Mapping[str, Sequence[str]]
ViewKey = tuple[str, int, str, int, str | float]
TextKey = tuple[str, int, str]


def key(view: View) -> ViewKey:
    """What makes two requests one encoding."""
    return (*text_key(view), view.copy, view.dropout)


def text_key(view: View) -> TextKey:
    """What makes the texts of two requests the same."""
    return (view.role, view.draw, view.augmentation)


class Shown(NamedTuple):
    """The texts of a view for some rows: where their tokens are, and which augmentation changed each; None without."""

    table: "TokenTable"
    rows: np.ndarray
    texts: Callable[[], list[str]]
    labels: list[str] | None


def requests(terms: Sequence[Term]) -> list[View]:
    """The distinct views of all terms that are to be encoded, in order of first mention."""
    named = ((name, term) for term in terms for name in encoded(term))
    views = (view for name, term in named for view in (term.views.get(name), term.more.get(name)) if view)
    return list({key(view): view for view in views}.values())


def mentioned(terms: Sequence[Term]) -> list[View]:
    """The distinct views of all terms, also those whose texts alone are asked for."""
    views = (view for term in terms for view in (*term.views.values(), *term.more.values()))
    return list({key(view): view for view in views}.values())


def check_roles(terms: Sequence[Term], columns: Columns) -> None:
    """That the corpus has every text column the terms ask for.

    Raises:
        BadData: names the missing column and those present.
    """
    for view in mentioned(terms):
        if view.role not in columns:
            raise BadData(
                f"The recipe needs texts called {view.role!r}.",
                got=f"a corpus with {', '.join(columns)}",
                way_out="Choose a corpus with that column, or another recipe.",
            )


class Views:
    """Encodes the views of one batch. One instance a run: what does not change between batches is made once."""

    def __init__(
        self,
        encoder: "Encoder",
        terms: Sequence[Term],
        columns: Columns,
        *,
        max_length: int,
        seed: int,
        pooling: str = "",
        augmenting: Augmenting | None = None,
        lines: Lines | None = None,
        resources: Resources | None = None,
    ) -> None:
        """`lines` makes and keeps what a model makes of all texts, see `Drawer`. `pooling` is what texts are tokenised for.
        `resources` are those of the corpus of which `columns` is a part, if it is one.

        Raises:
            BadData: the corpus lacks a text column that a term needs.
            MissingResource: an augmentation needs a lexicon, parser or model that is not here.
        """
        import torch

        check_roles(terms, columns)
        self.encoder, self.columns, self.max_length, self.seed = encoder, columns, max_length, seed
        self.pooling = pooling or encoder.pooling
        self.views, every = requests(terms), mentioned(terms)
        self.pipelines = {view.augmentation: parse(view.augmentation) for view in every}
        self.augmenting = augmenting or Augmenting()
        protection = Protection(self.augmenting.protect, self.augmenting.protect_pattern)
        # Corpus statistics are counted over every text that a view may show.
        resources = resources or Resources(
            lambda: [text for texts in columns.values() for text in texts], device=str(encoder.device)
        )
        self.drawers = {
            line: Drawer(pipeline, seed=seed, protection=protection, resources=resources, lines=lines)
            for line, pipeline in self.pipelines.items()
            if pipeline.on_texts
        }
        # What models write is made for the whole corpus at once and kept over all epochs.
        self.written: dict[TextKey, tuple[TokenTable, list[str], list[str]]] = {}
        for view in every:
            if self.pipelines[view.augmentation].modelled and text_key(view) not in self.written:
                drawn = self.drawers[view.augmentation].many(list(columns[view.role]), self.number(view, 0))
                texts = [made.text for made in drawn]
                self.written[text_key(view)] = self.tokenise(texts), texts, [made.label for made in drawn]
        self.shown: dict[TextKey, Shown] = {}
        """The texts of the latest batch."""
        self._work: list[_Work] = []
        self._again = False
        self._computing: Callable[[], AbstractContextManager[Computing]]
        self.crew = crew(torch.get_num_threads()) if encoder.device.type == "cpu" else None
        self.tables: dict[str, TokenTable] = {
            role: self.tokenise(list(columns[role]))
            for role in sorted({v.role for v in every if v.augmentation not in self.drawers})
        }

    def number(self, view: View, epoch: int) -> int:
        """The draw number of a view in an epoch."""
        return derive("view", epoch if self.augmenting.resample else 0, view.draw) % 2**31

    def tokenise(self, texts: list[str]) -> "TokenTable":
        """Texts as the pooling of the training wants them."""
        before, self.encoder.pooling = self.encoder.pooling, self.pooling
        try:
            return self.encoder.tokenise(texts, self.max_length)
        finally:
            self.encoder.pooling = before

    def show(self, view: View, rows: np.ndarray, epoch: int) -> Shown:
        """The texts of a view for some rows; those of the latest batch are drawn once."""
        if text_key(view) in self.shown:
            return self.shown[text_key(view)]
        texts = self.columns[view.role]
        if text_key(view) in self.written:
            table, written, labels = self.written[text_key(view)]
            own = rows.tolist()
            found = Shown(table, rows, lambda: [written[row] for row in own], [labels[row] for row in own])
        elif view.augmentation in self.drawers:
            drawn = self.drawers[view.augmentation].many(
                [texts[row] for row in rows.tolist()], self.number(view, epoch)
            )
            made = [draw.text for draw in drawn]
            labels = [draw.label for draw in drawn]
            found = Shown(self.tokenise(made), np.arange(len(rows)), lambda: made, labels)
        else:
            found = Shown(self.tables[view.role], rows, lambda: [texts[row] for row in rows.tolist()], None)
        self.shown[text_key(view)] = found
        return found

    def pieces(
        self, rows: np.ndarray, epoch: int, views: Sequence[View] | None = None
    ) -> dict[str | float, list[tuple[View, "TokenTable", np.ndarray]]]:
        """The token rows of each view, grouped by dropout policy."""
        groups: dict[str | float, list[tuple[View, TokenTable, np.ndarray]]] = {}
        self.shown = {}
        for view in self.views if views is None else views:
            found = self.show(view, rows, epoch)
            groups.setdefault(view.dropout, []).append((view, found.table, found.rows))
        return groups

    def encode(
        self,
        rows: np.ndarray,
        *,
        epoch: int,
        pooling: str,
        rate: float,
        parts: int,
        memory_parts: int = 0,
        precision: str = "fp32",
        cancelled: Callable[[], bool] = lambda: False,
        views: Sequence[View] | None = None,
    ) -> dict[ViewKey, "Tensor"] | None:
        """One (batch, dim) fp32 tensor per view (of `views`, or of all), rows in batch order; None if cancelled on the way.

        Views of one dropout policy share `parts` sub-forwards of like length (0: as many as pays). The tensors are
        leaves: after the loss went backward to them, `backward` carries their gradients on into the backbone. With
        `memory_parts` that many sub-forwards keep nothing for it, and each is computed again, with the same dropout.
        """
        import torch

        encoder = self.encoder
        groups = self.pieces(rows, epoch, views)
        self._work = []
        if not groups:
            return {}
        used = [_ids(table, picked) for items in groups.values() for _, table, picked in items]
        vocabulary = np.concatenate(used)
        self._again = bool(memory_parts)
        self._computing = lambda: self._states_of(precision, pooling, vocabulary)
        with self._computing() as states:
            for policy, items in groups.items():
                altered = any(self.pipelines[view.augmentation].at("positions", "states") for view, _, _ in items)
                value = 0.0 if policy == "off" else rate if policy == "on" else float(policy)
                alone = altered or not states.unpadded
                work = _Work(items, memory_parts or parts, None if alone else self.crew, value, altered, pooling)
                # One generator for each piece: threads draw in no particular order.
                work.seeds = torch.randint(2**62, (len(work.pieces),)).tolist()

                def one(number: int, work: _Work = work) -> "Tensor | None":
                    with torch.set_grad_enabled(torch.is_grad_enabled() and not memory_parts):  # of each thread
                        return self._piece(states, work, number, cancelled)

                with encoder.dropout(value, states.backbone):
                    work.outputs = list(work.share(one))
                if any(output is None for output in work.outputs):
                    return None
                self._work.append(work)
            self._states = states
        leaves = {view: leaf for work in self._work for view, leaf in work.join().items()}
        if memory_parts:
            for work in self._work:
                work.outputs = []
        generator = torch.Generator(encoder.device).manual_seed(int(torch.randint(2**62, ())))
        return {key(view): self.moved(view, leaf, generator) for view, leaf in leaves.items()}

    @contextmanager
    def _states_of(self, precision: str, pooling: str, vocabulary: np.ndarray) -> "Iterator[Computing]":
        """The backbone in train mode, ready to compute what a batch of these tokens needs."""
        import torch

        encoder = self.encoder
        on_cpu = encoder.device.type == "cpu"
        # On a CPU, rounding the weights once and staying in bf16 is a fifth faster than autocast, which goes to and fro.
        autocast = torch.autocast(encoder.device.type, dtype=torch.bfloat16, enabled=precision == "bf16" and not on_cpu)
        own = precision if on_cpu else "fp32"
        with autocast, encoder.computing(own, pooling=pooling, vocabulary=vocabulary, unpadded=True) as states:
            states.backbone.train()
            yield states

    def _piece(
        self, states: "Computing", work: "_Work", number: int, cancelled: Callable[[], bool] = lambda: False
    ) -> "Tensor | None":
        """The vectors of one piece, the same each time; None if cancelled."""
        import torch

        if cancelled():
            return None
        encoder = self.encoder
        ids, mask = work.batch(number, encoder)
        seed = work.seeds[number]
        generator = torch.Generator(encoder.device).manual_seed(seed)
        if states.unpadded and not work.altered:
            with encoder.drawing(generator):
                return encoder.pool(states(ids, mask, generator), ids, mask, work.pooling)
        # Here the fused kernels draw, which know torch's own generator only.
        with seeded(seed, "dropout", device=str(encoder.device)):
            if work.altered:
                hidden, mask = states.altered(ids, mask, self.alteration(work, number, generator))
            else:
                hidden = states(ids, mask, generator)
        return encoder.pool(hidden, ids, mask, work.pooling)

    def alteration(self, work: "_Work", number: int, generator: "Generator") -> Alteration:
        """What the pipelines of a piece's views do to its positions and states, each to the rows of its own view."""
        import torch

        owner = work.owner[work.pieces[number]]
        plans = []
        for place, (view, _, _) in enumerate(work.items):
            rows = torch.from_numpy(np.flatnonzero(owner == place)).to(generator.device)
            plans += [(step, rows) for step in self.pipelines[view.augmentation].at("positions", "states")]

        def positions(ids: "Tensor", mask: "Tensor") -> "Tensor":
            for step, rows in plans:
                some = _some(rows, step.probability, generator)
                if step.level == "positions" and len(some):
                    new = step.method.fn(ids[some], mask[some], **step.settings, generator=generator)
                    ids = ids.index_copy(0, some, new)
            return ids

        def states(values: "Tensor", mask: "Tensor") -> "tuple[Tensor, Tensor]":
            for step, rows in plans:
                some = _some(rows, step.probability, generator)
                if step.level == "states" and len(some):
                    new, left = step.method.fn(values[some], mask[some], **step.settings, generator=generator)
                    values, mask = values.index_copy(0, some, new), mask.index_copy(0, some, left)
            return values, mask

        return Alteration(positions, states)

    def moved(self, view: View, vectors: "Tensor", generator: "Generator") -> "Tensor":
        """What the pipeline of a view does to its vectors, the pool of other vectors being the batch."""
        import torch

        for step in self.pipelines[view.augmentation].at("vectors"):
            new = step.method.fn(vectors, **step.settings, generator=generator)
            acts = torch.rand(len(vectors), 1, generator=generator, device=vectors.device) < step.probability
            vectors = torch.where(acts, new, vectors)
        return vectors

    def backward(self) -> None:
        """From the gradients of the vectors of the latest batch to those of the backbone's parameters."""
        if self._again and self._work:
            self._backward_again()
            return
        for work in self._work:
            given = work.given()

            def one(number: int, work: _Work = work, given: "list[Tensor]" = given) -> "list[Tensor | None]":
                return self._states.gradients(work.outputs[number], given[number])

            self._states.give(list(work.share(one)))
        self._work = []

    def _backward_again(self) -> None:
        """See `backward`: each piece is computed a second time, now with gradient, and dropped at once."""
        import torch

        with self._computing() as states:
            for work in self._work:
                given = work.given()

                def one(number: int, work: _Work = work, given: "list[Tensor]" = given) -> "list[Tensor | None]":
                    with torch.enable_grad():
                        output = self._piece(states, work, number)
                    assert output is not None
                    return states.gradients(output, given[number])

                with self.encoder.dropout(work.rate, states.backbone):
                    for found in work.share(one):
                        states.give([found])
        self._work = []


def _some(rows: "Tensor", probability: float, generator: "Generator") -> "Tensor":
    """Those of the rows on which a step acts."""
    import torch

    return rows[torch.rand(len(rows), generator=generator, device=rows.device) < probability]


class _Work:
    """The views of one dropout policy, cut into pieces that are encoded one by one, or by threads at the same time."""

    def __init__(
        self,
        items: "list[tuple[View, TokenTable, np.ndarray]]",
        parts: int,
        crew: Crew | None,
        rate: float,
        altered: bool,
        pooling: str,
    ) -> None:
        self.items, self.crew, self.rate, self.altered, self.pooling = items, crew, rate, altered, pooling
        self.seeds: list[int] = []
        lengths = np.concatenate([table.lengths[picked] for _, table, picked in items])
        order = np.argsort(lengths, kind="stable")
        self.owner = np.repeat(np.arange(len(items)), [len(picked) for _, _, picked in items])
        self.token_rows = np.concatenate([picked for _, _, picked in items])
        if crew is not None:
            # No padding to save: each piece has texts of all lengths, so that all take the same time.
            count = min(parts or crew.size, len(order))
            self.pieces = [order[start::count] for start in range(count)]
        else:
            self.pieces = np.array_split(order, min(parts or PIECES, len(order)))
        self.outputs: list[Any] = []

    def share(self, one: "Callable[[int], Result]") -> "Iterator[Result]":
        """What `one` makes of each piece, by number."""
        numbers = range(len(self.pieces))
        return map(one, numbers) if self.crew is None or self.crew.size == 1 else self.crew.map(one, numbers)

    def batch(self, number: int, encoder: "Encoder") -> "tuple[Tensor, Tensor]":
        """Ids and mask of a piece."""
        piece = self.pieces[number]
        return _batch([self.items[k][1] for k in self.owner[piece]], self.token_rows[piece], encoder)

    def join(self) -> "dict[View, Tensor]":
        """A leaf for each view, rows in batch order."""
        import torch

        joined = torch.cat([output.detach() for output in self.outputs])
        inverse = torch.from_numpy(np.argsort(np.concatenate(self.pieces), kind="stable")).to(joined.device)
        split = joined[inverse].float().split([len(picked) for _, _, picked in self.items])
        self.leaves = [tensor.clone().requires_grad_() for tensor in split]
        return {view: leaf for (view, _, _), leaf in zip(self.items, self.leaves, strict=True)}

    def given(self) -> "list[Tensor]":
        """The gradient of the vectors of each piece."""
        import torch

        whole = torch.cat([torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in self.leaves])
        return [whole[torch.from_numpy(piece).to(whole.device)] for piece in self.pieces]


def _ids(table: "TokenTable", rows: np.ndarray) -> np.ndarray:
    return np.concatenate([table.ids[table.offsets[row] : table.offsets[row + 1]] for row in rows.tolist()])


def _batch(tables: Sequence["TokenTable"], rows: np.ndarray, encoder: "Encoder") -> tuple["Tensor", "Tensor"]:
    """Ids and mask of rows that may come from several tables, padded to the longest among them."""
    import torch

    pieces = [
        table.ids[table.offsets[row] : table.offsets[row + 1]] for table, row in zip(tables, rows.tolist(), strict=True)
    ]
    lengths = np.array([len(piece) for piece in pieces])
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(mask.shape, encoder.tokens.pad, dtype=np.int64)
    ids[mask] = np.concatenate(pieces)
    device = encoder.device
    return torch.from_numpy(ids).to(device), torch.from_numpy(mask.astype(np.int64)).to(device)
