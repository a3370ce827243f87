"""What can be asked of the compute process: each verb's arguments, checked before anything waits, and its key."""

import hashlib
import inspect as signatures
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.augmentations.pipeline import parse as parse_pipeline
from workbench.augmentations.protect import Protection
from workbench.core.config import RunConfig, from_toml, to_toml
from workbench.core.errors import BadData, BadSetting, MissingResource, unknown
from workbench.jobs import inspecting, judging, scanning
from workbench.jobs.drawn import MOST_DRAWS, absence
from workbench.jobs.launch import absolute_pairs, absolute_path
from workbench.jobs.targets import Target, mark, parse
from workbench.jobs.tickets import Ticket, ask
from workbench.store.names import RunsFolder
from workbench.store.writing import full_disk_is_said, write_text

INLINE_CHARACTERS = 20_000
"""Longer lists of texts lie in a file beside the request."""
SLOW_TEXTS = 2_000
MOST_SAMPLED = 1_000
VERSION = 2
"""Raised when answers to the same question change."""


class Question:
    """Arguments as JSON, and everything that the answer depends on."""

    def __init__(self, folder: RunsFolder) -> None:
        self.folder = folder
        self.arguments: dict[str, Any] = {}
        self.depends: list[Any] = [VERSION]
        self.lane = "fast"

    def say(self, **values: Any) -> None:
        """Plain arguments."""
        self.arguments |= values
        self.depends.append(sorted(values.items()))

    def texts(self, texts: Sequence[str], *, least: int = 1) -> None:
        """The texts that are asked about."""
        if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            raise BadData("Texts are a list of texts.", got=repr(texts)[:80])
        if len(texts) < least:
            raise BadData(
                f"{least} text{'s are' if least > 1 else ' is'} needed.", got=str(len(texts)), way_out="Add some."
            )
        content = json.dumps(list(texts))
        digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:24]
        self.depends.append(digest)
        if len(texts) > SLOW_TEXTS:
            self.lane = "slow"
        if len(content) <= INLINE_CHARACTERS:
            self.arguments["texts"] = list(texts)
            return
        path = self.folder.cache / "texts" / f"{digest}.json"
        if path.exists():
            path.touch()  # it is wanted still: see compute.prune
        else:
            write_text(path, content)
        self.arguments["texts_file"] = path.name

    def target(self, target: Any, *, encoder: str = "") -> Target:
        """What is encoded with. `encoder` says why it must be an encoder, where it must."""
        found = parse(target, self.folder)
        if encoder and found.baseline:
            raise BadSetting(f"{found.text} is no encoder: {encoder}.", way_out="Name a backbone or a run.")
        self.arguments["target"] = found.address
        self.depends.append(found.fingerprint)
        if any(not on.startswith("demo") for on in found.named_sets):
            self.lane = "slow"  # there may be many texts to fit on
        return found

    def pairs(self, ref: str) -> None:
        """A scored pair set, or several."""
        self.arguments["pairs"] = absolute_pairs(ref)
        self.depends.append(mark(self.arguments["pairs"]))


def encode(question: Question, *, texts: Sequence[str], target: Any = "minilm-l3", precision: str = "fp32") -> None:
    """float32 array (n, d)."""
    if precision not in ("auto", "fp32", "bf16"):
        raise BadSetting(f"precision cannot be {precision!r}.", rule="It is auto, fp32 or bf16.")
    question.texts(texts, least=0)
    question.target(target)
    question.say(precision=precision)


def dropout_views(
    question: Question,
    *,
    texts: Sequence[str],
    target: Any = "minilm-l3",
    views: int = 8,
    dropout: float = 0.1,
    seed: int = 0,
) -> None:
    """float32 array (n, views, d)."""
    question.texts(texts)
    question.target(target, encoder="it has no dropout")
    question.say(views=_whole("views", views, 1, 200), dropout=_rate(dropout), seed=int(seed))


def project(
    question: Question,
    *,
    texts: Sequence[str],
    target: Any = "minilm-l3",
    method: str = "pca",
    views: int = 0,
    dropout: float = 0.1,
    neighbours: int = 15,
    seed: int = 0,
) -> None:
    """DataFrame row, view, x, y, text (with views also mean_x, mean_y, silhouette); `.attrs` as in analysis."""
    if method not in ("pca", "umap", "cone"):
        raise unknown("projection", method, ("pca", "umap", "cone"))
    question.texts(texts)
    question.target(target, encoder="it has no dropout" if views > 1 else "")
    if views == 1:
        views = 0
    question.say(method=method, views=_whole("views", views, 0, 200), dropout=_rate(dropout), seed=int(seed))
    question.say(neighbours=_whole("neighbours", neighbours, 2, 200))
    if method == "umap":
        question.lane = "slow"


def evaluate(question: Question, *, target: Any = "minilm-l3", pairs: str = "demo:dev") -> None:
    """dict with `scores` (plain dict) and `cosines` (DataFrame)."""
    question.target(target)
    question.pairs(pairs)


def sts(question: Question, *, target: Any = "minilm-l3", data: str | Path = "") -> None:
    """DataFrame of the STS tasks that are present in a folder."""
    if not str(data):
        raise BadData("The STS suite needs a folder.", way_out="Name it with --data, or data=...")
    question.target(target)
    question.say(data=absolute_path(str(data)))
    question.depends.append(mark(question.arguments["data"]))
    question.lane = "slow"


def geometry(question: Question, *, texts: Sequence[str], target: Any = "minilm-l3") -> None:
    """dict with `metrics` (plain dict) and `spectrum` (DataFrame)."""
    question.texts(texts, least=3)
    if question.target(target).baseline:
        question.lane = "slow"  # some measures take the cube of the dimensions, and words are many


def neighbours(question: Question, *, texts: Sequence[str], target: Any = "minilm-l3", count: int = 10) -> None:
    """DataFrame row, rank, neighbour, cosine."""
    question.texts(texts, least=2)
    question.target(target)
    question.say(count=_whole("count", count, 1, 100))


def tokens(question: Question, *, texts: Sequence[str], target: Any = "minilm-l3", max_length: int = 0) -> None:
    """DataFrame text, position, token, kind, kept, id (-1 for special ones); `text` is the row of the text."""
    question.texts(texts)
    question.target(target, encoder="it has no sub-words")
    question.say(max_length=_whole("max_length", max_length, 0, 512))


def corpus_report(
    question: Question,
    *,
    corpus: str = "demo",
    backbone: str = "minilm-l3",
    max_length: int = 32,
    batch_size: int = 64,
    pairs: Sequence[str] = ("demo:dev", "demo:test"),
) -> None:
    """Plain dict, see data.report."""
    question.target(backbone, encoder="it has no sub-words")
    question.say(corpus=absolute_path(corpus), max_length=int(max_length), batch_size=int(batch_size))
    question.say(references=[absolute_pairs(ref) for ref in ([pairs] if isinstance(pairs, str) else pairs)])
    question.depends.append([mark(ref) for ref in [question.arguments["corpus"], *question.arguments["references"]]])
    question.lane = "slow"


def augment(
    question: Question,
    *,
    texts: Sequence[str],
    pipeline: str,
    seed: int = 0,
    draws: int = 1,
    protect: Sequence[str] = (),
    protect_pattern: str = "",
    corpus: str = "demo",
    fetch: bool = False,
) -> None:
    """DataFrame sentence, draw, before, text, changed, acted, label, again, see jobs.drawn.

    With `fetch` models that are not on this machine are downloaded; else they are refused.
    """
    line = parse_pipeline(pipeline)
    for title, lack in ({} if fetch else absence(pipeline)).items():
        raise MissingResource(f"“{title}” cannot be used here.", rule=lack)
    terms = (protect,) if isinstance(protect, str) else tuple(protect)
    Protection(terms, protect_pattern).check()
    question.texts(texts, least=0)
    question.say(pipeline=str(line), seed=int(seed), draws=_whole("draws", draws, 1, MOST_DRAWS))
    question.say(protect=list(terms), protect_pattern=protect_pattern, corpus=absolute_path(corpus))
    question.depends.append(mark(question.arguments["corpus"]))
    if line.modelled:
        question.lane = "slow"


def scan(
    question: Question,
    *,
    corpus: str = "demo",
    pipelines: Sequence[str] | None = None,
    target: Any = "minilm-l3",
    n: int = scanning.SAMPLE,
    seed: int = 0,
    protect: Sequence[str] = (),
    protect_pattern: str = "",
) -> None:
    """dict of `table`, `extremes` (DataFrames) and `about` (plain dict), see jobs.scanning."""
    _over_corpus(question, corpus, target, seed, protect, protect_pattern)
    question.say(n=_whole("n", n, 2, scanning.MOST_TEXTS))
    # What was found for one pipeline is kept under everything but the list of pipelines.
    depends = json.dumps(question.depends, sort_keys=True, default=str)
    question.arguments["stem"] = hashlib.sha256(depends.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    _lines(question, pipelines)


def cost(
    question: Question,
    *,
    corpus: str = "demo",
    pipelines: Sequence[str] | None = None,
    target: Any = "minilm-l3",
    n: int = scanning.SAMPLE,
    seed: int = 0,
    protect: Sequence[str] = (),
    protect_pattern: str = "",
) -> None:
    """dict of `table` (DataFrame) and `about` (plain dict): what `scan` would take, judged from 50 texts."""
    _over_corpus(question, corpus, target, seed, protect, protect_pattern)
    question.say(n=_whole("n", n, 2, scanning.MOST_TEXTS))
    question.lane = _lane(_lines(question, pipelines), corpus)


def drawn_pairs(
    question: Question,
    *,
    pipelines: Sequence[str],
    corpus: str = "demo",
    target: Any = "minilm-l3",
    count: int = judging.PAIRS,
    seed: int = 0,
    protect: Sequence[str] = (),
    protect_pattern: str = "",
) -> None:
    """DataFrame pair, pipeline, title, before, text, cosine, tried, see jobs.judging."""
    _over_corpus(question, corpus, target, seed, protect, protect_pattern)
    question.say(count=_whole("count", count, 1, judging.MOST_PAIRS))
    lines = _lines(question, pipelines)
    question.lane = _lane(lines, corpus)
    for line in lines:
        if reason := scanning.absent(line):
            raise MissingResource(f"{line} cannot be used here.", rule=reason)


def _over_corpus(
    question: Question, corpus: str, target: Any, seed: int, protect: Sequence[str], protect_pattern: str
) -> None:
    """What the questions about a whole corpus share."""
    terms = [protect] if isinstance(protect, str) else list(protect)
    Protection(tuple(terms), protect_pattern).check()
    question.target(target, encoder="it has no dropout to compare with")
    question.say(corpus=absolute_path(corpus), seed=int(seed), protect=terms, protect_pattern=protect_pattern)
    question.depends.append(mark(question.arguments["corpus"]))
    question.lane = "slow"


def _lane(lines: Sequence[str], corpus: str) -> str:
    """Nobody should wait behind a scan for a handful of draws, unless a model or a download makes them long."""
    slow = corpus.startswith("hf:") or any(parse_pipeline(line).modelled for line in lines)
    return "slow" if slow else "fast"


def _lines(question: Question, pipelines: Sequence[str] | None) -> list[str]:
    named = [pipelines] if isinstance(pipelines, str) else pipelines
    lines = scanning.check_pipelines(scanning.default_pipelines() if named is None else named)
    if not lines:
        raise BadData("No augmentation was named.", way_out="Name one or more.")
    question.say(pipelines=lines)
    question.depends.append([scanning.absent(line) for line in lines])  # a lexicon may come to this machine
    return lines


def sample(question: Question, *, corpus: str = "demo", n: int = 10, seed: int = 0) -> None:
    """DataFrame row, text: some texts of a corpus, drawn evenly, in its order."""
    question.say(corpus=absolute_path(corpus), n=_whole("n", n, 1, MOST_SAMPLED), seed=int(seed))
    question.depends.append(mark(question.arguments["corpus"]))
    if corpus != "demo":
        question.lane = "slow"


def states(
    question: Question,
    *,
    texts: Sequence[str],
    pipeline: str,
    sentences: int,
    target: Any = "minilm-l3",
    seed: int = 0,
    max_length: int = 0,
    sentence: int = 0,
    draw: int = 0,
    dims: int = 48,
) -> None:
    """dict of DataFrames `cosines`, `tokens` and `values` and plain `about`, see jobs.altered.

    `texts` are the `sentences` originals, then those of each draw; `sentence` and `draw` say whose matrix is wanted.
    """
    question.texts(texts)
    draws, over = divmod(len(texts), _whole("sentences", sentences, 1, len(texts)))
    if over or draws < 2:
        raise BadData("The texts are as many originals as each draw has texts.", got=f"{len(texts)}, {sentences}")
    question.target(target, encoder="it has no states of tokens")
    question.say(pipeline=str(parse_pipeline(pipeline)), sentences=sentences, seed=int(seed))
    question.say(max_length=_whole("max_length", max_length, 0, 512), dims=_whole("dims", dims, 1, 512))
    question.say(sentence=_whole("sentence", sentence, 0, sentences - 1), draw=_whole("draw", draw, 0, draws - 2))


def inspect(question: Question, *, target: Any = "minilm-l3", config: str = "", step: int = 1) -> None:
    """dict of array `similarity`, DataFrames `rows` and `candidates` and plain `about`, see jobs.inspecting.batch.

    `config` is the TOML of a run's configuration; empty for that of the run that is the target.
    """
    _in_a_step(question, target, config, step)


def gradients(
    question: Question,
    *,
    pipelines: Sequence[str],
    target: Any = "minilm-l3",
    config: str = "",
    step: int = 1,
    rows: int = inspecting.PROBE_ROWS,
) -> None:
    """dict of DataFrames `cosines` and `norms` and plain `about`, see jobs.inspecting.gradients."""
    _in_a_step(question, target, config, step)
    lines = list(dict.fromkeys(line.strip() for line in pipelines))
    if not 1 <= len(lines) <= inspecting.MOST_PIPELINES:
        raise BadSetting(
            "Gradients are compared between a few augmentations.",
            rule=f"From 1 to {inspecting.MOST_PIPELINES}.",
            got=str(len(lines)),
        )
    for line in lines:
        if any("gradient" in step.method.inputs for step in parse_pipeline(line).all()):
            raise BadSetting(f"{line} cannot be compared here.", rule="It follows the gradient of another loss.")
        for title, lack in absence(line).items():
            raise MissingResource(f"“{title}” cannot be used here.", rule=lack)
    question.say(pipelines=lines)
    question.say(rows=_whole("rows", rows, 4, inspecting.MOST_ROWS))
    question.lane = "slow"


def _in_a_step(question: Question, target: Any, config: str, step: int) -> None:
    found = question.target(target, encoder="it is not trained")
    if found.pooling or found.transform:
        raise BadSetting(f"{found.text} is more than an encoder.", way_out="Leave pooling and transform off.")
    if not config and found.run is None:
        raise BadSetting("A backbone has no batches of its own.", way_out="Name a run, or give a configuration.")
    settled = _settled(question, from_toml(config) if config else found.run.config)  # type: ignore[union-attr]
    question.say(step=_whole("step", step, 1, settled.training.steps))


def dry_run(question: Question, *, config: str) -> None:
    """Plain dict: time, memory and cautions of a training, see jobs.inspecting.rehearse."""
    settled = _settled(question, from_toml(config))
    question.depends.append(Target("", settled.model.backbone, settled.model.revision).fingerprint)
    question.lane = "slow"


def _settled(question: Question, config: RunConfig) -> RunConfig:
    found = inspecting.bare(config)
    found = replace(found, corpus=replace(found.corpus, source=absolute_path(found.corpus.source)))
    question.say(config=to_toml(found))
    question.depends.append(mark(found.corpus.source))
    if found.corpus.source != "demo" and not found.corpus.source.startswith("demo:"):
        question.lane = "slow"
    return found


def wordnet(question: Question, *, asked: float = 0.0) -> None:
    """Plain dict `missing`: WordNet is fetched, and what still lacks. `asked` makes one request differ from the next."""
    question.say(asked=float(asked))
    question.lane = "slow"


def precision(question: Question, *, target: Any = "minilm-l3") -> None:
    """Plain dict precision, device: what `auto` means on this machine."""
    question.target(target, encoder="it computes in one precision")


def _whole(name: str, value: int, low: int, high: int) -> int:
    if isinstance(value, bool) or int(value) != value or not low <= value <= high:
        raise BadSetting(f"{name} cannot be {value!r}.", rule=f"It is a whole number from {low} to {high}.")
    return int(value)


def _rate(value: float) -> float:
    if not 0 <= float(value) < 1:
        raise BadSetting(f"dropout cannot be {value!r}.", rule="It is a number from 0 to below 1.")
    return float(value)


VERBS: dict[str, Callable[..., None]] = {
    fn.__name__: fn
    for fn in (
        encode,
        augment,
        dropout_views,
        project,
        evaluate,
        sts,
        geometry,
        neighbours,
        tokens,
        corpus_report,
        scan,
        cost,
        drawn_pairs,
        sample,
        states,
        inspect,
        gradients,
        dry_run,
        wordnet,
        precision,
    )
}


def submit(folder: RunsFolder, verb: str, arguments: dict[str, Any], *, session: str = "", slot: str = "") -> Ticket:
    """Check a question and ask it.

    Raises:
        UnknownName: no such verb or argument, or one of the names in it.
        WorkbenchError: what is wrong with an argument.
    """
    if verb not in VERBS:
        raise unknown("verb", verb, VERBS)
    known = list(signatures.signature(VERBS[verb]).parameters)[1:]
    for name in arguments:
        if name not in known:
            raise unknown(f"argument of {verb}", name, known)
    question = Question(folder)
    with full_disk_is_said():
        VERBS[verb](question, **arguments)
    depends = json.dumps([verb, question.depends], sort_keys=True, default=str)
    key = f"{verb}-{hashlib.sha256(depends.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
    with full_disk_is_said():
        return ask(folder, verb, question.arguments, key=key, lane=question.lane, session=session, slot=slot)
