"""One question while it is put: its arguments, what the answer depends on, and the lane it waits in."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from workbench.core import unicode
from workbench.core.errors import BadData, BadSetting
from workbench.core.writing import write_text
from workbench.data.references import absolute_pairs, file_stamps
from workbench.store.names import RunsFolder
from workbench.targets.target import Target, parse

INLINE_CHARACTERS = 20_000
"""Longer lists of texts lie in a file beside the request."""
SLOW_TEXTS = 2_000
VERSION = 7
"""Raised when answers to the same question change."""


class Question:
    """Arguments as JSON, and everything that the answer depends on."""

    def __init__(self, folder: RunsFolder) -> None:
        self.folder = folder
        self.arguments: dict[str, Any] = {}
        self.depends: list[Any] = [VERSION]
        self.lane = "fast"

    def say(self, **values: Any) -> None:
        """Plain arguments."""
        self.arguments |= values
        self.depends.append(sorted(values.items()))

    def texts(self, texts: Sequence[str], *, least: int = 1) -> None:
        """The texts that are asked about."""
        if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            raise BadData("Texts are a list of texts.", got=repr(texts))
        for text in texts:
            unicode.check("A text", text)
        if len(texts) < least:
            raise BadData(
                f"{least} text{'s are' if least > 1 else ' is'} needed.", got=str(len(texts)), way_out="Add some."
            )
        content = json.dumps(list(texts))
        digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:24]
        self.depends.append(digest)
        if len(texts) > SLOW_TEXTS:
            self.lane = "slow"
        if len(content) <= INLINE_CHARACTERS:
            self.arguments["texts"] = list(texts)
            return
        path = self.folder.cache / "texts" / f"{digest}.json"
        if path.exists():
            path.touch()  # it is wanted still: see compute.prune
        else:
            write_text(path, content)
        self.arguments["texts_file"] = path.name

    def target(self, target: Any, *, encoder: str = "") -> Target:
        """What is encoded with. `encoder` says why it must be an encoder, where it must."""
        found = parse(target, self.folder)
        if encoder and found.baseline:
            raise BadSetting(f"{found.text} is no encoder: {encoder}.", way_out="Name a backbone or a run.")
        self.arguments["target"] = found.address
        self.depends.append(found.fingerprint)
        if any(not on.startswith("demo") for on in found.named_sets):
            self.lane = "slow"  # there may be many texts to fit on
        return found

    def pairs(self, ref: str) -> None:
        """A scored pair set, or several."""
        self.arguments["pairs"] = absolute_pairs(ref)
        self.depends.append(file_stamps(self.arguments["pairs"]))


def whole(name: str, value: int, low: int, high: int) -> int:
    """`value`, if it is a whole number from `low` to `high`.

    Raises:
        BadSetting: it is not.
    """
    if isinstance(value, bool) or int(value) != value or not low <= value <= high:
        raise BadSetting(f"{name} cannot be {value!r}.", rule=f"It is a whole number from {low} to {high}.")
    return int(value)


def rate(value: float) -> float:
    """`value`, if it is a rate of dropout.

    Raises:
        BadSetting: it is not.
    """
    if not 0 <= float(value) < 1:
        raise BadSetting(f"dropout cannot be {value!r}.", rule="It is a number from 0 to below 1.")
    return float(value)
