"""What a report is made of, in no format yet: sections of sentences, lists, commands, tables and figures."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure


@dataclass(frozen=True)
class Words:
    """A paragraph; `lead` for the sentence that a section is about."""

    text: str
    lead: bool = False


@dataclass(frozen=True)
class Points:
    """A list, in order if `numbered`."""

    items: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True)
class Code:
    """Lines to be run as they are."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """What stands in a table: a number or words, what belongs below it in small, and whether a test puts it in bold."""

    text: str
    small: str = ""
    strong: bool = False


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table as it is read, and as data."""

    name: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    data: "DataFrame"
    words: int = 1
    """The first columns, which hold words; in all others there are numbers."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure, drawn for either theme."""

    name: str
    caption: str
    make: "Callable[[bool], Figure]"


@dataclass(frozen=True)
class Verdict:
    """What a test says of one method: better, worse or tie, and the sentence that says so with its numbers."""

    kind: str
    text: str


@dataclass(frozen=True)
class Verdicts:
    """The verdicts on every method, each a line."""

    items: tuple[Verdict, ...]


Block = Words | Points | Code | Sheet | Drawing | Verdicts


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A whole report: its title, a line about it, its sections, and the keys in references.bib of what it used."""

    title: str
    about: str
    sections: tuple[Section, ...]
    references: tuple[str, ...] = ()

    @property
    def sheets(self) -> list[Sheet]:
        """All tables, in order."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Sheet)]

    @property
    def drawings(self) -> list[Drawing]:
        """All figures, in order."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Drawing)]
