"""A report as Markdown: the same sentences and tables, and figures as pictures beside it."""

from workbench.core.markdown import plain
from workbench.plots.template import takeaway_of
from workbench.report.blocks import Block, Cell, Code, Document, Drawing, Points, Sheet, Verdicts, Words


def markdown(document: Document) -> str:
    """The whole file."""
    parts = [f"# {plain(document.title)}", plain(document.about)]
    for section in document.sections:
        parts += [f"## {plain(section.title)}", *map(block, section.blocks)]
    return "\n\n".join(parts) + "\n"


def block(part: Block) -> str:
    """A part of a section."""
    match part:
        case Words(text, lead):
            return f"**{plain(text)}**" if lead else plain(text)
        case Points(items, numbered):
            return "\n".join(f"{f'{at}.' if numbered else '-'} {plain(item)}" for at, item in enumerate(items, 1))
        case Code(lines):
            fence = "`" * max(3, 1 + max((_longest(line) for line in lines), default=0))
            return "\n".join([f"{fence}sh", *(" ".join(line.splitlines()) for line in lines), fence])
        case Verdicts(items):
            return "\n".join(f"- **{item.kind}**: {plain(item.text)}" for item in items)
        case Drawing(name, caption, make):
            point = takeaway_of(make(False))
            shown = f"{plain(point)}\n\n" if point else ""
            return f"{shown}![{plain(caption)}](figures/{name}.svg)\n\n*{plain(caption)}*"
        case Sheet():
            return _sheet(part)


def _sheet(sheet: Sheet) -> str:
    ends = ["---" if at < sheet.words else "---:" for at in range(len(sheet.head))]
    lines = [_line([plain(name) or " " for name in sheet.head]), _line(ends)]
    lines += [_line([_cell(cell) for cell in row]) for row in sheet.rows]
    return "\n".join([*lines, "", f"*{plain(sheet.caption)}*"])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    text = f"**{plain(cell.text)}**" if cell.strong and cell.text else plain(cell.text)
    return f"{text} ({plain(cell.small)})" if cell.small else text


def _longest(line: str) -> int:
    """The longest row of backticks in a line."""
    longest = current = 0
    for letter in line:
        current = current + 1 if letter == "`" else 0
        longest = max(longest, current)
    return longest
