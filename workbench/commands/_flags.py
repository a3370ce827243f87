"""Flags made from the knobs of the run configuration, and what they say."""

import argparse
import ast
import inspect
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from itertools import pairwise
from typing import Any, get_type_hints

from workbench.core.calls import number_or_word
from workbench.core.config import SECTIONS, section_settings
from workbench.core.errors import BadSetting
from workbench.core.method import Setting
from workbench.store.commands import items_of, short
from workbench.verbs import Verb

_SAID = ("backbone",)
"""Fields of the configuration that have an argument of their own."""


CORPUS = (
    "demo, demo:paraphrases, demo:triplets, demo:labelled, demo:scored, demo:documents, FILE (text, table or JSON lines), "
    "FILE#COLUMN, FILE#ROLE=COLUMN,ROLE=COLUMN (also demo:triplets#text=text,positive=negative), hf:ORG/NAME, or "
    "texts:demo:dev,stsb:test@FOLDER: the texts of pair sets (sts@FOLDER: of all STS tasks there), without their gold."
)
"""What names texts; see `workbench.data.corpora.load_corpus`."""

PRETRAINING = tuple(section for section in SECTIONS if section != "augmenting")
"""The sections of a pretraining, which augments nothing."""
FINE_TUNING = tuple(section for section in SECTIONS if section != "pretraining")


def of_a_run(one: argparse.ArgumentParser, sections: Sequence[str] = FINE_TUNING) -> None:
    """A flag for every value of some sections of the run configuration."""
    for section in sections:
        knobs(one.add_argument_group(section), section)


def of_request(one: argparse.ArgumentParser, verb: Verb[Any, Any], *, without: Sequence[str] = ()) -> None:
    """A flag for every field of a verb's request; positional words for texts and for what has no default."""
    for name, field in verb.fields.items():
        if name not in without:
            field.flag(one, name, verb.defaults[name])


def accepting(one: argparse.ArgumentParser) -> None:
    """The flag that accepts warnings."""
    from workbench.preflight.acknowledgements import ALL, HELP

    one.add_argument("--accept", nargs="?", const=ALL, default="", metavar="NAMES", help=HELP.replace("%", "%%"))


def knobs(group: Any, section: str) -> None:
    """A flag for every value of one section; where two sections share a name, with the section before it."""
    settings, kinds = section_settings(SECTIONS[section]), get_type_hints(SECTIONS[section])
    said = field_docs(SECTIONS[section])
    for item in fields(SECTIONS[section]):
        dotted = f"{section}.{item.name}"
        setting = settings.get(item.name)
        if item.name in _SAID or (setting is None and kinds[item.name] not in (str, bool, tuple[str, ...])):
            continue
        flag = "--" + short(dotted).replace("_", "-")
        group.add_argument(
            *dict.fromkeys([flag, f"--{dotted}"]),
            dest=dotted,
            default=argparse.SUPPRESS,
            metavar="true|false" if kinds[item.name] is bool else _metavar(setting),
            help=(setting.knob.help if setting else said.get(item.name, "")).replace("%", "%%"),
        )


@cache
def field_docs(section: type) -> dict[str, str]:
    """What stands below the fields of a section: the help of those that have no knob."""
    [body] = ast.parse(inspect.getsource(section)).body
    found = {}
    for above, below in pairwise(body.body if isinstance(body, ast.ClassDef) else ()):
        if isinstance(above, ast.AnnAssign) and isinstance(above.target, ast.Name) and isinstance(below, ast.Expr):
            found[above.target.id] = " ".join(str(ast.literal_eval(below.value)).replace("`", "").split())
    return found


def _metavar(setting: Setting | None) -> str:
    if setting is None:
        return "TEXT"
    if setting.choices:
        return "{" + ",".join(setting.choices) + "}"
    return {int: "N", float: "X", bool: "true|false", str: "TEXT"}[setting.kind]


def changes(asked: argparse.Namespace, extra: Sequence[str]) -> dict[str, Any]:
    """What the flags change: knobs by their dotted names, everything else (settings of losses) as it was written."""
    found: dict[str, Any] = {}
    for dotted, text in vars(asked).items():
        section, _, name = dotted.partition(".")
        if section in SECTIONS and name:
            text = "--" if text == [] else text  # what argparse makes of `--flag=--`
            setting = section_settings(SECTIONS[section]).get(name)
            kind = get_type_hints(SECTIONS[section])[name]
            if setting:
                found[dotted] = setting.parse(text)
            elif kind is bool:
                found[dotted] = _literal(text)
            else:
                found[dotted] = items_of(text) if kind == tuple[str, ...] else text
    return found | pairs_of(extra)


def pairs_of(extra: Sequence[str]) -> dict[str, Any]:
    """`--name value` and `--name=value` that no flag of ours took.

    >>> pairs_of(["--temperature", "0.1", "--loss=ntxent_2n"])
    {'temperature': 0.1, 'loss': 'ntxent_2n'}
    """
    found: dict[str, Any] = {}
    words = list(extra)
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            raise BadSetting(f"{word!r} belongs to no flag.", way_out="Quote texts that hold spaces; see --help.")
        name, equals, value = word[2:].partition("=")
        if not equals:
            if not words:
                raise BadSetting(f"{word} has no value.", way_out="See --help.")
            value = words.pop(0)
        found[name.replace("-", "_")] = _literal(value)
    return found


def _literal(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return number_or_word(text)


def none_left(extra: Sequence[str]) -> None:
    """Words that nobody understood.

    Raises:
        BadSetting: there are some.
    """
    if extra:
        raise BadSetting(f"Not understood: {' '.join(extra)}.", way_out="See --help.")


def confirmed(name: str, yes: str | None) -> str:
    """What a person types before something is deleted for good: `--yes`, or else the answer to a question.

    Raises:
        BadSetting: there is nobody to ask.
    """
    if yes is not None:
        return yes.strip()
    try:
        return input(f"Type the id {name} to delete it for good: ").strip()
    except EOFError:
        raise BadSetting(
            f"{name} was not deleted.",
            rule="Deleting asks for the id once more, and there is no terminal to ask at.",
            way_out=f"Give it with --yes {name}.",
        ) from None
