"""Formulas as MathML, which every current browser draws by itself: no script, no fonts, no network."""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx


def inline(translator, node: nodes.math) -> None:
    """A formula within a line."""
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(translator, node: nodes.math_block) -> None:
    """A formula of its own, which scrolls where it is wider than the page."""
    translator.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer under the name that `html_math_renderer` gives."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
