"""Verbs that are programs with flags of their own: what nobody took here is theirs."""

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module


def no_flags(one: argparse.ArgumentParser) -> None:
    """None beside `--runs`."""


def program(module: str) -> Callable[[argparse.Namespace, Sequence[str]], int]:
    """The answer that calls `main` of a module of workbench."""

    def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
        runs = ["--runs", asked.runs] if asked.runs else []
        return int(import_module(f"workbench.{module}").main([*extra, *runs]) or 0)

    return answer
