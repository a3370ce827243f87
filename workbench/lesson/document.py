"""The lesson as one HTML file, which needs no Python, no server and no network."""

import json
from html import escape

from workbench.lesson.words import FOLDER, read

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
"""The file loads nothing, from nowhere."""
_START = """
const data = JSON.parse(document.getElementById("data").textContent);
const root = document.getElementById("lesson");
const asked = new URLSearchParams(location.search).get("step") ?? location.hash.slice(1);
const address = (step) => {
  try { history.pushState(null, "", `?step=${step}`); } catch { location.hash = step; }
};
mount(root, { ...data, step: asked }, (name, value) => { if (name === "step") address(value); });
addEventListener("popstate", () => {
  const step = new URLSearchParams(location.search).get("step") ?? location.hash.slice(1);
  mount(root, { ...data, step }, root.lesson.send);
});
"""


def script() -> str:
    """The script, as page and file have it."""
    return (FOLDER / "lesson.js").read_text(encoding="utf-8")


def style() -> str:
    """Its style sheet."""
    return (FOLDER / "lesson.css").read_text(encoding="utf-8")


def document() -> str:
    """The whole file: words, numbers, script and style sheet."""
    data = read()
    title = escape(data["words"]["title"])
    # Within a script element only `</` and `<!--` could end or change it.
    numbers = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="en" class="lesson-file">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{title}</title>
<style>
{style()}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
<noscript><p>This lesson draws its figures with JavaScript, which is turned off in this browser.</p></noscript>
<div id="lesson"></div>
</main>
<script type="application/json" id="data">{numbers}</script>
<script type="module">
{script()}
{_START}
</script>
</body>
</html>
"""
