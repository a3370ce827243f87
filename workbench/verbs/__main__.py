"""Write what derives from the verbs: `python -m workbench.verbs` after a verb or a function of the api was added.

`workbench/api/questions.py` has a function for each verb, and `workbench/api/__init__.py` lists what the api has, so that
editors and type checkers know both without running anything.
"""

import ast
import inspect
import textwrap
from pathlib import Path
from typing import Any

from workbench.core import presets
from workbench.verbs import VERBS, Verb

API = Path(__file__).resolve().parents[1] / "api"
WIDTH = 120
TYPES = {
    "workbench.compute.tickets": ("Answer", "Ticket"),
    "workbench.store.run": ("Run",),
    "workbench.sweeps": ("Plan", "Sweep"),
}
"""What the functions take and give, and comes from below."""
BY_HAND = ("augment",)
"""Verbs whose function does more than ask."""


def questions() -> str:
    """The text of `questions.py`."""
    verbs = [verb for verb in VERBS.values() if verb.id not in BY_HAND]
    body = "\n\n\n".join(map(_function, verbs))
    homes = sorted({verb.id for verb in verbs})
    typing = [name for name in ("Any", "Literal") if f"{name}[" in body or f", {name}]" in body]
    abc = [name for name in ("Mapping", "Sequence") if f"{name}[" in body]
    lines = [
        '"""The verbs as functions, each of which waits for its answer. Written by `python -m workbench.verbs`."""',
        "",
    ]
    lines += [f"from collections.abc import {', '.join(abc)}"] if abc else []
    lines += ["from pathlib import Path"] if "Path" in body else []
    lines += [f"from typing import {', '.join(['TYPE_CHECKING', *typing])}", ""]
    lines += ["from workbench.api.asking import Follow, answer", "from workbench.api.places import AnyRun, Folder"]
    lines += ["from workbench.core import presets"] if "presets." in body else []
    lines += ["from workbench.core.config import RunConfig"] if "RunConfig" in body else []
    lines += [f"from workbench.verbs import {name} as _{name}" for name in homes]
    lines += ["", "if TYPE_CHECKING:", "    import numpy", "    from pandas import DataFrame", "", ""]
    return "\n".join(lines) + "\n" + body + "\n"


def _function(verb: Verb[Any, Any]) -> str:
    empty = inspect.Parameter.empty
    written = {
        name: f"{name}: {field.raw}" + ("" if verb.defaults[name] is empty else f" = {_default(verb.defaults[name])}")
        for name, field in verb.fields.items()
    }
    # What has to be given comes by position, and so does the first field: what the question is about.
    given = [written[name] for name in verb.fields if verb.defaults[name] is empty] or [*written.values()][:1]
    others = [text for text in written.values() if text not in given]
    follow = [] if verb.where == "here" else ["follow: Follow = None"]
    parameters = [*given, "*", *others, "runs: Folder = None", *follow]
    asked = [f"{name}={name}" for name in verb.fields]
    passed = ", ".join([f"_{verb.id}.VERB", "runs=runs", *(["follow=follow"] if follow else []), *asked])
    return "\n".join(
        [
            f"def {verb.id}({', '.join(parameters)}) -> {_answer(verb)}:",
            textwrap.indent(_docstring(verb), "    "),
            f"    return answer({passed})",
        ]
    )


def _default(value: object) -> str:
    """A default as code; those of `core.presets` by their name, since no other code names a method."""
    preset = next((name for name, other in vars(presets).items() if name.isupper() and value == other), "")
    return f"presets.{preset}" if preset and value else repr(value)


def _answer(verb: Verb[Any, Any]) -> str:
    kind = verb.answer
    if isinstance(kind, str):
        return f'"{kind}"'
    if kind.__module__.startswith("workbench.verbs."):
        return f"_{kind.__module__.rpartition('.')[2]}.{kind.__name__}"
    return '"numpy.ndarray"' if kind.__name__ == "ndarray" else str(kind).replace("typing.", "")


def _docstring(verb: Verb[Any, Any]) -> str:
    asked = inspect.getdoc(verb.request) or ""
    back = inspect.getdoc(verb.run) or ""
    notes = [f"* `{name}`: {field.help}" for name, field in verb.fields.items() if field.help and name != "target"]
    parts = [
        f"{asked.split(chr(10) + chr(10))[0]}",
        *asked.split("\n\n")[1:],
        f"Returns: {back[0].lower()}{back[1:]}"
        if back[:1].isupper() and not back.startswith(("See", "Columns", "Plain"))
        else f"Returns: {back}",
    ]
    if notes:
        parts.append(
            "\n".join(line for note in notes for line in textwrap.wrap(note, WIDTH - 4, subsequent_indent="  "))
        )
    parts.append("Raises:\n    WorkbenchError: an argument that cannot be used.")
    text = "\n\n".join(part for part in parts if part)
    return f'"""{text}\n"""'


def listing() -> str:
    """The text of `__init__.py`."""
    homes = {
        f"workbench.api.{path.stem}": _public(path)
        for path in sorted(API.glob("*.py"))
        if not path.stem.startswith("_")
    }
    homes = {home: names for home, names in homes.items() if names and home != "workbench.api.places"}
    homes["workbench.api.asking"] = ("answer", "submit")
    homes |= TYPES
    names = sorted(name for own in homes.values() for name in own)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise SystemExit(f"Two modules of the api have {', '.join(sorted(twice))}.")
    imports = "\n".join(f"    from {home} import {', '.join(own)}" for home, own in homes.items())
    homes_text = "\n".join(f'    "{home}": ({", ".join(map(repr, own))},),' for home, own in homes.items())
    every = "\n".join(f'    "{name}",' for name in names)
    return f'''"""What a user can say: the verbs that pages, command line and Python share. Importable without torch.

Nothing is computed here: runs go to the queue, questions to the warm compute process of the runs folder. One file a topic;
`questions` has a function for each verb. This list is written by `python -m workbench.verbs`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
{imports}

__all__ = [
{every}
]

_HOMES = {{
{homes_text}
}}
"""Where each name comes from. It is imported when it is first asked for: a list of runs needs a tenth of all this."""


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(home), name)
            return value
    raise AttributeError(f"module {{__name__!r}} has no attribute {{name!r}}")


def __dir__() -> list[str]:
    return sorted({{*globals(), *__all__}})
'''


def _public(path: Path) -> tuple[str, ...]:
    """The functions of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}  # once, however often overloaded
    return tuple(sorted(name for name in functions if not name.startswith("_")))


def written() -> dict[Path, str]:
    """Each file with its text, formatted as everything here is."""
    import subprocess
    import sys

    found = {}
    for path, text in ((API / "questions.py", questions), (API / "__init__.py", listing)):
        content = text()
        for command in (["check", "--fix", "--quiet", "--select", "I"], ["format", "--quiet"]):
            ruff = [sys.executable, "-m", "ruff", *command, "--no-cache", "--stdin-filename", str(path), "-"]
            content = subprocess.run(ruff, input=content, capture_output=True, text=True, check=True).stdout
        found[path] = content
        if path.name == "questions.py":
            path.write_text(content, encoding="utf-8")  # the list reads what is there
    return found


if __name__ == "__main__":
    for file, content in written().items():
        file.write_text(content, encoding="utf-8")
        print(file.relative_to(API.parents[1]))
