"""The command of a verb without a file of its own: flags from the request, the answer printed as it is."""

import argparse
import json
import sys
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from workbench import api
from workbench.commands._flags import none_left, of_request
from workbench.commands._showing import Line, format_flag, show
from workbench.commands._texts import texts_of
from workbench.core.spreadsheet import csv_of
from workbench.core.writing import plain
from workbench.verbs import AnyVerb
from workbench.verbs._fields import Texts

if TYPE_CHECKING:
    from typing import TypeGuard

    from pandas import DataFrame

_DECIMALS = 4
"""Cosines and p are small, and printed as they are; correlations times 100, as everywhere in tables."""


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
        """Print each part of the answer that holds something: tables, and plain data as JSON; notices to stderr.

        As JSON it is one object; as CSV only the tables of an answer of several parts, with an empty line between.
        """
        none_left(extra)
        given = {name: getattr(asked, name) for name in self.verb.fields}
        given |= {name: texts_of(given[name]) for name, field in self.verb.fields.items() if isinstance(field, Texts)}
        with Line() as line:
            result = api.answer(self.verb, runs=asked.runs, follow=line, **given)
        if not self.verb.kind:
            self._print(result, asked.format)
            self._print_beside(result.attrs if _table(result) else {})
            return 0
        parts = {item.name: getattr(result, item.name) for item in fields(result)}
        if asked.format == "json":
            tables = {
                name: json.loads(value.to_json(orient="records")) for name, value in parts.items() if _table(value)
            }
            self._print(parts | tables, asked.format)
        elif asked.format == "csv":
            print("\n".join(csv_of(value) for value in parts.values() if _table(value)), end="")
        else:
            for name, value in parts.items():
                if _table(value) or value not in (None, "", []):
                    print(f"{name}:")
                    self._print(value, asked.format)
        return 0

    def _print_beside(self, about: Mapping[Hashable, object]) -> None:
        for name in self.verb.beside:
            if (value := about.get(name)) not in (None, "", []):
                print(f"{name.replace('_', ' ')}: {_rounded(value)}", file=sys.stderr)
        notices = about.get("notices", ())
        for notice in notices if isinstance(notices, list | tuple) else ():
            print(notice, file=sys.stderr)

    def _print(self, value: object, form: str) -> None:
        if _table(value):
            if form == "table":
                value = value.assign(**{name: 100 * value[name] for name in self.verb.correlations if name in value})
            show(value, form, decimals=_DECIMALS, settings=self.verb.settings)
        else:
            print(json.dumps(plain(value), indent=1, ensure_ascii=False))


def _rounded(value: object) -> str:
    """A number, several, or words.

    >>> _rounded([0.61234, 0.2]), _rounded(15), _rounded("the demo sentences")
    ('0.6123, 0.2000', '15', 'the demo sentences')
    """
    if isinstance(value, list | tuple):
        return ", ".join(map(_rounded, value))
    return f"{value:.{_DECIMALS}f}" if isinstance(value, float) else str(value)


def _table(value: object) -> "TypeGuard[DataFrame]":
    return hasattr(value, "to_json")
