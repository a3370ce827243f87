"""What a training will need, measured on a few rows before it starts."""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from workbench.core import cgroups
from workbench.core.device import checked, queues
from workbench.core.errors import Refused
from workbench.core.seeds import numpy_rng, seeded, some_rows
from workbench.models.thread_pool import Item, Result, ThreadPool
from workbench.models.unpadded import supports
from workbench.training.optimiser import MOMENTS, clip_gradients
from workbench.training.peak_memory import peak
from workbench.training.processes import Processes
from workbench.training.steps import Clock
from workbench.training.timing import PATIENCE_OF_UPDATES, least_seconds, update_seconds

if TYPE_CHECKING:
    from torch import Tensor

    from workbench.training.loop import Loop

SIMILARITIES = 4
"""Matrices of all vectors of a batch against all that a loss holds at once: only they do not grow linearly with rows."""
BACK = 1.05
"""Memory of the backward pass relative to the forward states: a layer's gradients were measured to add 1 to 7 %."""
WORKSPACES = 2 * 32 * 2**20
"""Bytes that cuBLAS takes on a Hopper GPU for the two streams on which CUDA graphs are made; on others it takes less."""
LOOKED_AT = 20_000
"""Rows that a dry run looks at; of a larger corpus, as many drawn at random."""
TOKENISED = 512
"""Of these, as many of the longest in bytes are tokenised."""
PARTS = (2, 4, 8, 16, 32, 64, 128, 256)
"""Values of memory_parts to try if a batch does not fit."""


@dataclass(frozen=True)
class Estimate:
    """Peak memory beyond what is loaded now (bytes), what the device has free (bytes), and time (seconds).

    `fitting_parts` is a value of memory_parts that makes a batch fit which otherwise does not; 0 if none is known or needed.
    """

    needed_bytes: int
    free_bytes: int
    seconds_per_step: float
    seconds: float
    fitting_parts: int = 0


@contextmanager
def counting(seen: dict[int, int]) -> Iterator[None]:
    """A context that puts into `seen` the bytes that autograd keeps for the backward pass, by storage pointer."""
    from torch.autograd.graph import saved_tensors_hooks

    def pack(tensor: "Tensor") -> "Tensor":
        storage = tensor.untyped_storage()
        seen[storage.data_ptr()] = storage.nbytes()
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        yield


def free_bytes(device: str) -> int:
    """Free memory of `device`, in bytes; in a container what its limit leaves."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.mem_get_info(device)[0])
    import psutil

    return int(min(psutil.virtual_memory().available, cgroups.free_bytes()))


def estimate(loop: "Loop", *, rows: int = 16, patience: float = 0.0, beside: int = 0) -> Estimate:
    """Run forward and backward on `rows` texts and scale time and memory to the batch; the weights stay untouched.

    Memory is measured on the longest texts of the corpus, or of a large sample of it, so it is an upper bound, to within a
    few percent; on a GPU, where padding is left out and a batch is large, on texts as long as those of the longest batch can
    be expected to be. Time is measured on random ones, again and again for `patience` seconds, of which the least counts: what
    else the machine does only adds to it. With patience it is that of a whole batch, if that takes no longer and fits, and of the
    update of the weights. On a GPU, which takes as long for a few rows as for many, it is that of a whole batch if that fits.
    All prefer distinct texts, because some objectives refuse a batch of equal ones. Memory grows linearly with rows, so a few of
    them suffice, and the dry run itself does not run out of memory. So many other processes of the run that are `beside` this
    one, in the same memory, need as much.
    """
    training = loop.config.training
    taken = _taken(loop)
    rows = min(rows, training.batch_size, len(taken))
    longest = _distinct(loop, _longest_first(loop, taken), rows)
    expected = _expected(loop, taken, longest)
    order = numpy_rng(training.seed, "dry run").permutation(taken)
    some = _distinct(loop, order, rows)
    share = training.batch_size / loop.processes.count
    chunks = _chunks(loop, rows)
    seconds, memory, gpu = 0.0, [], queues(loop.encoder.device)
    with _rehearsing(loop):
        # Steps in which the same terms act need the same time and memory.
        kinds = _kinds(loop).values()

        def timed(batch: np.ndarray, patience: float) -> float:
            """The time of a step by that of `batch`, where all kinds of steps have their share."""
            found = 0.0
            for first, part in kinds:
                loop.step = first
                found += part * least_seconds(lambda: _seconds(loop, batch), patience) * share / len(batch)
            return found

        for first, _ in kinds:
            loop.step = first
            with _cut(loop, chunks, training.parts):
                _backward(loop, some[:2])  # warm-up: one-time work happens here
            # Objectives see the texts of all processes.
            memory.append(_Memory(loop, longest, expected, training.batch_size if loop.objectives else share))
        with _cut(loop, chunks, training.parts):
            seconds = timed(some, 0.0)
        free = free_bytes(str(loop.encoder.device))

        def needed(parts: int) -> int:
            return (1 + beside) * max(one.needed(parts) for one in memory)

        # Chunks take several times as long to measure, and matter only where there are some or a batch does not fit.
        if training.memory_parts or needed(0) > free:
            for (first, _), one in zip(kinds, memory, strict=True):
                loop.step = first
                one.measure_chunks(loop, longest)
        if needed(training.memory_parts) <= free and (gpu or seconds <= patience):
            whole = _distinct(loop, order, math.ceil(share))
            for first, _ in kinds if gpu else ():
                loop.step = first
                _backward(loop, whole)  # warm-up: kernels for texts of this length are compiled
            seconds = timed(whole, patience)
        elif patience:
            with _cut(loop, chunks, training.parts):
                seconds = min(seconds, timed(some, patience))
        if patience and needed(training.memory_parts) <= free and not gpu:
            seconds += update_seconds(loop.named_parameters(), training, PATIENCE_OF_UPDATES)
    fitting = 0
    if needed(training.memory_parts) > free:
        fitting = next((parts for parts in PARTS if parts > training.memory_parts and needed(parts) <= free), 0)
    steps = training.steps - loop.step
    return Estimate(needed(training.memory_parts), free, seconds, seconds * steps, fitting)


def check_finite(loop: "Loop", *, rows: int = 16) -> None:
    """Run forward and backward on a few rows and refuse what the training itself would refuse; the weights stay untouched.

    Here the numbers are waited for, which a training on a GPU does not do within a step.

    Raises:
        Diverged: the loss or the gradient of some step ahead is not finite, whatever was learnt before it.
    """
    training, taken = loop.config.training, _taken(loop)
    rows = min(rows, training.batch_size, len(taken))
    some = _distinct(loop, numpy_rng(training.seed, "dry run").permutation(taken), rows)
    with _rehearsing(loop), _cut(loop, _chunks(loop, rows), training.parts):
        for first, _ in _kinds(loop).values():
            loop.step = first
            loop.optimizer.zero_grad(set_to_none=True)
            loss = _backward(loop, some)
            norm = clip_gradients(list(loop.named_parameters().values()), math.inf, loop.encoder.device.type)
            loop.check_finite("The loss", float(loss), first + 1)
            loop.check_finite("The gradient's norm", float(norm), first + 1)


def _taken(loop: "Loop") -> np.ndarray:
    """The rows to train on; of very many, some drawn at random."""
    every = loop.taken if len(loop.taken) else range(loop.rows)  # a filter may leave no row of a partial corpus
    return np.array(
        [every[row] for row in some_rows(len(every), LOOKED_AT, loop.config.training.seed, "dry run lengths")]
    )


def _chunks(loop: "Loop", rows: int) -> int:
    """As many chunks of so many rows as make each as large as in training; 0 if it has none."""
    training = loop.config.training
    share = training.batch_size / loop.processes.count
    return math.ceil(rows / math.ceil(share / training.memory_parts)) if training.memory_parts else 0


class _Memory:
    """Memory of a step, from forward passes over some rows and over half of them: as in training or, for chunks, in one part
    and row by row."""

    def __init__(self, loop: "Loop", longest: np.ndarray, expected: np.ndarray, rows: float) -> None:
        """`rows` is the number of rows in a step, and `expected` are rows like those of the longest batch."""
        training, self.rows = loop.config.training, rows
        self.whole = _line(expected, lambda some: _peak(loop, some, parts=training.parts))
        self.micro_batches, self.at_once = loop.views.cut(training.parts)
        vectors = training.batch_size * max(len(term.views) + len(term.more) for term in loop.config.terms)
        trained = loop.named_parameters()
        # Gradient and the optimiser's moments for each parameter; half again for bf16 copies, and for their gradients.
        rounded = 0.5 if loop.precision == "bf16" else 0
        given = (1 + rounded) * _size(trained.values())
        fixed = _size(trained.values()) * (MOMENTS[training.optimiser] + rounded)
        # A GPU's memory is free for the forward pass before the gradients come; a CPU's is kept by the allocator.
        self.late = given if queues(loop.encoder.device) else 0
        fixed += WORKSPACES if self.late else _size(trained.values())
        # A parameter that is used twice has two gradients until they are summed.
        twice = max((_size([p]) for name, p in trained.items() if not name.startswith("backbone.")), default=0)
        self.fixed = int(fixed) + twice + SIMILARITIES * 4 * vectors**2 + _pairwise(loop, longest)
        table = loop.encoder.backbone.get_input_embeddings().weight
        self.gradient = _size(p for p in loop.encoder.backbone.parameters() if p.requires_grad and p is not table)

    def measure_chunks(self, loop: "Loop", longest: np.ndarray) -> None:
        """What `needed` must know for a batch in chunks."""
        self.micro_batch = (
            self.whole
            if self.micro_batches == 1 and not self.late
            else _line(longest, lambda some: _peak(loop, some, parts=1))
        )
        alone = self.at_once == 1
        self.encoded = (
            self.micro_batch if alone else _line(longest, lambda some: _peak(loop, some, parts=1, losses=False))
        )
        self.kept = _line(longest, lambda some: _peak(loop, some, memory_parts=len(some)))

    def needed(self, memory_parts: int) -> int:
        """Peak bytes with that many chunks, for which `measure_chunks` comes first; 0 means no chunks.

        In the backward pass, the states of a micro-batch are freed while its gradient of the backbone is allocated. Of the
        micro-batches computed at the same time, only one also holds what losses and objectives need, since those run in turn.
        """
        if not memory_parts:
            return self.fixed + int(max(BACK * self.whole(self.rows), self.micro_batches * self.gradient, self.late))
        rows = math.ceil(self.rows / memory_parts)
        micro_batch = max(BACK * self.micro_batch(rows) - self.kept(rows), self.gradient)
        others = (min(self.at_once, memory_parts) - 1) * min(micro_batch, max(BACK * self.encoded(rows), self.gradient))
        # One more gradient: the sum of those computed so far.
        return self.fixed + int(self.kept(self.rows) + micro_batch + others + max(self.gradient, self.late))


def _longest_first(loop: "Loop", taken: np.ndarray) -> np.ndarray:
    """The rows with the longest texts, longest first, then the others: by tokens among the longest in bytes."""
    texts = loop.texts
    if not texts.plain:
        return taken
    size = np.zeros(len(taken), dtype=np.int64)
    for role in texts.plain:
        size += np.fromiter((len(text.encode("utf-8", "replace")) for text in texts.picked(role, taken)), np.int64)
    order = taken[np.argsort(-size, kind="stable")]
    first, others = order[:TOKENISED], order[TOKENISED:]
    tokens = np.sum([lengths.astype(np.int64) for lengths in texts.lengths(first)], axis=0)
    return np.concatenate([first[np.argsort(-tokens, kind="stable")], others])


def _expected(loop: "Loop", taken: np.ndarray, longest: np.ndarray) -> np.ndarray:
    """As many rows as `longest`, as long on average as those of the longest batch of the training is expected to be.

    That is for a GPU without padding. Elsewhere they are `longest` itself: micro-batches of texts of similar length are
    as large as their longest text, and memory that a CPU's allocator has taken is not given back.
    """
    training, texts, count = loop.config.training, loop.texts, len(longest)
    device, backbone = loop.encoder.device, loop.encoder.backbone
    if not texts.plain or not queues(device) or training.drophead or not supports(backbone):
        return longest
    some = numpy_rng(training.seed, "dry run lengths of a batch").permutation(taken)[:TOKENISED]
    tokens = np.sum([lengths.astype(np.int64) for lengths in texts.lengths(some)], axis=0)
    # The largest of n normal variates is at most sqrt(2 ln n) standard deviations above their mean, on average.
    above = math.sqrt(2 * math.log(max(training.steps, 2)) * loop.processes.count / training.batch_size)
    order = np.argsort(-tokens, kind="stable")
    means = np.cumsum(tokens[order]) / np.arange(1, len(order) + 1)
    kept = order[: max(count, int((means >= tokens.mean() + above * tokens.std()).sum()))]
    spaced = kept[np.linspace(0, len(kept) - 1, count).round().astype(int)]
    # Every other one first: the line is drawn through them all and the first half.
    return _distinct(loop, some[np.concatenate([spaced[::2], spaced[1::2], np.setdiff1d(kept, spaced)])], count)


def _size(tensors: "Iterable[Tensor]") -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def _pairwise(loop: "Loop", longest: np.ndarray) -> int:
    """Bytes that objectives declare for all pairs of texts in a batch, which a linear fit over a few rows cannot show."""
    lengths = loop.texts.lengths(longest)
    tokens = max((int(own.max()) for own in lengths), default=loop.config.training.max_length)
    found = 0
    for module in loop.objectives.values():
        own: Callable[[int, int], int] = getattr(module, "pairwise_bytes", lambda rows, tokens: 0)
        found += own(loop.config.training.batch_size, tokens)
    return int(found)


def _line(longest: np.ndarray, size: Callable[[np.ndarray], int]) -> Callable[[float], float]:
    """Bytes as a linear function of rows, from all those given and their longer half: an upper bound for fewer and for more."""
    rows, all_bytes = len(longest), size(longest)
    half = rows // 2
    a_row = (all_bytes - size(longest[:half])) / (rows - half) if half > 1 else all_bytes / rows
    return lambda count: max(0.0, all_bytes + a_row * (count - rows))


class _InTurn(ThreadPool):
    """A pool of one thread, because a thread's allocations can be measured only in that thread."""

    def map(self, fn: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        return map(fn, items)


def _peak(loop: "Loop", rows: np.ndarray, *, memory_parts: int = 0, parts: int = 0, losses: bool = True) -> int:
    """Peak bytes of a forward pass, or of its encoding alone."""
    with _cut(loop, memory_parts, parts), _counted(loop):
        return peak(lambda: loop.forward(rows, 0) if losses else loop.encoded(rows, 0))


@contextmanager
def _counted(loop: "Loop") -> Iterator[None]:
    """A context in which one thread does all the work."""
    thread_pool = loop.views.thread_pool
    loop.views.thread_pool = thread_pool and _InTurn(thread_pool.size)
    try:
        yield
    finally:
        loop.views.thread_pool = thread_pool


@contextmanager
def _cut(loop: "Loop", memory_parts: int, parts: int) -> Iterator[None]:
    """A context in which the loop has these numbers of chunks and micro-batches."""
    config = loop.config
    loop.config = replace(config, training=replace(config.training, memory_parts=memory_parts, parts=parts))
    try:
        yield
    finally:
        loop.config = config


@contextmanager
def _rehearsing(loop: "Loop") -> Iterator[None]:
    """A context for a dry run, after which the loop is as it was before."""
    # Batch normalisation updates its statistics even in a dry run.
    modules = [module for module in (loop.head, *loop.objectives.values()) if module is not None]
    before = [{name: tensor.clone() for name, tensor in module.state_dict().items()} for module in modules]
    # This process alone: the others do no dry run.
    processes, loop.processes = loop.processes, Processes(alone=True)
    step, loop.rehearsing = loop.step, True
    # What a graph allocates cannot be counted.
    graphs, loop.views.graphs = loop.views.graphs, None
    try:
        # As in training, where nothing waits for a GPU: see `Loop.queued`.
        with seeded(loop.config.training.seed, "dry run", device=str(loop.encoder.device)), checked():
            yield
    finally:
        loop.processes, loop.step, loop.rehearsing, loop.views.graphs = processes, step, False, graphs
    loop.optimizer.zero_grad(set_to_none=True)
    for module, kept in zip(modules, before, strict=True):
        module.load_state_dict(kept)


def _distinct(loop: "Loop", order: np.ndarray, count: int) -> np.ndarray:
    """The first `count` rows in an order that share no text; if there are too few, the first of the others are added."""
    seen: set[str] = set()
    found: list[int] = []
    for row in map(int, order):
        texts = {column[row] for column in loop.columns.values()}
        if seen.isdisjoint(texts):
            seen |= texts
            found.append(row)
        if len(found) == count:
            return np.array(found)
    taken = set(found)
    return np.array([*found, *(row for row in map(int, order) if row not in taken)][:count])


def _kinds(loop: "Loop") -> dict[tuple[bool, ...], tuple[int, float]]:
    """The kinds of steps ahead, by which terms act: for each its first step and its share of the steps."""
    ahead = range(loop.step, max(loop.step + 1, min(loop.config.training.steps, loop.step + 1000)))
    found: dict[tuple[bool, ...], list[int]] = {}
    for number in ahead:
        found.setdefault(tuple(term.acts(number) for term in loop.config.terms), []).append(number)
    return {acting: (numbers[0], len(numbers) / len(ahead)) for acting, numbers in found.items()}


def _backward(loop: "Loop", batch: np.ndarray) -> "Tensor | float":
    """The loss of a batch, after its backward pass; 0 if the training was cancelled meanwhile."""
    found = loop.forward(batch, 0)
    if found is None:
        return 0.0
    found[0].backward()
    loop.views.backward()
    return found[0].detach()


def _seconds(loop: "Loop", batch: np.ndarray) -> float:
    """The time of a forward and backward pass, once the device has done it."""
    began = Clock(loop.encoder.device)
    _backward(loop, batch)
    ended = Clock(loop.encoder.device)
    ended.wait()
    return began.until(ended)


def refuse_if_too_large(estimate: Estimate, *, pretrains: bool = False) -> None:
    """Refuse, before launch, a run that cannot fit; `pretrains` is true for pretraining, which has no negatives.

    Raises:
        Refused: the batch does not fit; the message gives both figures and what to change.
    """
    if estimate.needed_bytes > estimate.free_bytes:
        chunks = f"Raise memory_parts to {estimate.fitting_parts}, or use" if estimate.fitting_parts else "Use"
        raise Refused(
            f"This batch needs about {estimate.needed_bytes / 2**30:.1f} GiB; {estimate.free_bytes / 2**30:.1f} GiB are free.",
            rule=f"The batch size is never changed for you{'' if pretrains else ': it decides how many negatives there are'}.",
            way_out=f"{chunks} a smaller batch, a shorter {'sequence' if pretrains else 'max'}_length, or a smaller backbone.",
        )
