"""Contrastive fine-tuning: one generator of steps. The caller saves, evaluates and plots."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.augmentations.draw import NONE, Lines
from workbench.core.config import RunConfig, Term
from workbench.core.device import checked
from workbench.core.errors import BadData, BadSetting
from workbench.core.method import Method, calling, find
from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import seeded, torch_generator
from workbench.heads import METHODS as HEADS
from workbench.losses import FLAGGED, INPUTS, needs, takes
from workbench.losses._rows import unit_rows
from workbench.objectives import GUIDE, encoded, method_of
from workbench.objectives import numbers as numbers_of
from workbench.objectives._following import supervised
from workbench.training import modules
from workbench.training.batch import Batch, row_numbers
from workbench.training.batches import batches, check_rows, in_steps, numbered, steps_per_epoch
from workbench.training.optimiser import clip_gradients
from workbench.training.processes import Processes
from workbench.training.requests import Columns, ViewKey, key, requests
from workbench.training.resumable import Resumable
from workbench.training.steps import Clock, Queued, Reading, loss_and_figures, one_number
from workbench.training.texts import Texts
from workbench.training.views import Supervised, Views
from workbench.training.weights import fill, load_weights

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.models.backbone import Backbone
    from workbench.models.encoder import Encoder

EXCHANGED_PIECES = 4
"""CUDA graphs of the layers where several processes share a batch, so that gradients of the last leave before the first's."""


class Loop(Resumable):
    """A fine-tuning run in progress."""

    def __init__(
        self,
        encoder: "Encoder",
        columns: Columns,
        config: RunConfig,
        *,
        precision: str = "fp32",
        cancelled: Callable[[], bool] = lambda: False,
        lines: Lines | None = None,
        numbers: Mapping[str, np.ndarray] | None = None,
        on_progress: Progress = no_progress,
    ) -> None:
        """Tokenise the corpus and build head, objectives and optimiser. `numbers` are the corpus's numeric columns, by name.

        Where a view has `only_changed`, its texts are drawn here, which `on_progress` reports, and `config` gets the number
        of steps that its epochs are with the rows that are left.

        Raises:
            BadData: the corpus lacks a text column or numbers that a term needs, or has numbers that it cannot take.
            BadModel: a term needs a second model, or a part of one, that is missing.
            BadSetting: the processes cannot share a batch evenly.
        """

        self.encoder, self.config, self.precision, self.cancelled = encoder, config, precision, cancelled
        self.processes = Processes()
        if config.training.batch_size % self.processes.count:
            raise BadSetting(
                f"A batch of {config.training.batch_size} cannot be shared by {self.processes.count} processes.",
                way_out=f"Use a multiple of {self.processes.count}.",
            )
        self.columns, self.values = columns, dict(numbers or {})
        self.rows = len(next(iter(columns.values())))
        self.texts = Texts(
            encoder,
            config.terms,
            columns,
            max_length=config.training.max_length,
            seed=config.training.seed,
            pooling=config.model.pooling,
            augmenting=config.augmenting,
            lines=lines,
            on_progress=on_progress,
        )
        self.views, self.row_filter = Views(self.texts, config.terms), self.texts.row_filter
        if self.views.graphs is not None and self.processes.count > 1:
            self.views.graphs.pieces = EXCHANGED_PIECES
        if self.row_filter is not None:
            self.config = in_steps(config, self.row_filter.share)
        self.passed: int | Tensor = 0
        """How many tokens objectives have passed through the encoder in the latest step; on the device, if any were."""
        self.rehearsing = False
        """True in a dry run, where every row counts, even if its augmentation changed nothing."""
        self.head = modules.new_head(encoder, config)
        self.losses = [method_of(term) for term in config.terms]
        self._check_columns()
        self.guides = [modules.guide(encoder, term) for term in config.terms]
        self.objectives = modules.new_objectives(encoder, config)
        self._check_numbers()
        self.start()

    def _check_columns(self) -> None:
        for term in self.config.terms:
            for name in numbers_of(term):
                if name not in self.values and name not in term.views:
                    raise BadData(
                        f"{term.name} needs a column called {name!r}.",
                        got=f"a corpus with {', '.join([*self.columns, *self.values])}",
                        way_out="Choose a corpus with that column, or another recipe.",
                    )

    def _check_numbers(self) -> None:
        for number, module in self.objectives.items():
            check: Callable[[Mapping[str, np.ndarray]], None] | None = getattr(module, "check", None)
            if check is not None:
                with calling("objective", self.losses[number]):
                    check(self.values)

    def named_parameters(self) -> dict[str, "nn.Parameter"]:
        """Everything that is trained, by name."""
        return modules.named_parameters(self.encoder, self.head, self.objectives)

    @property
    def steps_per_epoch(self) -> int:
        """Full batches in one pass over the corpus, see `batches.steps_per_epoch`."""
        return steps_per_epoch(len(self.taken), self.config.training.batch_size)

    @property
    def taken(self) -> "range | np.ndarray":
        """The rows of the corpus that are trained on."""
        return range(self.rows) if self.row_filter is None else self.row_filter.rows

    def check_rows(self) -> None:
        """Check that the rows to train on fill at least one batch.

        Raises:
            BadSetting: they do not; the message names the augmentation that left too few, if one did.
        """
        if self.row_filter is not None:
            self.row_filter.check(self.config.training.batch_size)
        check_rows(self.rows, self.config.training.batch_size)

    def _batches(self) -> Iterator[tuple[int, np.ndarray]]:
        self.check_rows()
        training = self.config.training
        same_text = numbered(self.columns.values()) if training.dedup_batch else None
        among = None if self.row_filter is None else self.row_filter.rows
        return batches(
            self.rows, training.batch_size, seed=training.seed, start=self.step, same_text=same_text, among=among
        )

    def queued(self) -> Iterator[Queued]:
        """See `Resumable.queued`."""
        self.optimizer.__dict__.pop("found_inf", None)  # of a training that diverged, and is tried again
        training = self.config.training
        batches = self._batches()
        following = next(batches)
        self.texts.tokenise_ahead(self.processes.share(following[1]))
        while self.step < training.steps and not self.cancelled():
            began = Clock(self.encoder.device)
            epoch, batch = following
            if self.step + 1 < training.steps:
                following = next(batches)
                self.texts.tokenise_ahead(self.processes.share(following[1]))
            device = str(self.encoder.device)
            # `checked`: the numbers were checked before they went to the device, and every text has a token.
            with seeded(training.seed, self.step, "dropout", self.processes.index, device=device), checked():
                done = self._one(batch, epoch)
            if done is None:
                return
            self.step += 1
            self.samples += len(batch)
            ended = Clock(self.encoder.device)
            yield Queued(self.step, *done, self.samples, epoch, began, ended, self.check_finite)

    def forward(self, batch: np.ndarray, epoch: int) -> "tuple[Tensor, dict[str, Tensor], Tensor | None] | None":
        """(weighted loss, its terms and logged figures by name, in-batch accuracy) of one batch, as scalar tensors.

        The loss has a gradient. The accuracy is None if no term has partners; all is None if cancelled meanwhile.
        """
        import torch

        found = self.encoded(batch, epoch)
        if found is None:
            return None
        pooled, vectors = self._headed(found)
        losses: dict[str, Tensor] = {}
        figures: dict[str, Tensor] = {}
        accuracy = None
        for number, term in self._acting():
            name = f"{number}.{term.name}"
            inputs = self._vectors(term, vectors)
            value, said = self._value(number, term, inputs, pooled, batch, epoch)
            figures |= {f"{name}.{figure}": number for figure, number in said.items()}
            losses[name] = term.weight * value
            if accuracy is None and {"a", "b"} <= inputs.keys():
                accuracy = _accuracy(inputs["a"], inputs["b"])
        total = torch.stack(list(losses.values())).sum()
        return total, losses | figures, accuracy

    def encoded(self, batch: np.ndarray, epoch: int) -> "dict[ViewKey, Tensor] | None":
        """(rows, dim) vectors of each view, before head and losses, for this process's rows; None if cancelled meanwhile."""
        training, acting = self.config.training, self._acting()
        return self.views.encode(
            self.processes.share(batch),
            epoch=epoch,
            pooling=self.config.model.pooling,
            rate=training.dropout,
            heads=training.drophead,
            parts=training.parts,
            memory_parts=training.memory_parts,
            precision=self.precision,
            cancelled=self.cancelled,
            views=requests([term for _, term in acting]),
            supervised=self._supervised(acting, batch, epoch),
        )

    def _acting(self) -> "list[tuple[int, Term]]":
        return [(number, term) for number, term in enumerate(self.config.terms) if term.acts(self.step)]

    def _supervised(self, acting: "Sequence[tuple[int, Term]]", batch: np.ndarray, epoch: int) -> Supervised:
        """The supervised terms of a step and a function that computes their loss, for the views that follow its gradient."""
        import torch

        own = [(number, term) for number, term in acting if supervised(term)]

        def loss(encoded: "dict[ViewKey, Tensor]") -> "Tensor":
            own_modules = [self.head, *(self.objectives.get(number) for number, _ in own)]
            with modules.counted_once(own_modules):
                pooled, vectors = self._headed(encoded)
                values = [
                    term.weight * self._value(number, term, self._vectors(term, vectors), pooled, batch, epoch)[0]
                    for number, term in own
                ]
            return torch.stack(values).sum()

        return Supervised([term for _, term in own], loss)

    def _headed(self, encoded: "Mapping[ViewKey, Tensor]") -> "tuple[dict[ViewKey, Tensor], dict[ViewKey, Tensor]]":
        """The vectors of all processes: as pooled, and after the head."""
        import torch

        pooled = vectors = {name: self.processes.gathered(tensor) for name, tensor in encoded.items()}
        if self.head is not None and vectors:
            # One call for all views, so that batch normalisation sees them together.
            self.head.train()
            with calling("head", find(HEADS, "head", self.config.model.head)):
                joined = self.head(torch.cat(list(vectors.values())))
            vectors = dict(zip(vectors, joined.split([len(tensor) for tensor in vectors.values()]), strict=True))
        return pooled, vectors

    def _value(
        self,
        number: int,
        term: Term,
        inputs: "Mapping[str, Tensor]",
        pooled: "Mapping[ViewKey, Tensor]",
        batch: np.ndarray,
        epoch: int,
    ) -> "tuple[Tensor, dict[str, Tensor]]":
        """(loss before its weight, figures to log) of one term."""
        seen, method = self._batch(number, term, batch, epoch, pooled), self.losses[number]
        if number in self.objectives:
            with calling("objective", method):
                returned = self.objectives[number].train()(inputs, seen)
            self.passed = self.passed + seen.passed
            value, said = loss_and_figures(returned, method)
            return one_number(value, method, inputs.values()), said
        settings = {key: value for key, value in term.settings.items() if key != GUIDE}
        extras = self._extras(number, term, method, seen)
        with calling("loss", method):
            value = method.fn(**inputs, **extras, **settings)
        return one_number(value, method, inputs.values()), {}

    def _vectors(self, term: Term, vectors: "Mapping[ViewKey, Tensor]") -> "dict[str, Tensor]":
        """The vectors that a term takes, by the names of its inputs."""
        import torch

        found = {name: vectors[key(term.views[name])] for name in encoded(term)}
        for name, view in term.more.items():
            found[name] = torch.cat([found[name], vectors[key(view)]])
        return found

    def _batch(
        self, number: int, term: Term, rows: np.ndarray, epoch: int, pooled: "Mapping[ViewKey, Tensor] | None" = None
    ) -> Batch:
        training = self.config.training
        return Batch(
            term,
            rows,
            epoch,
            texts=self.texts,
            numbers=self.values,
            processes=self.processes,
            generator=torch_generator(training.seed, self.step, "objective", number, device=str(self.encoder.device)),
            pooled=pooled or {},
            rate=training.dropout,
            heads=training.drophead,
            precision=self.precision,
            chunks=training.memory_parts,
        )

    def _extras(self, number: int, term: Term, method: Method, seen: Batch) -> "dict[str, Tensor]":
        """What a loss takes besides trained vectors: scores, guide vectors, and flags for rows that an augmentation changed."""
        import torch

        required = needs(method, term.settings)
        found: dict[str, Tensor] = {}
        for name in (*required, *takes(method, term.settings)):
            if name in term.views:
                continue
            if INPUTS[name] == "score" and (name in self.values or name in required):
                found[name] = row_numbers(self.values[name], seen.rows, self.encoder)
            elif INPUTS[name] == "flag" and not self.rehearsing:
                view = next((own for own in FLAGGED if own in term.views), "")
                if view and self.texts.show(term.views[view], self.processes.share(seen.rows), seen.epoch).labels:
                    # In CPU memory, where a loss can count them without waiting for a GPU.
                    found[name] = torch.from_numpy(np.array([label != NONE for label in seen.labels(view)]))
            elif INPUTS[name] == "guide" and name.removeprefix("guide_") in term.views:
                guide, view = self.guides[number], name.removeprefix("guide_")
                assert guide is not None  # `settle` refuses a term without a guide
                own = self.texts.show(term.views[view], self.processes.share(seen.rows), seen.epoch).texts()
                vectors = guide.on_device(own, self.config.training.max_length)
                found[name] = self.processes.gathered(vectors)
        return found

    def _one(self, batch: np.ndarray, epoch: int) -> "tuple[float, tuple[str, ...], bool, Reading] | None":
        """(learning rate, names of terms and figures, whether there is an accuracy, the reading of all) of a step."""
        import torch

        training = self.config.training
        self.optimizer.zero_grad(set_to_none=True)
        self.passed = 0
        found = self.forward(batch, epoch)
        if found is None:
            return None
        loss, losses, accuracy = found
        loss.backward()
        parameters = self.named_parameters()
        exchange = self.processes.exchange
        if exchange is None:
            self.views.backward()
        else:
            exchange.begin()
            self.views.backward(exchange.ready)
            exchange.finish(parameters)
        limit = training.clip or math.inf
        size = clip_gradients(list(parameters.values()), limit, self.encoder.device.type)
        tokens = self.processes.total(self.views.tokens, self.encoder.device)[0] + self.passed
        named = [loss, size, tokens, *losses.values(), *([] if accuracy is None else [accuracy])]
        numbers = torch.stack([one.detach().float() for one in named])
        reading = Reading(numbers)
        now = self.checked_update(reading, numbers[:2])
        for number, module in self.objectives.items():
            after: Callable[[], None] | None = getattr(module, "after_step", None)
            if after is not None and self.config.terms[number].acts(self.step):
                with calling("objective", self.losses[number]):
                    after()
        return now, tuple(losses), accuracy is not None, reading

    def rivals(self) -> "dict[str, Backbone]":
        """Encoders of the backbone's shape that objectives train alongside it; any of them may turn out better."""
        found: dict[str, Backbone] = {}
        for number, module in self.objectives.items():
            own: Callable[[], dict[str, Backbone]] = getattr(module, "rivals", dict)
            found |= {f"{number}.{self.config.terms[number].name}.{name}": rival for name, rival in own().items()}
        return found

    def weights(self) -> dict[str, "Tensor"]:
        """Detached fp32 tensors of backbone, head and objectives, by name."""
        return modules.weights(self.encoder, self.head, self.objectives)

    def load_weights(self, weights: Mapping[str, "Tensor"]) -> None:
        """Put the tensors of a checkpoint into backbone, head and objectives; see `Resumable.load_weights`."""
        load_weights(self.encoder, self.head, weights)
        for number, module in self.objectives.items():
            fill(f"objectives.{number}.", module, weights)


def _accuracy(a: "Tensor", b: "Tensor") -> "Tensor":
    """Share of rows of `a` whose nearest row of `b`, by cosine, is their own partner."""
    import torch

    with torch.no_grad():
        nearest = (unit_rows(a) @ unit_rows(b).T).argmax(dim=1)
        return (nearest == torch.arange(len(a), device=a.device)).float().mean()
