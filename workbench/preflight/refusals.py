"""Runs that cannot succeed on this machine, told apart before they are queued. Loads no model."""

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from workbench.augmentations.availability import missing_of
from workbench.core import paths
from workbench.core.config import RunConfig
from workbench.core.errors import WorkbenchError
from workbench.data.files import resolve_inside, split_source, split_task
from workbench.data.pair_texts import ALL
from workbench.data.pair_texts import RULE as OF_PAIRS
from workbench.data.pairs import load_pairs
from workbench.data.sts import present
from workbench.data.tasks import TASKS, own_split
from workbench.models.cards import EMBEDDED, locate
from workbench.models.layout import read_layout
from workbench.objectives import method_of
from workbench.pretraining.articles import HEAD_LINES, RULE
from workbench.pretraining.reading import lines


def refusal(config: RunConfig) -> str:
    """Why a run would fail before its first step on this machine, in one line; empty where nothing is known against it.

    A corpus or a pair set without a name, or none where one is needed; a masked-language head that the backbone lacks;
    models, vectors or words that an augmentation lacks; a pair set or a folder of tasks that is not there; two pair sets of
    one name; a pretraining on no article, or with more layers than its backbone has.
    """
    pretraining = _pretraining(config) if config.pretrains else iter(())
    parts = (_unnamed(config), _lacks(config), _sets(config), _namesakes(config), pretraining)
    return next((reason for part in parts for reason in part), "")


def check_paths(config: RunConfig) -> None:
    """Whether everything that is named by its path can be a path, be it there or not.

    Raises:
        BadSetting: something is longer than paths are, or in the home of somebody who has none here.
    """
    for ref in (*config.corpus.files, config.evaluation.sts_folder, *_pair_sets(config), *config.selection.pairs):
        check_path(ref)


def check_path(ref: str) -> None:
    """Whether a corpus or pair set that is named by its path can be one.

    Raises:
        BadSetting: see `check_paths`.
    """
    named = split_task(ref)
    paths.check(named[2] if named else ref.removeprefix(ALL))


def _pair_sets(config: RunConfig) -> list[str]:
    return list(filter(None, dict.fromkeys([config.probe.pairs, *config.selection.scored, *config.evaluation.pairs])))


def _lacks(config: RunConfig) -> Iterator[str]:
    known = EMBEDDED.get(config.model.backbone)
    for term in config.terms:
        setting = method_of(term).tags.get("masked", "")
        if setting and known and not known.masked and not term.settings.get(setting):
            usable = ", ".join(name for name, card in EMBEDDED.items() if card.masked) or "one of the Hub"
            yield (
                f"{known.id} has no masked-language head, which {term.name} needs. Take a backbone with one "
                f"({usable}), or name as {setting} a model with the tokens of {known.id}."
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
        "probe.pairs": [probe] if probe else [],  # without one, probes do without
        "selection.pairs": selection.scored,
        "evaluation.pairs": config.evaluation.pairs,
    }
    for name, refs in named.items():
        if not all(ref.strip() for ref in refs):
            yield (
                f"{name} holds a pair set without a name. Write names with one comma between two, as in "
                f"demo:dev,demo:test, or leave {name} away."
            )
    if selection.metric == "spearman" and not (selection.scored or probe):
        yield (
            "The best step is chosen by spearman, and both selection.pairs and probe.pairs are empty. Name a pair set "
            "in one of them, or take none as selection.metric."
        )


def _namesakes(config: RunConfig) -> Iterator[str]:
    """Pair sets of one name: all that is measured is kept, averaged and compared by it."""
    known: dict[str, str] = {}
    try:
        for ref in _pair_sets(config):
            name, place = _called(ref)
            if known.setdefault(name, place) != place:
                yield (
                    f"The pair sets {known[name]} and {place} are both called {name.removesuffix('#test')}, and could not be "
                    "told apart in any table. Give one file another name, or name them in two runs."
                )
    except WorkbenchError as error:
        yield str(error)


def _called(ref: str) -> tuple[str, str]:
    """The name of the pairs that a reference stands for, as far as it tells without reading them, and the reference with
    its path in full. A file that names no split may hold several, of which test is taken.
    """
    if ref.startswith("demo:"):
        return ref, ref
    if ref.startswith("hf:"):
        from workbench.data.hub import parse

        named = parse(ref)
        return f"{named.id}:{named.split or 'test'}", ref
    if found := split_task(ref):
        task, part, folder = found
        own = own_split(task, part) if task in TASKS else part
        return f"{task}:{own}", f"{task}:{own}@{resolve_inside(folder, None)}"
    path, split = split_source(ref)
    return f"{path.name}#{(split or 'test').casefold()}", f"{path}#{split}" if split else str(path)


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
                load_pairs(ref)  # reads nothing, and says which names there are
            elif (found := paths.existing(split_source(ref)[0])) is None:
                yield f"There is no file of pairs {ref}."
            elif not found.is_file():
                yield f"{ref} is no file of pairs: it is a folder. Name one as TASK:SPLIT@{ref}, or a file in it."
        except WorkbenchError as error:
            yield str(error)
    if folder := config.evaluation.sts_folder:
        yield from _tasks(folder, "to evaluate on")


def _tasks(folder: str, use: str) -> Iterator[str]:
    if not _folder(folder):
        yield f"There is no folder {folder} of STS tasks {use}."
    elif not any("test" in found for found in present(folder).values()):
        yield f"The folder {folder} holds no STS task {use}: no sts12.tsv or stsb-test.tsv, no folder of SentEval."


def _folder(text: str) -> bool:
    found = paths.existing(text)
    return found is not None and found.is_dir()


def _pretraining(config: RunConfig) -> Iterator[str]:
    try:
        yield from _articles(config)
        if asked := config.pretraining.layers:
            found = locate(config.model.backbone, config.model.revision, download=False)
            if found and asked > (there := read_layout(found.folder).layers):
                yield f"The backbone has {there} layers, and {asked} are asked for. Ask for {there} or fewer."
    except WorkbenchError as error:
        yield str(error)


def _articles(config: RunConfig) -> Iterator[str]:
    files = [found for part in config.corpus.files if (found := paths.existing(part)) and found.is_file()]
    if len(files) < len(config.corpus.files):
        return  # what is not there is said by whoever reads it
    count = 0
    for file in files:
        filled = [bool(line) for line in islice(lines(file), HEAD_LINES + 1)]  # a line may be a million characters
        if len(filled) > HEAD_LINES:
            return  # only reading it would tell
        count += sum(line and not before for before, line in pairwise([False, *filled]))
    if count < 2:
        yield (
            f"The corpus has {'one article' if count else 'no article'}. At least two are needed, since the last ones are "
            "held out: put an empty line between articles, one paragraph a line."
        )
