"""Runs that cannot succeed on this machine, refused before they are queued. Loads no model."""

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from workbench.augmentations.availability import missing_of
from workbench.core import paths
from workbench.core.config import RunConfig
from workbench.core.errors import WorkbenchError
from workbench.core.method import find
from workbench.data.columns import split_and_columns
from workbench.data.pair_texts import ALL
from workbench.data.pair_texts import RULE as OF_PAIRS
from workbench.data.pairs import load_pairs
from workbench.data.sources import resolve_inside, split_source, split_task
from workbench.data.sts import present
from workbench.data.tasks import KNOWN, own_split
from workbench.heads import METHODS as HEADS
from workbench.models.cards import EMBEDDED, locate
from workbench.models.layout import read_layout
from workbench.objectives import method_of
from workbench.pooling import METHODS as POOLINGS
from workbench.pretraining.articles import HEAD_LINES, RULE
from workbench.pretraining.reading import lines


def refusal(config: RunConfig) -> str:
    """Why a run would fail before its first step on this machine, in one line; empty if no reason is known.

    Reasons are: a corpus or pair set without a name, or none where one is needed; a backbone without the masked-language
    head that a term needs; an augmentation whose models, vectors or lexicon are missing; a pair set or a folder of tasks
    that does not exist; two pair sets with the same name; a batch that its processes cannot share evenly; a pretraining on
    fewer than two articles, or with more layers than its backbone has.

    Raises:
        UnknownName: a method is not here, such as one of a package that was removed.
    """
    pretraining = _pretraining(config) if config.pretrains else iter(())
    parts = (_unnamed(config), _shares(config), _lacks(config), _sets(config), _namesakes(config), pretraining)
    return next((reason for part in parts for reason in part), "")


def check_paths(config: RunConfig) -> None:
    """Check that every path in a configuration is well formed, whether or not it exists.

    Raises:
        BadSetting: a path is too long, or in the home of a user that does not exist here.
    """
    for ref in (*config.corpus.files, config.evaluation.sts_folder, *_pair_sets(config), *config.selection.pairs):
        check_path(ref)


def check_path(ref: str) -> None:
    """Check that a corpus or pair set that is named by its path is well formed.

    Raises:
        BadSetting: see `check_paths`.
    """
    named = split_task(ref)
    paths.check(named[2] if named else ref.removeprefix(ALL))


def _pair_sets(config: RunConfig) -> list[str]:
    return list(filter(None, dict.fromkeys([config.probe.pairs, *config.selection.scored, *config.evaluation.pairs])))


def _lacks(config: RunConfig) -> Iterator[str]:
    known = EMBEDDED.get(config.model.backbone)
    for pooling in (config.model.pooling, config.model.eval_pooling):
        find(POOLINGS, "pooling", pooling)
    if config.model.head:
        find(HEADS, "head", config.model.head)
    for term in config.terms:
        setting = method_of(term).tags.get("masked", "")
        if setting and known and not known.masked and not term.settings.get(setting):
            usable = ", ".join(name for name, card in EMBEDDED.items() if card.masked) or "one of the Hub"
            yield (
                f"{known.id} has no masked-language head, which {term.name} needs. Use a backbone with one "
                f"({usable}), or set {setting} to a model with the vocabulary of {known.id}."
            )
        for view in (*term.views.values(), *term.more.values()):
            for title, lack in missing_of(view.augmentation).items():
                yield f"{title}: {lack}"


def _unnamed(config: RunConfig) -> Iterator[str]:
    if not config.corpus.files:
        usual = "It is demo, a file, a data set of the Hub as hf:ORG/NAME, or the texts of pair sets as texts:demo:dev."
        usual = RULE if config.pretrains else OF_PAIRS if config.corpus.of_pairs else usual
        yield f"No corpus is named. {usual}"
    probe, selection = config.probe.pairs, config.selection
    named = {
        "probe.pairs": [probe] if probe else [],  # optional
        "selection.pairs": selection.scored,
        "evaluation.pairs": config.evaluation.pairs,
    }
    for name, refs in named.items():
        if not all(ref.strip() for ref in refs):
            yield (
                f"{name} holds a pair set without a name. Separate names by single commas, as in demo:dev,demo:test, or "
                f"leave out {name}."
            )
    if selection.metric not in ("spearman", "none", "masked_loss") and not selection.pairs:
        yield (
            f"The best step cannot be chosen by {selection.metric}: selection.pairs is empty. Name a pair set in it, or leave "
            "out selection.metric, and the last step is the result."
        )
    if selection.patience and not selection.selects and config.origins.get("selection.patience") == "user":
        yield (
            "patience ends a run whose chosen metric no longer improves, but nothing is chosen, since selection.pairs is "
            "empty. Name a pair set in it, or leave out patience."
        )


def _shares(config: RunConfig) -> Iterator[str]:
    size, processes = config.training.batch_size, config.training.processes
    if size % processes:
        yield f"A batch of {size} cannot be shared by {processes} processes. Use a multiple of {processes}."


def _namesakes(config: RunConfig) -> Iterator[str]:
    """Different pair sets with the same name, by which scores are stored, averaged and compared."""
    known: dict[str, str] = {}
    try:
        for ref in _pair_sets(config):
            name, source = _named(ref)
            if known.setdefault(name, source) != source:
                yield (
                    f"The pair sets {known[name]} and {source} are both named {name.removesuffix('#test')} and could not be "
                    "distinguished in tables. Rename one file, or use them in separate runs."
                )
    except WorkbenchError as error:
        yield str(error)


def _named(ref: str) -> tuple[str, str]:
    """The name of a pair set, as far as its reference tells, and the reference with its path in full.

    A file without a split may hold several, of which test is taken.
    """
    if ref.startswith("demo:"):
        return ref, ref
    if ref.startswith("hf:"):
        from workbench.data.hub import parse

        named = parse(ref)
        return f"{named.id}:{named.split or 'test'}", ref
    if parts := split_task(ref):
        task, part, folder = parts
        split = own_split(task, part) if task in KNOWN else part
        return f"{task}:{split}", f"{task}:{split}@{resolve_inside(folder, None)}"
    path, behind = split_source(ref)
    own, _ = split_and_columns(behind)
    return f"{path.name}#{(own or 'test').casefold()}", f"{path}#{behind}" if behind else str(path)


def _sets(config: RunConfig) -> Iterator[str]:
    of_corpus = config.corpus.files if config.corpus.of_pairs else ()
    for ref in dict.fromkeys([*_pair_sets(config), *of_corpus]):
        if ref.startswith(ALL):
            yield from _tasks(ref.removeprefix(ALL), "to take the texts of")
            continue
        if ref.startswith("hf:") or (ref.startswith("demo:") and ref not in of_corpus):
            continue
        try:
            if ref.startswith("demo:"):
                load_pairs(ref)
                continue
            if named := split_task(ref):
                if not _folder(named[2]):
                    yield f"The pair set {ref} cannot be read: there is no folder {named[2]}."
            elif re.fullmatch(r"\w{2,}:\w*", ref):
                load_pairs(ref)  # raises with the names that there are
            elif (path := paths.existing(split_source(ref)[0])) is None:
                yield f"There is no pair file {ref}."
            elif not path.is_file():
                yield f"{ref} is a folder, not a pair file. Name a task as TASK:SPLIT@{ref}, or a file in the folder."
        except WorkbenchError as error:
            yield str(error)
    if folder := config.evaluation.sts_folder:
        yield from _tasks(folder, "to evaluate on")


def _tasks(folder: str, use: str) -> Iterator[str]:
    if not _folder(folder):
        yield f"There is no folder {folder} of STS tasks {use}."
    elif not any("test" in splits for splits in present(folder).values()):
        yield f"The folder {folder} has no STS task {use}: neither sts12.tsv or stsb-test.tsv nor a folder of SentEval."


def _folder(text: str) -> bool:
    path = paths.existing(text)
    return path is not None and path.is_dir()


def _pretraining(config: RunConfig) -> Iterator[str]:
    try:
        yield from _articles(config)
        if asked := config.pretraining.layers:
            origin = locate(config.model.backbone, config.model.revision, download=False)
            if origin and asked > (layers := read_layout(origin.folder).layers):
                yield f"The backbone has {layers} layers, but {asked} are asked for. Ask for {layers} or fewer."
    except WorkbenchError as error:
        yield str(error)


def _articles(config: RunConfig) -> Iterator[str]:
    files = [path for part in config.corpus.files if (path := paths.existing(part)) and path.is_file()]
    if len(files) < len(config.corpus.files):
        return  # missing files are reported by the reader
    count = 0
    for file in files:
        filled = [bool(line) for line in islice(lines(file), HEAD_LINES + 1)]  # a line may be a million characters
        if len(filled) > HEAD_LINES:
            return  # only reading all of it would tell
        count += sum(line and not before for before, line in pairwise([False, *filled]))
    if count < 2:
        yield (
            f"The corpus has {'one article' if count else 'no articles'}. At least two are needed, since the last ones are "
            "held out. Write one paragraph per line, and an empty line between articles."
        )
