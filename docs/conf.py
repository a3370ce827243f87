"""The documentation site: `python -m sphinx -W docs docs/_build`, without a network. See docs/index.md."""

import sys
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_extensions")]

project = "Contrastive Workbench"
author = "The authors of Contrastive Workbench"
copyright = "2026, its authors. Apache-2.0"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "mathml",
    "docstrings",
    "catalogue",
    "repository",
]
exclude_patterns = ["_build", "_extensions", "examples", "resamples"]

# Pages.
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "deflist"]
default_role = "code"  # docstrings quote names in single backticks
highlight_language = "text"

# The reference. torch and transformers are not needed: no module of the catalogue imports them at its top.
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 88

# How it looks. Furo takes the reader's own fonts, so nothing is fetched; formulas are MathML for the same reason.
html_theme = "furo"
html_title = project
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1d5fa8", "color-brand-content": "#1d5fa8"},
    "dark_css_variables": {"color-brand-primary": "#7db4f0", "color-brand-content": "#7db4f0"},
}

try:
    version = release = metadata.version("contrastive-workbench")
except metadata.PackageNotFoundError:  # read from a clone that is not installed
    version = release = ""
