"""A configuration as the command and as the Python line that repeat it: only what the user changed is spelled out."""

import shlex
from dataclasses import fields
from typing import Any

from workbench.core.config import SECTIONS, RunConfig, Term


def changed(config: RunConfig) -> dict[str, Any]:
    """The values that the user set, by the shortest name that is still unambiguous."""
    return {short(name): value for name in config.origins if config.origins[name] == "user" and (value := _value(config, name)) is not None}


def short(dotted: str) -> str:
    """`training.steps` is `steps`; a name that two sections have stays dotted.

    >>> short("training.steps"), short("probe.every")
    ('steps', 'probe.every')
    """
    section, _, name = dotted.partition(".")
    if section not in SECTIONS:
        return dotted
    owners = [other for other in SECTIONS.values() if name in {item.name for item in fields(other)}]
    return name if len(owners) == 1 else dotted


def _value(config: RunConfig, dotted: str) -> Any:
    """What `config` holds under a dotted name; None if there is no such value, or it is said elsewhere on the line."""
    first, _, rest = dotted.partition(".")
    if first in SECTIONS and rest and dotted not in ("model.backbone", "model.revision"):
        return getattr(getattr(config, first), rest, None)
    if first not in SECTIONS and "." not in dotted:  # a loss setting, such as temperature
        return next((term.settings[dotted] for term in config.terms if isinstance(term, Term) and dotted in term.settings), None)
    return None


def _said(config: RunConfig) -> dict[str, Any]:
    """The named arguments of `train`, in the order of a sentence."""
    said: dict[str, Any] = {"backbone": config.model.backbone}
    if config.model.revision:
        said["revision"] = config.model.revision
    said["corpus"] = config.corpus.source
    if config.official:
        said["official"] = True
    if config.name:
        said["name"] = config.name
    return said | {name: list(value) if isinstance(value, tuple) else value for name, value in changed(config).items()}


def command_line(config: RunConfig) -> str:
    """`python -m workbench train ...`, quoted for a POSIX shell."""
    words = ["python", "-m", "workbench", "train", "--recipe", config.recipe]
    for name, value in _said(config).items():
        words.append("--" + name.replace("_", "-"))
        if name == "official":
            continue
        words.append(",".join(map(str, value)) if isinstance(value, list) else str(value).lower() if isinstance(value, bool) else str(value))
    return shlex.join(words)


def python_line(config: RunConfig) -> str:
    """`workbench.api.train(...)`."""
    said = _said(config)
    plain = [f"{name}={value!r}" for name, value in said.items() if name.isidentifier()]
    dotted = {name: value for name, value in said.items() if not name.isidentifier()}
    if dotted:
        plain.append(f"**{dotted!r}")
    return f"workbench.api.train({', '.join([repr(config.recipe), *plain])})"
