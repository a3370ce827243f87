"""The command of a verb without a file of its own: flags from the request, the answer printed as it is."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import fields

from workbench import api
from workbench.commands._flags import none_left, of_request
from workbench.commands._showing import Line, format_flag, show
from workbench.core.writing import plain
from workbench.verbs import AnyVerb


class VerbCommand:
    """A verb as a command; see `workbench.commands` for the parts of a command."""

    def __init__(self, verb: AnyVerb) -> None:
        self.verb = verb
        self.HELP = verb.summary

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add a flag for each field of the request, and `--format`."""
        of_request(parser, self.verb)
        format_flag(parser)

    def answer(self, asked: argparse.Namespace, extra: Sequence[str]) -> int:
        """Print each part of the answer: tables in the format asked for, plain data as JSON."""
        none_left(extra)
        given = {name: getattr(asked, name) for name in self.verb.fields}
        with Line() as line:
            result = api.answer(self.verb, runs=asked.runs, follow=line, **given)
        parts = {item.name: getattr(result, item.name) for item in fields(result)} if self.verb.kind else {"": result}
        for name, value in parts.items():
            if name and asked.format == "table":
                print(f"{name}:")
            if hasattr(value, "to_dict"):
                show(value, asked.format)
            else:
                print(json.dumps(plain(value), indent=1, ensure_ascii=False))
        return 0
