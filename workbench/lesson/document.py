"""The lesson as one HTML file, which needs no Python, no server and no network."""

from workbench.core.html_file import POLICY, SAVING, html_file, tables_script
from workbench.lesson.words import FOLDER, read

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
    return html_file(
        str(data["words"]["title"]),
        kind="lesson",
        style=style(),
        body="<noscript><p>This lesson draws its figures with JavaScript, which is turned off in this browser.</p></noscript>\n"
        '<div id="lesson"></div>',
        data=data,
        module=f"{script()}\n{_START}",
        library=tables_script(),
        policy=POLICY + SAVING,
    )
