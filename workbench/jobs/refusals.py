"""Runs that cannot succeed on this machine, told apart before they are queued. Loads no model."""

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from workbench.core import paths
from workbench.core.config import RunConfig
from workbench.core.errors import WorkbenchError
from workbench.data.files import split_source
from workbench.data.pairs import load_pairs
from workbench.data.sts import present
from workbench.jobs.articles import HEAD_LINES
from workbench.jobs.drawn import absence
from workbench.models.cards import EMBEDDED, place
from workbench.models.layout import read_layout
from workbench.objectives import method_of
from workbench.pretraining.reading import lines

_TASK = re.compile(r"\w{2,}:\w+@(.+)")


def refusal(config: RunConfig) -> str:
    """Why a run would fail before its first step on this machine, in one line; empty where nothing is known against it.

    A masked-language head that the backbone lacks; models, vectors or words that an augmentation lacks; a pair set or a
    folder of tasks that is not there; a pretraining on no article, or with more layers than its backbone has.
    """
    parts = (_lacks(config), _sets(config), _pretraining(config) if config.pretrains else iter(()))
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
    named = _TASK.fullmatch(ref)
    paths.check(named[1] if named else ref)


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
            for title, lack in absence(view.augmentation).items():
                yield f"{title}: {lack}"


def _sets(config: RunConfig) -> Iterator[str]:
    for ref in _pair_sets(config):
        if ref.startswith(("demo:", "hf:")):
            continue
        try:
            if named := _TASK.fullmatch(ref):
                if not _folder(named[1]):
                    yield f"The pair set {ref} cannot be read: there is no folder {named[1]}."
            elif re.fullmatch(r"\w{2,}:\w*", ref):
                load_pairs(ref)  # reads nothing, and says which names there are
            elif (found := paths.found(split_source(ref)[0])) is None:
                yield f"There is no file of pairs {ref}."
            elif not found.is_file():
                yield f"{ref} is no file of pairs: it is a folder. Name one as TASK:SPLIT@{ref}, or a file in it."
        except WorkbenchError as error:
            yield str(error)
    if folder := config.evaluation.sts_folder:
        if not _folder(folder):
            yield f"There is no folder {folder} of STS tasks to evaluate on."
        elif not any("test" in found for found in present(folder).values()):
            yield f"The folder {folder} holds no STS task to evaluate on: no sts12.tsv or stsb-test.tsv, no folder of SentEval."


def _folder(text: str) -> bool:
    found = paths.found(text)
    return found is not None and found.is_dir()


def _pretraining(config: RunConfig) -> Iterator[str]:
    try:
        yield from _articles(config)
        if asked := config.pretraining.layers:
            found = place(config.model.backbone, config.model.revision, download=False)
            if found and asked > (there := read_layout(found.folder).layers):
                yield f"The backbone has {there} layers, and {asked} are asked for. Ask for {there} or fewer."
    except WorkbenchError as error:
        yield str(error)


def _articles(config: RunConfig) -> Iterator[str]:
    files = [found for part in config.corpus.files if (found := paths.found(part)) and found.is_file()]
    if len(files) < len(config.corpus.files):
        return  # what is not there is said by whoever reads it
    count = 0
    for file in files:
        head = list(islice(lines(file), HEAD_LINES + 1))
        if len(head) > HEAD_LINES:
            return  # only reading it would tell
        count += sum(bool(line and not before) for before, line in pairwise(["", *head]))
    if count < 2:
        yield (
            f"The corpus has {'one article' if count else 'no article'}. At least two are needed, since the last ones are "
            "held out: put an empty line between articles, one paragraph a line."
        )
