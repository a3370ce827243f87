"""Command-line flags, made from the knobs of the run configuration and from the requests of verbs."""

import argparse
import ast
import inspect
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, get_type_hints

from workbench.core.calls import number_or_word
from workbench.core.config import SECTIONS, Value, section_settings
from workbench.core.errors import BadSetting
from workbench.core.method import Setting
from workbench.store.commands import items_of, short

if TYPE_CHECKING:
    from workbench.verbs import AnyVerb

_HAS_ITS_OWN_FLAG = ("backbone",)
"""Fields of the configuration that a command takes under a flag of its own."""


CORPUS = (
    "demo, demo:paraphrases, demo:triplets, demo:labelled, demo:scored, demo:documents, FILE (text, table or JSON lines), "
    "FILE#COLUMN, FILE#ROLE=COLUMN,ROLE=COLUMN (also demo:triplets#text=text,positive=negative), hf:ORG/NAME, or "
    "texts:demo:dev,stsb:test@FOLDER: the texts of pair sets (sts@FOLDER: of all STS tasks there), without their gold."
)
"""How texts are named on the command line; see `workbench.data.corpora.load_corpus`."""

PRETRAINING = tuple(section for section in SECTIONS if section != "augmenting")
"""The sections of a pretraining, which augments nothing."""
FINE_TUNING = tuple(section for section in SECTIONS if section != "pretraining")


def of_a_run(parser: argparse.ArgumentParser, sections: Sequence[str] = FINE_TUNING) -> None:
    """A flag for every value of some sections of the run configuration."""
    for section in sections:
        knobs(parser.add_argument_group(section), section)


def of_request(parser: argparse.ArgumentParser, verb: "AnyVerb", *, without: Sequence[str] = ()) -> None:
    """A flag for every field of a verb's request; texts and fields without a default are positional."""
    for name, field in verb.fields.items():
        if name not in without:
            field.flag(parser, name, verb.defaults[name])


def accept_flag(parser: argparse.ArgumentParser) -> None:
    """`--accept`, which acknowledges warnings."""
    from workbench.preflight.acknowledgements import ALL, HELP

    parser.add_argument("--accept", nargs="?", const=ALL, default="", metavar="NAMES", help=HELP.replace("%", "%%"))


def minutes_flag(parser: argparse.ArgumentParser) -> None:
    """`--minutes`, in place of steps."""
    parser.add_argument(
        "--minutes",
        type=float,
        metavar="X",
        help="Train for about this long instead of --steps; the number of steps is estimated by a trial.",
    )


def on_flag(parser: argparse.ArgumentParser, default: str = "this machine") -> None:
    """`--on`, which names a cluster."""
    parser.add_argument(
        "--on", metavar="NAME", help=f"The cluster of clusters.toml that works on it, or local (default: {default})."
    )


def knobs(group: argparse._ArgumentGroup, section: str) -> None:
    """A flag for every value of a section, prefixed with the section where two sections share a name."""
    settings, kinds = section_settings(SECTIONS[section]), get_type_hints(SECTIONS[section])
    docs = field_docs(SECTIONS[section])
    for item in fields(SECTIONS[section]):
        dotted = f"{section}.{item.name}"
        setting = settings.get(item.name)
        if item.name in _HAS_ITS_OWN_FLAG or (setting is None and kinds[item.name] not in (str, bool, tuple[str, ...])):
            continue
        flag = "--" + short(dotted).replace("_", "-")
        group.add_argument(
            *dict.fromkeys([flag, f"--{dotted}"]),
            dest=dotted,
            default=argparse.SUPPRESS,
            metavar="true|false" if kinds[item.name] is bool else _metavar(setting),
            help=(setting.knob.help if setting else docs.get(item.name, "")).replace("%", "%%"),
        )


@cache
def field_docs(section: type) -> dict[str, str]:
    """The docstrings of the fields of a section, by field: the help of fields without a knob."""
    [body] = ast.parse(inspect.getsource(section)).body
    docs = {}
    for above, below in pairwise(body.body if isinstance(body, ast.ClassDef) else ()):
        if isinstance(above, ast.AnnAssign) and isinstance(above.target, ast.Name) and isinstance(below, ast.Expr):
            docs[above.target.id] = " ".join(str(ast.literal_eval(below.value)).replace("`", "").split())
    return docs


def _metavar(setting: Setting | None) -> str:
    if setting is None:
        return "TEXT"
    if setting.choices:
        return "{" + ",".join(setting.choices) + "}"
    return {int: "N", float: "X", bool: "true|false", str: "TEXT"}[setting.kind]


def changes(asked: argparse.Namespace, extra: Sequence[str]) -> dict[str, Any]:
    """The changes that the flags ask for: knobs by dotted name, everything else (settings of losses) by the name as written."""
    changed: dict[str, Any] = {}
    for dotted, text in vars(asked).items():
        section, _, name = dotted.partition(".")
        if section in SECTIONS and name:
            text = "--" if text == [] else text  # what argparse makes of `--flag=--`
            setting = section_settings(SECTIONS[section]).get(name)
            kind = get_type_hints(SECTIONS[section])[name]
            if setting:
                changed[dotted] = setting.parse(text)
            elif kind is bool:
                changed[dotted] = _literal(text)
            else:
                changed[dotted] = items_of(text) if kind == tuple[str, ...] else text
    return changed | pairs_of(extra)


def pairs_of(
    extra: Sequence[str], *, rule: str = "", way_out: str = "Quote texts with spaces; see --help."
) -> dict[str, Any]:
    """The `--name value` and `--name=value` among the words that no flag took; `rule` and `way_out` are for a word by itself.

    >>> pairs_of(["--temperature", "0.1", "--loss=ntxent_2n"])
    {'temperature': 0.1, 'loss': 'ntxent_2n'}
    """
    values: dict[str, Any] = {}
    words = list(extra)
    while words:
        word = words.pop(0)
        if word == "--":
            raise BadSetting(
                "Nothing after -- is read as a flag, and this command takes only flags.", way_out="Leave it out."
            )
        if not word.startswith("--"):
            raise BadSetting(f"{word!r} does not belong to a flag.", rule=rule, way_out=way_out)
        name, equals, value = word[2:].partition("=")
        if not equals:
            if not words:
                raise BadSetting(f"{word} has no value.", way_out="See --help.")
            value = words.pop(0)
        values[name.replace("-", "_")] = _literal(value)
    return values


def _literal(text: str) -> Value:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return number_or_word(text)


def none_left(extra: Sequence[str]) -> None:
    """Refuse words that no flag took.

    Raises:
        BadSetting: there is one.
    """
    if extra:
        raise BadSetting(f"Unrecognised: {' '.join(extra)}.", way_out="See --help.")


def confirmed(name: str, yes: str | None) -> str:
    """The id that confirms a deletion: that of `--yes`, or else typed at a prompt.

    Raises:
        BadSetting: there is no terminal to ask at.
    """
    if yes is not None:
        return yes.strip()
    try:
        return input(f"Type the id {name} to delete it permanently: ").strip()
    except EOFError:
        raise BadSetting(
            f"{name} was not deleted.",
            rule="Deletion asks for the id once more, and there is no terminal to ask at.",
            way_out=f"Give it with --yes {name}.",
        ) from None
