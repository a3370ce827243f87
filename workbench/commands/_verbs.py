"""The command of a verb that has no file of its own: flags from the request, the answer as it is."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from workbench import api
from workbench.commands._flags import none_left, of_request
from workbench.commands._showing import Line, format_flag, show
from workbench.core.writing import plain
from workbench.verbs import Verb


class VerbCommand:
    """One verb as a command; see `workbench.commands` for what a command has."""

    def __init__(self, verb: Verb[Any, Any]) -> None:
        self.verb = verb
        self.HELP = verb.summary

    def arguments(self, one: argparse.ArgumentParser) -> None:
        """A flag for each field of the request."""
        of_request(one, self.verb)
        format_flag(one)

    def answer(self, asked: argparse.Namespace, extra: Sequence[str]) -> int:
        """Tables one below the other; plain data as JSON."""
        none_left(extra)
        given = {name: getattr(asked, name) for name in self.verb.fields}
        with Line() as line:
            found = api.answer(self.verb, runs=asked.runs, follow=line, **given)
        parts = {item.name: getattr(found, item.name) for item in fields(found)} if self.verb.kind else {"": found}
        for name, value in parts.items():
            if name and asked.format == "table":
                print(f"{name}:")
            if hasattr(value, "to_dict"):
                show(value, asked.format)
            else:
                print(json.dumps(plain(value), indent=1, ensure_ascii=False))
        return 0
