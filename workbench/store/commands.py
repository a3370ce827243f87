"""A configuration as the command or the Python line that repeats it, with only the values that the user changed."""

import csv
import io
import shlex
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from workbench.core.config import SECTIONS, RunConfig, Value
from workbench.core.errors import BadSetting

_SAID_ELSEWHERE = ("model.backbone", "model.revision", "name", "after")


def short(dotted: str, terms: int = 1) -> str:
    """The shortest name that `train` accepts for a value; `terms` is the number of terms of the objective.

    >>> short("training.steps"), short("probe.every"), short("terms.0.settings.temperature")
    ('steps', 'probe.every', 'temperature')
    """
    first, _, rest = dotted.partition(".")
    if first in SECTIONS:
        owners = [section for section in SECTIONS.values() if rest in {item.name for item in fields(section)}]
        return rest if len(owners) == 1 else dotted
    if first == "terms" and terms == 1:
        parts = dotted.split(".")
        if parts[2:] == ["loss"]:
            return "loss"
        if parts[2:3] == ["views"] and parts[4:] == ["augmentation"] and parts[3] in ("a", "b"):
            return f"augment_{parts[3]}"
        if parts[2:3] == ["settings"] and not any(
            parts[3] in {item.name for item in fields(s)} for s in SECTIONS.values()
        ):
            return parts[3]
    return dotted


def changed(config: RunConfig) -> dict[str, Value | list[str] | None]:
    """The values that the user set, by their shortest names. If epochs were set, the steps computed from them are left
    out.
    """
    counted = ("training.steps",) if config.training.epochs else ()
    found: dict[str, Value | list[str] | None] = {}
    for dotted, origin in config.origins.items():
        if origin == "user" and dotted not in (*_SAID_ELSEWHERE, *counted):
            setting = value(config, dotted)
            found[short(dotted, len(config.terms))] = list(setting) if isinstance(setting, tuple) else setting
    return found


def value(config: RunConfig, dotted: str) -> Any:
    """The value of `config` with a dotted name; None if there is no such value."""
    owner: object = config
    for part in dotted.split("."):
        if isinstance(owner, tuple):
            owner = owner[int(part)] if part.isdigit() and int(part) < len(owner) else None
        elif isinstance(owner, dict):
            owner = owner.get(part)
        else:
            owner = getattr(owner, part, None)
    return owner


def _said(config: RunConfig) -> dict[str, object]:
    """The named arguments of `train`, in the order to show them."""
    said: dict[str, object] = {"after": config.after} if config.after else {"backbone": config.model.backbone}
    if config.model.revision:
        said["revision"] = config.model.revision
    if not config.pretrains:
        said["corpus"] = config.corpus.source
    if config.official:
        said["official"] = True
    if config.name:
        said["name"] = config.name
    if config.accept:
        said["accept"] = True if "all" in config.accept else list(config.accept)
    return said | {name: found for name, found in changed(config).items() if found is not None}


def joined(items: Iterable[object]) -> str:
    """Several texts as one word, as in a line of CSV: separated by commas, with quotation marks around texts that
    contain one.

    >>> joined(["demo:dev", "demo:test"]), joined(["Smith, John", "WHO"]), joined([])
    ('demo:dev,demo:test', '"Smith, John",WHO', '')
    """
    line = io.StringIO()
    csv.writer(line).writerow(items)
    return line.getvalue().removesuffix("\r\n")


def items_of(word: str) -> list[str]:
    """The texts that `joined` made into one word; an empty word has none.

    >>> items_of("demo:dev,demo:test"), items_of('"Smith, John",WHO'), items_of("")
    (['demo:dev', 'demo:test'], ['Smith, John', 'WHO'], [])

    Raises:
        BadSetting: quotation marks or line ends are not valid in a line of CSV.
    """
    try:
        [found] = csv.reader([word], strict=True)
    except csv.Error as error:
        raise BadSetting(
            f"{word!r} cannot be split at its commas: {error}.",
            way_out='Quote every text that contains a comma, and double the quotation marks in it: "Smith, John",WHO.',
        ) from None
    return found


def _flag(name: str, word: str) -> list[str]:
    """The words for one argument. A value that begins with a dash is joined with =, or it would be taken for a flag."""
    flag = "--" + name.replace("_", "-")
    return [f"{flag}={word}"] if word.startswith("-") else [flag, word]


def command_line(config: RunConfig) -> str:
    """`python -m workbench train ...`, or `pretrain ...`, quoted for a POSIX shell."""
    words = ["python", "-m", "workbench", "pretrain" if config.pretrains else "train", "--recipe", config.recipe]
    if config.pretrains:
        words += ["--corpus", *(f"./{file}" if file.startswith("-") else file for file in config.corpus.files)]
    for name, said in _said(config).items():
        if said is True and name in ("official", "accept"):
            words.append(f"--{name}")
        elif isinstance(said, list):
            words += _flag(name, joined(said))
        else:
            words += _flag(name, str(said).lower() if isinstance(said, bool) else str(said))
    return shlex.join(words)


def python_line(config: RunConfig) -> str:
    """`workbench.api.train(...)`, or `workbench.api.pretrain(...)`."""
    said = _said(config)
    if config.pretrains:
        said = {"recipe": config.recipe, **said}
    words = [f"{name}={word!r}" for name, word in said.items() if name.isidentifier()]
    if dotted := {name: word for name, word in said.items() if not name.isidentifier()}:
        words.append(f"**{dotted!r}")
    if config.pretrains:
        files = config.corpus.files
        return f"workbench.api.pretrain({', '.join([repr(files if len(files) > 1 else config.corpus.source), *words])})"
    return f"workbench.api.train({', '.join([repr(config.recipe), *words])})"


def origins(config: RunConfig) -> str:
    """A text that lists each value and where it came from (user, recipe, backbone, machine or default), one per line."""
    corpus = f"{config.corpus.rows:,} texts of {config.corpus.name}" if config.corpus.rows else config.corpus.source
    lines = [f"{config.recipe} on {config.model.backbone}, {corpus}"]
    for origin in ("user", "recipe", "backbone", "machine", "default"):
        named = sorted(name for name, source in config.origins.items() if source == origin)
        lines.extend(f"  {origin:<9} {name} = {value(config, name)!r}" for name in named)
    return "\n".join(lines)
