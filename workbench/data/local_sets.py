"""A folder of this machine in place of a data set's id: what the library `datasets` may read of it."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath

from workbench.core.errors import BadData

FORMATS = frozenset(("text", "csv", "json", "parquet"))
"""Of the formats that the library knows: tables and lines. Others unpack pickles, or hold no texts."""
_CARDS = ("README.md", ".huggingface.yaml")
"""The files in which a data set says which files it has."""
_NAMING = ("data_files", "data_dir")
"""Where they say so, in each of their configurations."""
_MOST_CARD_BYTES = 1_000_000


def check_folder(folder: Path) -> None:
    """Check that what the library would read of a folder is in it: its card may name files anywhere, and addresses.

    Raises:
        BadData: something is not.
    """
    for name in _CARDS:
        card = folder / name
        if card.is_file():
            for named in _files_named(card):
                if _leads_out(named):
                    raise _outside(str(folder), f"in {name} {named}")


def check_file(name: str, file: str) -> None:
    """Check that a file that is named beside a data set, a folder or one of the Hub, is in it.

    Raises:
        BadData: it leads elsewhere.
    """
    if _leads_out(file):
        raise _outside(name, file)


def _files_named(card: Path) -> Iterator[str]:
    """The files and folders that a card names for its configurations. An alias is followed once: nested ones grow without end."""
    import yaml

    if card.stat().st_size > _MOST_CARD_BYTES:
        raise BadData(f"{card} is too large for the card of a data set.", rule=f"{_MOST_CARD_BYTES:,} bytes at most.")
    text = card.read_text(encoding="utf-8", errors="replace")
    head = text.split("\n---", 1)[0].removeprefix("---") if card.suffix == ".md" else text
    try:
        about = yaml.safe_load(head)
    except (yaml.YAMLError, ValueError, RecursionError):
        return  # the library refuses it too
    configs = about.get("configs") if isinstance(about, dict) else None
    waiting: list[object] = [
        one.get(key)
        for one in (configs if isinstance(configs, list) else ())
        if isinstance(one, dict)
        for key in _NAMING
    ]
    seen = set[int]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [*value.values()]
        elif isinstance(value, list):
            waiting += value


def _leads_out(named: str) -> bool:
    """Whether a name or pattern is an address, or a path that begins or goes elsewhere.

    >>> _leads_out("data/train-*.parquet"), _leads_out("../x.txt"), _leads_out("hf://datasets/a/b/x.txt"), _leads_out("C:/x")
    (False, True, True, True)
    """
    path, windows = PurePosixPath(named), PureWindowsPath(named)
    anywhere = path.is_absolute() or bool(windows.drive) or bool(windows.root) or named.startswith("~")
    return anywhere or ".." in windows.parts or "://" in named or "::" in named


def _outside(name: str, got: str) -> BadData:
    return BadData(
        f"The data set {name} names files outside of it.",
        rule="It is read by itself, with nothing from elsewhere.",
        got=got,
        way_out="Name files in it, or put them there.",
    )
