"""The catalogue pages, from METHODS and RECIPES themselves: `.. methods:: workbench.losses` and `.. recipes::`.

Nothing here is a second list: a method is on its page from the day that its file exists.
"""

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Annotated, Any, get_args, get_origin

from docstrings import converted, escape
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext.napoleon import GoogleDocstring
from sphinx.util.docutils import SphinxDirective

from workbench.core.method import Method, Setting
from workbench.recipes import RECIPES, Recipe


def signature(function: Any) -> str:
    """Parameters with their types and defaults, without ranges: those are in the table of settings."""
    parts, starred = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        starred = starred or parameter.kind is parameter.VAR_POSITIONAL
        mark = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        kind = parameter.annotation
        kind = get_args(kind)[0] if get_origin(kind) is Annotated else kind
        told = "" if kind is parameter.empty or isinstance(kind, str) else f": {inspect.formatannotation(kind)}"
        given = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        parts.append(f"{mark}{parameter.name}{told}{given}")
    return f"({', '.join(parts)})"


def shapes(function: Any) -> Iterator[str]:
    """Inputs whose type is a tensor's shape, and what comes back, as fields."""
    found = inspect.signature(function)
    for name, parameter in found.parameters.items():
        if isinstance(parameter.annotation, str):
            yield f":{name}: ``{parameter.annotation}``"
    if isinstance(found.return_annotation, str):
        yield f":returns: ``{found.return_annotation}``"


def allowed(setting: Setting) -> str:
    """What a setting can be."""
    if setting.choices:
        return ", ".join(f"``{choice or '(empty)'}``" for choice in setting.choices)
    if setting.knob.low is not None:
        return f"{setting.knob.low:g} to {setting.knob.high:g}"
    return {bool: "true or false", str: "text"}.get(setting.kind, setting.kind.__name__)


def table(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    """A list-table of reStructuredText."""
    yield from ("", ".. list-table::", "   :header-rows: 1", "   :class: settings", "")
    for row in [head, *rows]:
        for number, cell in enumerate(row):
            text = " ".join(cell.split()) or "\\ "
            yield f"   {'* -' if number == 0 else '  -'} {text}"
    yield ""


def documented(lines: list[str]) -> list[str]:
    """A docstring of Google's style as reStructuredText."""
    return GoogleDocstring(converted(lines), what="function").lines()


def entry(package: str, method: Method) -> Iterator[str]:
    """One method: what it is, where it is from, its formula, its docstring and its settings."""
    about = inspect.getdoc(inspect.getmodule(method.fn)) or ""
    yield from (method.id, "-" * len(method.id), "", f"**{escape(method.title)}.** {escape(about)}", "")
    if method.formula:
        yield from (".. math::", "", f"   {method.formula}", "")
    # Without an entry in the index of names: transforms, heads and objectives share some of them.
    yield from (f".. py:function:: {method.id}{signature(method.fn)}", f"   :module: {package}", "   :no-index:", "")
    yield from (f"   {line}" if line else "" for line in documented((inspect.getdoc(method.fn) or "").splitlines()))
    yield ""
    if fields := list(shapes(method.fn)):
        yield from (*fields, "")
    if method.settings:
        rows = [
            [f"``{name}``", f"``{setting.default!r}``", allowed(setting), escape(setting.knob.help)]
            for name, setting in method.settings.items()
        ]
        yield from table(["setting", "default", "can be", "meaning"], rows)
    yield from (f":source: {escape(method.source)}",)
    yield from (f":{name}: {escape(text) or 'yes'}" for name, text in method.tags.items())
    yield ""


def recipe_entry(recipe: Recipe) -> Iterator[str]:
    """One recipe: its summary, notes, and what was published."""
    yield from (recipe.id, "-" * len(recipe.id), "", f"**{escape(recipe.title)}.** {escape(recipe.summary)}", "")
    yield from (f"- {escape(note)}" for note in recipe.notes)
    yield from ("", f":needs: {escape(recipe.needs)}")
    terms = [term.loss or term.objective for term in recipe.terms]
    if terms:
        yield f":terms: {', '.join(f'``{name}``' for name in terms)}"
    if recipe.resource:
        yield f":resource: {escape(recipe.resource)}"
    yield from (f":citation: {escape(recipe.citation)}", "")
    if recipe.published:
        rows = [
            [escape(one.set), f"{one.score:g}", escape(one.variant), escape(one.source)] for one in recipe.published
        ]
        yield from table(["published on", "score", "variant", "source"], rows)


class Methods(SphinxDirective):
    """Every method of a package, in order, each as a section."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The sections, parsed."""
        package = self.arguments[0]
        home = import_module(package)
        lines = [*converted((inspect.getdoc(home) or "").splitlines()), ""]
        for method in home.METHODS.values():
            lines += entry(package, method)
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


class Recipes(SphinxDirective):
    """Every recipe that comes with the workbench, each as a section."""

    def run(self) -> list[nodes.Node]:
        """The sections, parsed."""
        lines = [line for recipe in RECIPES.values() for line in recipe_entry(recipe)]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register both directives."""
    app.add_directive("methods", Methods)
    app.add_directive("recipes", Recipes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
