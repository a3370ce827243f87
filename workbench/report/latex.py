"""A report as LaTeX: booktabs tables, bold only where a test says so, figures and BibTeX references beside it."""

import re
from collections.abc import Iterable

from workbench.core.unbroken import unbroken
from workbench.core.unicode import unturned
from workbench.report.blocks import Block, Cell, Code, Document, Drawing, Points, Sheet, Verdicts, Words

PREAMBLE = r"""% pdflatex, bibtex, pdflatex twice. Scripts other than Latin need lualatex or xelatex, and a font that has them.
\documentclass[10pt]{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\else\usepackage{fontspec}\fi
\usepackage[margin=2.5cm]{geometry}
\usepackage{booktabs}
\usepackage{float}
\usepackage{graphicx}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
"""
_SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "−": "$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "▲": r"$\uparrow$",
    "▼": r"$\downarrow$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "≥": r"$\geq$",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "’": "'",
    "“": "``",
    "”": "''",
    "\u00a0": "~",
}
_IN_COMMANDS = {" ": "\\ ", "'": r"\textquotesingle{}"}
"""A second space, which would be lost, and the quote of a shell, which would be curled."""
_LONG = 60
_BREAKS = frozenset("-/_=@:.,")
_CONTROL = {chr(code) for code in (*range(32), 127)}


def latex(document: Document, keys: Iterable[str]) -> str:
    """The whole file; `keys` are those of references.bib that it cites."""
    parts = [PREAMBLE, r"\begin{document}", rf"\title{{{plain(document.title)}}}", r"\author{}\date{}\maketitle"]
    parts += [rf"\noindent {plain(document.about)}"]
    cited = sorted(set(keys))
    for section in document.sections:
        if section.id == "references" and cited:
            continue
        parts += [rf"\section{{{plain(section.title)}}}", *map(block, section.blocks)]
    if cited:
        parts += [rf"\nocite{{{','.join(cited)}}}", r"\bibliographystyle{plain}", r"\bibliography{references}"]
    return "\n\n".join([*parts, r"\end{document}"]) + "\n"


def plain(text: str) -> str:
    """A text of which nothing is interpreted, on one line.

    >>> print(plain("50 % of a_b {x} is −1"))
    50~\\% of a\\_b \\{x\\} is $-$1
    """
    line = _signs(unbroken(unturned(" ".join(text.split()))))
    # Behind the end of a row or an item these two would be taken for its argument.
    return "{}" + line if line.startswith(("[", "*")) else line


def breakable(line: str) -> str:
    """A command of which nothing is interpreted, with all its spaces, which may end a line behind its dashes, slashes and other
    signs.

    >>> print(breakable("a-b  'c'"))
    a-\\allowbreak{}b \\ \\textquotesingle{}c\\textquotesingle{}
    """
    parts = re.split(r"([-/_=@:.,]|(?<= ) |')", unturned(line))
    return "".join(_IN_COMMANDS.get(part) or _signs(part) + r"\allowbreak{}" * (part in _BREAKS) for part in parts)


def _signs(text: str) -> str:
    return "".join(_SIGNS.get(letter, letter) for letter in text if letter not in _CONTROL)


def block(part: Block) -> str:
    """A part of a section."""
    match part:
        case Words(text, lead):
            return rf"\textbf{{{plain(text)}}}" if lead else plain(text)
        case Points(items, numbered):
            return _list("enumerate" if numbered else "itemize", [plain(item) for item in items])
        case Code(lines):
            return _list("itemize", [rf"\raggedright\texttt{{{breakable(line)}}}" for line in lines])
        case Verdicts(items):
            return _list("itemize", [plain(item.text) for item in items])
        case Drawing(name, caption):
            inner = rf"\includegraphics[width=\linewidth,height=0.4\textheight,keepaspectratio]{{figures/{name}.pdf}}"
            return _float("figure", [inner, rf"\caption{{{plain(caption)}}}", rf"\label{{fig:{name}}}"])
        case Sheet():
            return _sheet(part)


def _list(kind: str, items: list[str]) -> str:
    return "\n".join([rf"\begin{{{kind}}}", *(rf"\item {item}" for item in items), rf"\end{{{kind}}}"])


def _float(kind: str, lines: list[str]) -> str:
    return "\n".join([rf"\begin{{{kind}}}[H]", r"\centering", *lines, rf"\end{{{kind}}}"])


def _sheet(sheet: Sheet) -> str:
    columns = "".join(_column(sheet, at) for at in range(len(sheet.head)))
    rows = [rf"{' & '.join(_cell(cell) for cell in row)} \\" for row in sheet.rows]
    table = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        rf"{' & '.join(plain(name) for name in sheet.head)} \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    fitted = [r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%", *table, "}"]
    return _float("table", [rf"\caption{{{plain(sheet.caption)}}}", rf"\label{{tab:{sheet.name}}}", *fitted])


def _column(sheet: Sheet, at: int) -> str:
    """Numbers to the right, words to the left, and long ones in several lines."""
    long = max((len(row[at].text) for row in sheet.rows), default=0) > _LONG
    return r"p{0.45\linewidth}" if long else "l" if at < sheet.words else "r"


def _cell(cell: Cell) -> str:
    text = rf"\textbf{{{plain(cell.text)}}}" if cell.strong and cell.text else plain(cell.text)
    return rf"{text} {{\footnotesize ({plain(cell.small)})}}" if cell.small else text
