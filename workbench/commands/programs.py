"""Verbs that are programs with flags of their own: all that is written behind their name is theirs, `--help` too."""

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module


def no_flags(one: argparse.ArgumentParser) -> None:
    """None: the program has its own."""


def program(module: str) -> Callable[[argparse.Namespace, Sequence[str]], int]:
    """The answer that calls `main` of a module of workbench."""

    def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
        return int(import_module(f"workbench.{module}").main(list(extra)) or 0)

    return answer
