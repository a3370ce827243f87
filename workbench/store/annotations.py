"""What people write on a run: a name, tags and a note, in a file of its own beside the configuration.

They are not part of the configuration or of any hash, so a run can be renamed at any time, also while it trains.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from workbench.core import unicode
from workbench.core.config import check_name
from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import BadSetting
from workbench.core.writing import write_json
from workbench.store import names, shapes

LONGEST_TAG = 30
MOST_TAGS = 20
LONGEST_NOTE = 2000


@dataclass(frozen=True)
class Annotations:
    """A name that replaces that of the configuration, tags in alphabetical order, and a note; each may be empty."""

    name: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""


def parsed(content: shapes.Annotations | None) -> Annotations:
    """The annotations in a file's content, without what could not have been written by `write`."""
    if not content:
        return Annotations()
    name = str(content.get("name", ""))
    try:
        check_name(name)
    except BadSetting:
        name = ""
    tags = []
    for tag in content.get("tags", []):
        try:
            tags.append(checked_tag(tag))
        except BadSetting:
            continue
    return Annotations(name, tuple(sorted(set(tags)))[:MOST_TAGS], str(content.get("note", ""))[:LONGEST_NOTE])


def write(folder: Path, annotations: Annotations) -> None:
    """Replace the annotations of the run in `folder`.

    Raises:
        BadSetting: a name, tag or note that cannot be, or too many tags.
        BadRun: the runs folder is of another account.
        Refused: the disk is full.
    """
    check_name(annotations.name)
    tags = sorted({checked_tag(tag) for tag in annotations.tags})
    if len(tags) > MOST_TAGS:
        raise BadSetting(f"{folder.name} would have {len(tags)} tags.", rule=f"A run has at most {MOST_TAGS}.")
    unicode.check("A note", annotations.note)
    if len(annotations.note) > LONGEST_NOTE:
        raise BadSetting(
            f"The note has {len(annotations.note):,} characters.",
            rule=f"It has at most {LONGEST_NOTE:,}.",
            way_out="Shorten it.",
        )
    with disk_errors_explained():
        names.check_owner(names.RunsFolder(folder.parent))
        write_json(
            folder / names.ANNOTATIONS, {"name": annotations.name, "tags": tags, "note": annotations.note.strip()}
        )


def checked_tag(text: str) -> str:
    """A tag without spaces around it.

    Raises:
        BadSetting: it is empty, too long, has several lines, or a comma.
    """
    tag = " ".join(text.split())
    unicode.check("A tag", tag)
    if not 0 < len(tag) <= LONGEST_TAG or "," in tag:
        raise BadSetting(
            f"A tag cannot be {text!r}.",
            rule=f"It has 1 to {LONGEST_TAG} characters and no comma.",
            way_out="Shorten it.",
        )
    return tag


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """See `checked_tag`; tags may also be several in one text, with commas between."""
    return tuple(checked_tag(part) for tag in tags for part in tag.split(",") if part.strip())
