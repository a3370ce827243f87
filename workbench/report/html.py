"""A report as one HTML file, with figures that can be explored, and nothing loaded from anywhere."""

import json
from html import escape
from pathlib import Path

from workbench.core.html_file import POLICY, SAVING, html_file
from workbench.core.json_values import Json
from workbench.core.paths import shipped
from workbench.core.unbroken import unbroken
from workbench.core.unicode import unturned
from workbench.plots.template import alt_text, takeaway_of
from workbench.report.blocks import (
    Block,
    Cell,
    Code,
    Document,
    Drawing,
    Points,
    Section,
    Sheet,
    Verdicts,
    Words,
)

FOLDER = shipped("assets", "report")
SIGNS = {"better": "▲", "worse": "▼", "tie": "="}


def plotly() -> str:
    """The script that draws the figures, as it comes with the package plotly."""
    import plotly as package

    return (Path(package.__file__).parent / "package_data" / "plotly.min.js").read_text(encoding="utf-8")


def html(document: Document, *, library: str | None = None) -> str:
    """The whole file; `library` stands in for `plotly` where no browser will open it."""
    data: Json = {drawing.name: _drawn(drawing) for drawing in document.drawings}
    contents = "".join(f'<li><a href="#{section.id}">{escape(section.title)}</a></li>' for section in document.sections)
    body = "\n".join(
        [
            f'<p class="quiet">{escape(document.about)}</p>',
            f'<nav aria-label="Sections"><ol>{contents}</ol></nav>',
            *map(_section, document.sections),
        ]
    )
    return html_file(
        document.title,
        kind="report",
        style=(FOLDER / "report.css").read_text(encoding="utf-8"),
        body=body,
        data=data,
        module=(FOLDER / "report.js").read_text(encoding="utf-8"),
        library=plotly() if library is None else library,
        policy=POLICY + SAVING,
    )


def _drawn(drawing: Drawing) -> Json:
    light, dark = ({**json.loads(str(drawing.make(theme).to_json()))} for theme in (False, True))
    return {"light": light, "dark": dark}


def _section(section: Section) -> str:
    body = "\n".join(map(_block, section.blocks))
    return f'<section id="{section.id}">\n<h2>{escape(section.title)}</h2>\n{body}\n</section>'


def _block(block: Block) -> str:
    match block:
        case Words(text, lead):
            return f'<p class="lead">{_said(text)}</p>' if lead else f"<p>{_said(text)}</p>"
        case Points(items, numbered):
            kind = "ol" if numbered else "ul"
            return f"<{kind}>{''.join(f'<li>{_said(item)}</li>' for item in items)}</{kind}>"
        case Code(lines):
            return f"<pre tabindex='0'><code>{escape(unturned(chr(10).join(lines)))}</code></pre>"
        case Verdicts(items):
            entries = (
                f'<li class="{item.kind}"><b aria-hidden="true">{SIGNS[item.kind]}</b> {_said(item.text)}</li>'
                for item in items
            )
            return f'<ul class="verdicts">{"".join(entries)}</ul>'
        case Drawing():
            return _figure(block)
        case Sheet():
            return _sheet(block)


def _said(text: str) -> str:
    return escape(unbroken(unturned(text)))


def _figure(drawing: Drawing) -> str:
    figure = drawing.make(False)
    height = int(figure.layout.height or 450)
    point = takeaway_of(figure)
    shown = f'<p class="point">{_said(point)}</p>' if point else ""
    words = escape(alt_text(figure) or drawing.caption, quote=True)
    return (
        f'<figure>{shown}<div class="drawn" id="figure-{drawing.name}" data-figure="{drawing.name}" role="img" '
        f'aria-label="{words}" style="min-height: {height}px"><noscript>This figure is drawn with JavaScript; the folder figures '
        f"has it as a picture.</noscript></div><figcaption>{_said(drawing.caption)}</figcaption></figure>"
    )


def _sheet(sheet: Sheet) -> str:
    head = "".join(f'<th scope="col"{_words(at, sheet)}>{escape(name)}</th>' for at, name in enumerate(sheet.head))
    rows = "".join(
        f"<tr>{''.join(f'<td{_words(at, sheet)}>{_cell(cell)}</td>' for at, cell in enumerate(row))}</tr>"
        for row in sheet.rows
    )
    caption = f"<figcaption>{_said(sheet.caption)}</figcaption>"
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    label = escape(sheet.caption.split(".", 1)[0], quote=True)
    scroll = f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">{table}</div>'
    return f'<figure class="sheet" id="table-{sheet.name}">{scroll}{caption}</figure>'


def _words(at: int, sheet: Sheet) -> str:
    return ' class="words"' if at < sheet.words else ""


def _cell(cell: Cell) -> str:
    text = f"<strong>{escape(cell.text)}</strong>" if cell.strong else escape(cell.text)
    return f"{text}<br><small>{escape(cell.small)}</small>" if cell.small else text
