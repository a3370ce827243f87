"""How a batch becomes views: all terms' requests gathered, equal ones encoded once, alike ones encoded together."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.augmentations import inside
from workbench.augmentations.draw import Draw, Drawer, Lines
from workbench.augmentations.inside import Planned
from workbench.augmentations.pipeline import parse
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.core.config import Augmenting, Term, View
from workbench.core.errors import BadData, BadSetting
from workbench.core.seeds import seeded
from workbench.models.alterations import Alteration
from workbench.models.crew import crew
from workbench.objectives import encoded
from workbench.objectives._following import follows, leader
from workbench.training.pieces import PIECES, Pieces, ids_of
from workbench.training.sifting import TextKey, Told, draw_number, drawn, sieves, sifted, text_key

if TYPE_CHECKING:
    from torch import Generator, Tensor

    from workbench.models.computing import Computing
    from workbench.models.encoder import Encoder
    from workbench.models.tokens import TokenTable

Columns = Mapping[str, Sequence[str]]
ViewKey = tuple[str, int, str, int, str | float]


def key(view: View) -> ViewKey:
    """What makes two requests one encoding."""
    return (*text_key(view), view.copy, view.dropout)


class Shown(NamedTuple):
    """The texts of a view for some rows: where their tokens are, and which augmentation changed each; None without."""

    table: "TokenTable"
    rows: np.ndarray
    texts: Callable[[], list[str]]
    labels: list[str] | None


class Supervised(NamedTuple):
    """The supervised terms of a step, and their loss as a function of the vectors of all views that follow no gradient."""

    terms: Sequence[Term]
    loss: "Callable[[dict[ViewKey, Tensor]], Tensor]"


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
        told: Told = lambda share, note: None,
    ) -> None:
        """`lines` makes and keeps what a model makes of all texts, see `Drawer`. `pooling` is what texts are tokenised for.
        `resources` are those of the corpus of which `columns` is a part, if it is one. `told` hears how far drawing is.

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
        # What models write, and what decides which rows there are, is made for the whole corpus at once, and kept: for
        # all epochs, or where a text is drawn anew in each, as the first draw.
        self.written: dict[TextKey, tuple[TokenTable, list[str], list[str]]] = {}
        self.first: dict[TextKey, list[Draw]] = {}
        wanted, labels = sieves(terms), {}
        for view in every:
            name, pipeline = text_key(view), self.pipelines[view.augmentation]
            if name in labels or not (pipeline.modelled or name in wanted):
                continue
            own = drawn(self.drawers[view.augmentation], pipeline, columns[view.role], self.number(view, 0), told)
            labels[name] = [made.label for made in own]
            if pipeline.modelled or not self.augmenting.resample:
                texts = [made.text for made in own]
                self.written[name] = self.tokenise(texts), texts, labels[name]
            else:
                self.first[name] = own
        self.sifted = sifted(terms, labels, self.augmenting)
        """The rows to train on, where a view decides about that; None: all."""
        self.shown: dict[TextKey, Shown] = {}
        """The texts of the latest batch."""
        self._work: list[Pieces] = []
        self._again, self._precision = False, "fp32"
        self._states: Computing
        self.crew = crew(torch.get_num_threads()) if encoder.device.type == "cpu" else None
        self.tables: dict[str, TokenTable] = {
            role: self.tokenise(list(columns[role]))
            for role in sorted({v.role for v in every if v.augmentation not in self.drawers})
        }

    def cut(self, parts: int) -> tuple[int, int]:
        """Pieces of a batch like the latest, `parts` unless 0, and how many of them are computed at the same time."""
        shared = self.crew.size if self.crew and any(work.crew for work in self._work) else 0
        return parts or shared or PIECES, shared or 1

    def number(self, view: View, epoch: int) -> int:
        """The draw number of a view in an epoch."""
        return draw_number(view, epoch, self.augmenting)

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
            draws = self._drawn(view, rows, epoch)
            made = [draw.text for draw in draws]
            labels = [draw.label for draw in draws]
            found = Shown(self.tokenise(made), np.arange(len(rows)), lambda: made, labels)
        else:
            found = Shown(self.tables[view.role], rows, lambda: [texts[row] for row in rows.tolist()], None)
        self.shown[text_key(view)] = found
        return found

    def _drawn(self, view: View, rows: np.ndarray, epoch: int) -> list[Draw]:
        """The draws of an epoch; of a view with `only_changed` the first one, where a later one changed nothing."""
        first = self.first.get(text_key(view))
        kept = [first[row] for row in rows.tolist()] if first is not None else []
        if first is not None and self.number(view, epoch) == self.number(view, 0):
            return kept
        texts = self.columns[view.role]
        found = self.drawers[view.augmentation].many([texts[row] for row in rows.tolist()], self.number(view, epoch))
        return [new if new.changed else old for new, old in zip(found, kept, strict=True)] if kept else found

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
        heads: float = 0.0,
        memory_parts: int = 0,
        precision: str = "fp32",
        cancelled: Callable[[], bool] = lambda: False,
        views: Sequence[View] | None = None,
        supervised: Supervised | None = None,
    ) -> dict[ViewKey, "Tensor"] | None:
        """One (batch, dim) fp32 tensor per view (of `views`, or of all), rows in batch order; None if cancelled on the way.

        `rate` is the dropout, and `heads` that of whole heads, of views that have it on. Views of one dropout policy share
        `parts` sub-forwards of like length (0: as many as pays). The tensors are
        leaves: after the loss went backward to them, `backward` carries their gradients on into the backbone. With
        `memory_parts` that many sub-forwards keep nothing for it, and each is computed again, with the same dropout.

        Views that follow a gradient are encoded after the others, whose vectors `supervised` makes a loss of. That
        gradient, at the embedding output of the view that they follow, is a constant from then on.

        Raises:
            BadSetting: a view follows a gradient, and no supervised term has its texts.
        """
        groups = self.pieces(rows, epoch, views)
        self._work = []
        if not groups:
            return {}
        leaders = self._leaders([view for items in groups.values() for view, _, _ in items], supervised)
        vocabulary = np.concatenate([ids_of(table, picked) for items in groups.values() for _, table, picked in items])
        self._again, self._precision = bool(memory_parts), precision
        # On a CPU, rounding the weights once and staying in bf16 is a fifth faster than autocast, which goes to and fro.
        own = precision if self.encoder.device.type == "cpu" else "fp32"
        # Heads are left out text by text, so texts must be told apart.
        unpadded = not (heads and "on" in groups)
        self._states = self.encoder.prepared(own, pooling=pooling, vocabulary=vocabulary, unpadded=unpadded)
        found: dict[ViewKey, Tensor] = {}
        gradients: dict[ViewKey, Tensor] = {}
        for following in (False, True):
            stage = {
                policy: some
                for policy, items in groups.items()
                if (some := [item for item in items if (key(item[0]) in leaders) == following])
            }
            if not stage:
                continue
            if following:
                assert supervised is not None  # as there are leaders
                gradients = self._followed(supervised.loss(found), leaders)
            with self._computing():
                work = self._encoded(
                    stage, pooling, (rate, heads), memory_parts or parts, gradients, leaders, cancelled
                )
            if work is None:
                return None
            self._work += work
            found |= self._leaves(work)
        return found

    def _leaders(self, views: Sequence[View], supervised: Supervised | None) -> dict[ViewKey, ViewKey]:
        """For each of the views that follow a gradient the one at whose embedding output it is taken."""
        found: dict[ViewKey, ViewKey] = {}
        for view in views:
            if follows(view):
                first = leader(view, supervised.terms if supervised else ())
                if first is None:
                    raise BadSetting(
                        f"{view.augmentation} follows the gradient of a supervised loss, and here is none."
                    )
                found[key(view)] = key(first)
        return found

    def _encoded(
        self,
        groups: Mapping[str | float, list[tuple[View, "TokenTable", np.ndarray]]],
        pooling: str,
        noise: tuple[float, float],
        parts: int,
        gradients: "Mapping[ViewKey, Tensor]",
        leaders: Mapping[ViewKey, ViewKey],
        cancelled: Callable[[], bool],
    ) -> list[Pieces] | None:
        """The views of some groups, each group's with vectors in its `outputs`; None if cancelled on the way."""
        import torch

        states, done = self._states, []
        for policy, items in groups.items():
            keys = [key(view) for view, _, _ in items]
            led = frozenset(place for place, own in enumerate(keys) if own in leaders.values())
            altered = bool(led) or any(
                self.pipelines[view.augmentation].at("positions", "states") for view, _, _ in items
            )
            value, heads = noise if policy == "on" else (0.0 if policy == "off" else float(policy), 0.0)
            threads = None if altered or not states.unpadded else self.crew
            own = {place: gradients[one] for place, one in enumerate(keys) if one in gradients}
            work = Pieces(items, parts, threads, value, heads, altered, pooling, own, led)
            # One generator for each piece: threads draw in no particular order.
            work.seeds = torch.randint(2**62, (len(work.pieces),)).tolist()

            def one(number: int, work: Pieces = work) -> "Tensor | None":
                with torch.set_grad_enabled(torch.is_grad_enabled() and not self._again):  # of each thread
                    return self._piece(states, work, number, cancelled)

            with self._noisy(work, states):
                work.outputs = list(work.share(one))
            if any(output is None for output in work.outputs):
                return None
            done.append(work)
        return done

    def _leaves(self, done: Sequence[Pieces]) -> dict[ViewKey, "Tensor"]:
        """The vectors of what was encoded, as leaves; behind what the pipelines do to vectors."""
        import torch

        leaves = {view: leaf for work in done for view, leaf in work.join().items()}
        if self._again:
            for work in done:
                work.outputs = []
        generator = torch.Generator(self.encoder.device).manual_seed(int(torch.randint(2**62, ())))
        return {key(view): self.moved(view, leaf, generator) for view, leaf in leaves.items()}

    def _followed(self, loss: "Tensor", leaders: Mapping[ViewKey, ViewKey]) -> dict[ViewKey, "Tensor"]:
        """For each view that follows, the gradient of a loss at the embedding output of the one that it follows.

        It stops there: no parameter gets any of it.
        """
        import torch

        leaves = [leaf for work in self._work for leaf in work.leaves]
        # The supervised loss goes backward itself once more, through what the pipelines did to vectors.
        given = iter(torch.autograd.grad(loss, leaves, allow_unused=True, retain_graph=True))
        at: dict[ViewKey, Tensor] = {}
        for work in self._work:
            pieces = work.given([next(given) for _ in work.leaves])
            if not work.led:
                continue
            found = []
            for number, own in enumerate(pieces):
                if self._again:
                    with torch.enable_grad(), self._computing() as states, self._noisy(work, states):
                        output = self._piece(states, work, number)
                else:
                    output = work.outputs[number]
                assert output is not None
                (one,) = torch.autograd.grad(
                    output, work.embedded[number], own.to(output.dtype), retain_graph=not self._again
                )
                found.append(one)
            at |= {key(work.items[place][0]): work.at_embeddings(place, found) for place in work.led}
            work.led, work.embedded = frozenset(), {}
        return {view: at[first] for view, first in leaders.items()}

    @contextmanager
    def _computing(self) -> "Iterator[Computing]":
        """The backbone in train mode, as it was prepared for the latest batch."""
        import torch

        kind, states = self.encoder.device.type, self._states
        rounded = self._precision == "bf16" and kind != "cpu"
        with torch.autocast(kind, dtype=torch.bfloat16, enabled=rounded), states.active():
            states.backbone.train()
            yield states

    def _noisy(self, work: Pieces, states: "Computing") -> AbstractContextManager[None]:
        """The dropout of some views inside."""
        return self.encoder.dropout(work.rate, states.backbone, work.heads)

    def _piece(
        self, states: "Computing", work: Pieces, number: int, cancelled: Callable[[], bool] = lambda: False
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

    def alteration(self, work: Pieces, number: int, generator: "Generator") -> Alteration:
        """What the pipelines of a piece's views do to its positions and states, each to the rows of its own view."""
        import torch

        owner = work.owner[work.pieces[number]]
        planned = []
        for place, (view, _, _) in enumerate(work.items):
            rows = torch.from_numpy(np.flatnonzero(owner == place)).to(generator.device)
            followed = partial(work.followed, number, place)
            for step in self.pipelines[view.augmentation].at("positions", "states"):
                acting = partial(_some, rows, step.probability, generator)
                planned.append(Planned(step, acting, generator, followed))
        found = inside.alteration(planned)

        def states(values: "Tensor", mask: "Tensor") -> "tuple[Tensor, Tensor]":
            if work.led and torch.is_grad_enabled():
                # Parameters before it may all be frozen.
                work.embedded[number] = values if values.requires_grad else values.requires_grad_()
            return (values, mask) if found.states is None else found.states(values, mask)

        return Alteration(found.positions, states)

    def moved(self, view: View, vectors: "Tensor", generator: "Generator") -> "Tensor":
        """What the pipeline of a view does to its vectors, the pool of other vectors being the batch."""
        import torch

        rows = torch.arange(len(vectors), device=vectors.device)
        steps = self.pipelines[view.augmentation].at("vectors")
        return inside.moved(
            [Planned(step, partial(_some, rows, step.probability, generator), generator) for step in steps], vectors
        )

    def backward(self) -> None:
        """From the gradients of the vectors of the latest batch to those of the backbone's parameters."""
        if self._again and self._work:
            self._backward_again()
            return
        for work in self._work:
            given = work.given()

            def one(number: int, work: Pieces = work, given: "list[Tensor]" = given) -> "list[Tensor | None]":
                return self._states.gradients(work.outputs[number], given[number])

            self._states.give(list(work.share(one)))
        self._work = []

    def _backward_again(self) -> None:
        """See `backward`: each piece is computed a second time, now with gradient, and dropped at once."""
        import torch

        with self._computing() as states:
            for work in self._work:
                given = work.given()

                def one(number: int, work: Pieces = work, given: "list[Tensor]" = given) -> "list[Tensor | None]":
                    with torch.enable_grad():
                        output = self._piece(states, work, number)
                    assert output is not None
                    return states.gradients(output, given[number])

                with self._noisy(work, states):
                    for found in work.share(one):
                        states.give([found])
        self._work = []


def _some(rows: "Tensor", probability: float, generator: "Generator") -> "Tensor":
    """Those of the rows on which a step acts."""
    import torch

    return rows[torch.rand(len(rows), generator=generator, device=rows.device) < probability]
