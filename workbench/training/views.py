"""How a batch becomes views: all terms' requests gathered, equal ones encoded once, alike ones encoded together."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from workbench.augmentations.draw import Drawer, Lines
from workbench.augmentations.pipeline import parse
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.core.config import Augmenting, Term, View
from workbench.core.errors import BadData
from workbench.core.seeds import derive
from workbench.models.alterations import Alteration
from workbench.models.crew import Crew, crew

if TYPE_CHECKING:
    from torch import Generator, Tensor

    from workbench.models.encoder import Encoder
    from workbench.models.tokens import TokenTable

Result = TypeVar("Result")
PIECES = 4
"""Pieces of a batch where padding must be paid for: more save more of it and cost more calls."""
Columns = Mapping[str, Sequence[str]]
ViewKey = tuple[str, int, str, str | float]


def key(view: View) -> ViewKey:
    """What makes two requests one encoding."""
    return (view.role, view.draw, view.augmentation, view.dropout)


def requests(terms: Sequence[Term]) -> list[View]:
    """The distinct views of all terms, in order of first mention."""
    return list({key(view): view for term in terms for view in term.views.values()}.values())


def check_roles(terms: Sequence[Term], columns: Columns) -> None:
    """That the corpus has every text column the terms ask for.

    Raises:
        BadData: names the missing column and those present.
    """
    for view in requests(terms):
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
        augmenting: Augmenting | None = None,
        lines: Lines | None = None,
    ) -> None:
        """`lines` makes and keeps what a model makes of all texts, see `Drawer`.

        Raises:
            BadData: the corpus lacks a text column that a term needs.
            MissingResource: an augmentation needs a lexicon, parser or model that is not here.
        """
        import torch

        check_roles(terms, columns)
        self.encoder, self.columns, self.max_length, self.seed = encoder, columns, max_length, seed
        self.views = requests(terms)
        self.pipelines = {view.augmentation: parse(view.augmentation) for view in self.views}
        self.augmenting = augmenting or Augmenting()
        protection = Protection(self.augmenting.protect, self.augmenting.protect_pattern)
        # Corpus statistics are counted over every text that a view may show.
        resources = Resources(
            lambda: [text for texts in columns.values() for text in texts], device=str(encoder.device)
        )
        self.drawers = {
            line: Drawer(pipeline, seed=seed, protection=protection, resources=resources, lines=lines)
            for line, pipeline in self.pipelines.items()
            if pipeline.on_texts
        }
        # What models write is made for the whole corpus at once and kept over all epochs.
        self.written: dict[ViewKey, tuple[TokenTable, list[str]]] = {}
        for view in self.views:
            if self.pipelines[view.augmentation].modelled and key(view) not in self.written:
                drawn = self.drawers[view.augmentation].many(list(columns[view.role]), self.number(view, 0))
                table = encoder.tokenise([made.text for made in drawn], max_length)
                self.written[key(view)] = table, [made.label for made in drawn]
        self.labels: dict[ViewKey, list[str]] = {}
        """Which augmentations changed each text of the latest batch, for views whose texts are augmented."""
        self.crew = crew(torch.get_num_threads()) if encoder.device.type == "cpu" else None
        self.tables: dict[str, TokenTable] = {
            role: encoder.tokenise(list(columns[role]), max_length)
            for role in {v.role for v in self.views if v.augmentation not in self.drawers}
        }

    def number(self, view: View, epoch: int) -> int:
        """The draw number of a view in an epoch."""
        return derive("view", epoch if self.augmenting.resample else 0, view.draw) % 2**31

    def pieces(self, rows: np.ndarray, epoch: int) -> dict[str | float, list[tuple[View, "TokenTable", np.ndarray]]]:
        """The token rows of each view, grouped by dropout policy."""
        groups: dict[str | float, list[tuple[View, TokenTable, np.ndarray]]] = {}
        self.labels = {}
        for view in self.views:
            if key(view) in self.written:
                table, labels = self.written[key(view)]
                self.labels[key(view)] = [labels[row] for row in rows.tolist()]
                item = (view, table, rows)
            elif view.augmentation in self.drawers:
                texts = self.columns[view.role]
                number = self.number(view, epoch)
                drawn = self.drawers[view.augmentation].many([texts[row] for row in rows.tolist()], number)
                self.labels[key(view)] = [made.label for made in drawn]
                table = self.encoder.tokenise([made.text for made in drawn], self.max_length)
                item = (view, table, np.arange(len(rows)))
            else:
                item = (view, self.tables[view.role], rows)
            groups.setdefault(view.dropout, []).append(item)
        return groups

    def encode(
        self,
        rows: np.ndarray,
        *,
        epoch: int,
        pooling: str,
        rate: float,
        parts: int,
        precision: str = "fp32",
        cancelled: Callable[[], bool] = lambda: False,
    ) -> dict[ViewKey, "Tensor"] | None:
        """One (batch, dim) fp32 tensor per view, rows in batch order, or None if cancelled on the way.

        Views of one dropout policy share `parts` sub-forwards of like length (0: as many as pays). The tensors are
        leaves: after the loss went backward to them, `backward` carries their gradients on into the backbone.
        """
        import torch

        encoder = self.encoder
        groups = self.pieces(rows, epoch)
        used = [_ids(table, picked) for items in groups.values() for _, table, picked in items]
        on_cpu = encoder.device.type == "cpu"
        # On a CPU, rounding the weights once and staying in bf16 is a fifth faster than autocast, which goes to and fro.
        autocast = torch.autocast(encoder.device.type, dtype=torch.bfloat16, enabled=precision == "bf16" and not on_cpu)
        own = precision if on_cpu else "fp32"
        self._work: list[_Work] = []
        context = encoder.computing(own, pooling=pooling, vocabulary=np.concatenate(used), unpadded=True)
        with autocast, context as states:
            self._states = states
            states.backbone.train()
            for policy, items in groups.items():
                altered = any(self.pipelines[view.augmentation].at("positions", "states") for view, _, _ in items)
                work = _Work(items, parts, self.crew if states.unpadded and not altered else None)
                value = 0.0 if policy == "off" else rate if policy == "on" else float(policy)
                # One generator for each piece: threads draw in no particular order.
                seeds = torch.randint(2**62, (len(work.pieces),)).tolist()

                def one(
                    number: int, work: _Work = work, seeds: list[int] = seeds, altered: bool = altered
                ) -> "Tensor | None":
                    if cancelled():
                        return None
                    ids, mask = work.batch(number, encoder)
                    generator = torch.Generator(encoder.device).manual_seed(seeds[number])
                    if altered:
                        hidden, mask = states.altered(ids, mask, self.alteration(work, number, generator))
                        return encoder.pool(hidden, ids, mask, pooling)
                    with encoder.drawing(generator if states.unpadded else None):
                        return encoder.pool(states(ids, mask, generator), ids, mask, pooling)

                with encoder.dropout(value, states.backbone):
                    work.outputs = list(work.share(one))
                if any(output is None for output in work.outputs):
                    return None
                self._work.append(work)
        leaves = {view: leaf for work in self._work for view, leaf in work.join().items()}
        generator = torch.Generator(encoder.device).manual_seed(int(torch.randint(2**62, ())))
        return {key(view): self.moved(view, leaf, generator) for view, leaf in leaves.items()}

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
        for work in self._work:
            given = work.given()

            def one(number: int, work: _Work = work, given: "list[Tensor]" = given) -> "list[Tensor | None]":
                return self._states.gradients(work.outputs[number], given[number])

            self._states.give(list(work.share(one)))
        self._work = []


def _some(rows: "Tensor", probability: float, generator: "Generator") -> "Tensor":
    """Those of the rows on which a step acts."""
    import torch

    return rows[torch.rand(len(rows), generator=generator, device=rows.device) < probability]


class _Work:
    """The views of one dropout policy, cut into pieces that are encoded one by one, or by threads at the same time."""

    def __init__(self, items: "list[tuple[View, TokenTable, np.ndarray]]", parts: int, crew: Crew | None) -> None:
        self.items, self.crew = items, crew
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
