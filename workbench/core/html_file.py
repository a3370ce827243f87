"""One HTML file that needs no Python, no server and no network: the frame of the lesson, of films and of reports."""

import json
from html import escape

from workbench.core.json_values import Json
from workbench.core.paths import shipped

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
"""The file loads nothing, from nowhere."""
SAVING = "; img-src data: blob:"
"""Added to the policy where figures can be saved as pictures, which the browser makes from an image in its memory."""


def tables_script() -> str:
    """The library of a file whose figures can be saved as tables; the app's pages load it from the app."""
    return shipped("assets", "canvas", "tables.js").read_text(encoding="utf-8")


def html_file(
    title: str,
    *,
    kind: str,
    style: str,
    body: str,
    data: Json,
    module: str,
    library: str = "",
    policy: str = POLICY,
) -> str:
    """The whole file. `title` and `data` are escaped here, nothing else: `body` is HTML, `style` a style sheet, `library` a
    script that runs first, and `module` one that reads the element called `data`. `kind` names the class of the root.
    """
    # Within a script element only `</` and `<!--` could end or change it.
    numbers = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    first = f"<script>\n{library}\n</script>\n" if library else ""
    return f"""<!doctype html>
<html lang="en" class="{kind}-file">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{escape(title)}</title>
<style>
{style}
</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
{body}
</main>
<script type="application/json" id="data">{numbers}</script>
{first}<script type="module">
{module}
</script>
</body>
</html>
"""
