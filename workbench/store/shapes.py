"""The types of the JSON files in a run folder; `fitting` reads files as these types."""

from typing import Annotated, Literal, NotRequired, Required

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

_OPEN = ConfigDict(extra="allow", strict=True)
Whole = Annotated[int, Field(ge=0, le=10**15)]
Number = Annotated[float, Field(allow_inf_nan=False)] | None
"""None if there was nothing to measure."""
Seconds = Annotated[float, Field(ge=0, le=9e9)]
"""A duration, or the time since 1970; limited because pandas has no dates after 2262."""
Texts = list[str]
_Pair = Annotated[tuple[str, float], Field(strict=False)]  # JSON has no tuples


@with_config(_OPEN)
class Who(TypedDict):
    """See `liveness.identity`."""

    pid: Annotated[int, Field(gt=0, lt=2**31)]
    born: str
    machine: str


@with_config(_OPEN)
class Event(TypedDict, total=False):
    """A line of events.jsonl."""

    event: str
    time: Seconds
    who: Who
    device: str
    kind: str
    message: str
    on: str
    """The cluster that a run was queued for."""
    stale_seconds: Seconds
    """Seconds without a heartbeat after which its worker there counts as dead."""
    queue_place: Seconds
    """In the queue, of a run that was put before the others."""
    seconds_per_step: Seconds
    """Of the dry run, in an estimate."""
    sha256: dict[str, str]
    """Of the pairs of each pair set, by its reference, when they were first scored."""


@with_config(_OPEN)
class Step(TypedDict, total=False):
    """A line of steps.jsonl."""

    step: Required[Whole]
    time: Seconds
    seconds: Seconds
    loss: Number
    losses: dict[str, Number]
    accuracy: Number
    learning_rate: Number
    gradient_norm: Number
    samples: Whole
    epoch: Whole
    tokens: Whole


@with_config(_OPEN)
class Covered(TypedDict):
    """A masked piece of a text, and the predictions for it with their probabilities (0 to 1)."""

    piece: str
    named: list[_Pair]


@with_config(_OPEN)
class Filled(TypedDict):
    """A text of a pretraining's probe with its masked pieces."""

    text: str
    covered: list[Covered]


@with_config(_OPEN)
class Probe(TypedDict, total=False):
    """A line of probes.jsonl."""

    step: Required[Whole]
    time: Seconds
    seconds: Seconds
    """What the probe took."""
    loss: Number
    accuracy: Number
    samples: Whole
    alignment: Number
    alignment_on: str
    uniformity: Number
    uniformity_error: Number
    mean_cosine: Number
    spearman: Number
    selection: Number
    pairs: str
    n: Whole
    collapsed: bool
    masked_loss: Number
    masked_accuracy: Number
    filled: list[Filled]


@with_config(_OPEN)
class Filmed(TypedDict):
    """film/sentences.json: the sentences whose vectors are kept, and their pairs; rows count from 0."""

    texts: Texts
    on: str
    """The pair set, or where else the sentences come from."""
    scale: list[float]
    """Lowest and highest gold score; empty without pairs."""
    of_pairs: Whole
    """How many pairs the set has; some are left out where it has many."""
    first: list[Whole]
    second: list[Whole]
    gold: list[float]
    subsets: Texts


@with_config(_OPEN)
class Score(TypedDict, total=False):
    """A row of evaluations/scores.json."""

    suite: Required[str]
    checkpoint: Required[str]
    pairs: str
    n: Whole
    task: str
    split: str
    step: Whole
    sentences: Whole
    max_length: Whole
    precision: str
    spearman: Number
    low: Number
    high: Number
    linked_groups: Whole
    """Of pairs that no sentence links; older rows lack it."""
    isoscore: Number
    alignment: Number
    alignment_on: str
    uniformity: Number
    uniformity_error: Number
    mean_cosine: Number
    collapsed: bool
    all: Number
    mean: Number
    wmean: Number
    sentences_seen: Whole
    seen_of: Whole
    seen_share: Number
    pairs_seen: Whole
    gold_seen: Whole
    transductive: bool


@with_config(_OPEN)
class Judged(TypedDict):
    """What training did to the ranking of one pair set; Spearman is -1 to 1."""

    pairs: str
    n: Whole
    selected: bool
    """Whether the kept step was chosen on it, which flatters that step."""
    before: float
    """At step 0."""
    kept: float
    last: float
    delta: float
    """Of the kept step from step 0, or of the last step if step 0 is kept."""
    low: float
    """Of the 95 % interval of `delta` over pairs."""
    high: float
    linked_groups: NotRequired[Whole]
    """Groups of pairs that no sentence links; not known of runs that ended before these were counted."""
    verdict: Literal["helped", "no_difference", "worse"]


@with_config(_OPEN)
class Outcome(TypedDict):
    """outcome.json: whether training helped."""

    verdict: Literal["helped", "no_difference", "worse", "kept_step0"]
    step: Whole
    """The kept step."""
    last: Whole
    """The last step."""
    selected_on: Texts
    """The pair sets that the kept step was chosen on, by name."""
    sets: list[Judged]
    """The first is the one that the verdict is about; empty if nothing was scored."""
    reasons: Texts
    """Likely reasons, if it did not help."""


@with_config(_OPEN)
class Best(TypedDict, total=False):
    """The best step so far, as checkpoints keep it. Empty before the first evaluation."""

    step: Whole
    samples: Whole
    score: Number
    """None if the run does not select a checkpoint."""
    metric: str
    waited: Whole
    """Number of evaluations since then that were not better."""
    rival: str
    """The encoder that was best, if it is not the one in training; see `Kind.rivals`."""


@with_config(_OPEN)
class State(TypedDict, total=False):
    """A checkpoint's state.json."""

    step: Required[Whole]
    samples: Whole
    score: Number
    metric: str
    waited: Whole
    rival: str
    config: str
    looked: bool
    selection: Best
    files: dict[str, Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]*$")]]  # in the same folder only
    shared: Literal["model", "backbone"]
    """The folder of the run that holds the backbone's weights, if they are not in `files`."""


@with_config(_OPEN)
class Environment(TypedDict, total=False):
    """environment.json."""

    python: str
    packages: dict[str, str]
    platform: str
    processor: str
    cores: Whole | None
    threads: Whole
    memory_bytes: Whole
    device: str
    device_name: str
    precision: str


@with_config(_OPEN)
class Tokens(TypedDict, total=False):
    """Lengths of the texts in sub-word tokens."""

    mean: Required[float]
    quantiles: Required[dict[str, Annotated[float, Field(ge=0, le=10**15)]]]
    truncated: Required[float]
    unknown: Required[float]


@with_config(_OPEN)
class Exact(TypedDict):
    """Texts that are copies of others."""

    copies: Whole
    false_negatives: float


@with_config(_OPEN)
class Near(TypedDict):
    """Texts that nearly repeat others."""

    texts: Whole
    false_negatives: float


@with_config(_OPEN)
class Copies(TypedDict):
    """Both kinds of copies."""

    exact: Exact
    near: Near


@with_config(_OPEN)
class Overlap(TypedDict, total=False):
    """An evaluation set, and how many of its sentences are in the training data."""

    name: Required[str]
    sentences: Required[Whole]
    common: Required[Whole]
    share: float
    pairs: Whole
    pairs_with_gold: Whole
    transductive: bool


class LeftOutRow(TypedDict):
    """A row that was left out of the corpus."""

    row: Whole
    text: str


class LeftOut(TypedDict):
    """The rows of the corpus that were left out for the same reason."""

    reason: str
    count: Whole
    examples: Annotated[list[LeftOutRow], Field(min_length=1)]


@with_config(_OPEN)
class Report(TypedDict, total=False):
    """corpus.json of a fine-tune."""

    kind: str
    texts: Whole
    sampled: Whole
    distinct: Whole
    rows: Whole
    max_length: Whole
    batch_size: Annotated[int, Field(gt=0)]
    tokens: Tokens
    copies: Copies
    overlap: list[Overlap]
    warnings: Texts
    name: str
    notices: Texts
    dropped: list[LeftOut]
    trained_on_test: bool
    must_accept: dict[str, str]


@with_config(_OPEN)
class Articles(TypedDict, total=False):
    """corpus.json of a pretraining."""

    kind: str
    articles: Required[Whole]
    paragraphs: Required[Whole]
    words: Required[Whole]
    tokens: Whole
    pieces_per_word: Number
    unknown: Number
    held_out: Whole
    passes: Number
    size_bytes: Whole
    sequence_length: Whole
    whole: bool
    examples: Texts
    warnings: Texts
    must_accept: dict[str, str]


@with_config(_OPEN)
class Annotations(TypedDict, total=False):
    """annotations.json."""

    name: str
    tags: Texts
    note: str


@with_config(_OPEN)
class Judgement(TypedDict, total=False):
    """A line of a judge's file: a judgement, or the undoing of one."""

    judge: str
    pair: str
    pipeline: str
    title: str
    before: str
    text: str
    verdict: str
    time: Seconds
    undo: str


@with_config(_OPEN)
class Rating(TypedDict, total=False):
    """A line of a rater's file: a rating from 0 to 5, or the undoing of one."""

    rater: str
    pair: str
    score: float
    time: Seconds
    undo: str


@with_config(_OPEN)
class GoldPair(TypedDict):
    """A pair to rate, and why it was chosen."""

    pair: str
    sentence1: str
    sentence2: str
    chosen: str
    similarity: float
    disagreement: float


Value = bool | Whole | float | str


@with_config(_OPEN)
class Sweep(TypedDict):
    """A sweep's file."""

    kind: str
    title: str
    over: dict[str, list[Value]]
    cells: list[Annotated[tuple[dict[str, Value], int, str], Field(strict=False)]]
    asked: dict[str, object]
    time: Seconds


@with_config(_OPEN)
class Indexed(TypedDict):
    """A line of the index of sweeps: the run of a cell."""

    cell: str
    run: str


@with_config(_OPEN)
class Opening(TypedDict, total=False):
    """A line of the record of scores on test pairs; see `store.openings`."""

    time: Required[Seconds]
    """Seconds since 1970."""
    pairs: Required[str]
    """The name of the pair set."""
    targets: Texts
    """What was scored."""
    by: str
    """The verb or suite that scored it, or `run` for the evaluations of a run."""
