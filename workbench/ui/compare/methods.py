"""Targets by method: runs that differ in nothing but their seed are compared as one."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from workbench import api
from workbench.plots.template import Style
from workbench.store.names import runs_folder
from workbench.targets.methods import methods_of, said_of_again
from workbench.targets.target import parse, split
from workbench.ui.kit.address import choose_several, follow_defaults, write_address
from workbench.ui.kit.asking import Question, ask
from workbench.ui.kit.choosing_rows import choosing_rows
from workbench.ui.targets.names import BETWEEN, target_name
from workbench.ui.targets.styles import styles_of
from workbench.verbs import compare_methods
from workbench.verbs.compare_methods import ComparedMethods
from workbench.verbs.score import PairScores


def scored(targets: Sequence[str], questions: "Sequence[Question[PairScores]]") -> list[str]:
    """The targets that could be scored."""
    return [target for target, question in zip(targets, questions, strict=True) if question.answer.state == "done"]


def compared(
    targets: Sequence[str], pairs: str, *, slot: str = "compare.methods", **groups: Any
) -> "Question[ComparedMethods]":
    """The question how the methods of these targets compare; `groups` say within which groups of pairs as well."""
    return ask(compare_methods.VERB, slot=slot, targets=list(targets), pairs=pairs, **groups)


def by_method(targets: Sequence[str]) -> dict[str, list[str]]:
    """The targets as they are spelled on the page, by the name of their method.

    Raises:
        WorkbenchError: a target that cannot be parsed.
    """
    folder = runs_folder()
    parsed = {target: parse(target, folder) for target in targets}
    groups = {method.name: [each.text for each in method.targets] for method in methods_of(list(parsed.values()))}
    spelled = {each.text: target for target, each in reversed(parsed.items())}
    return {name: [spelled[text] for text in texts] for name, texts in groups.items()}


def counted_again(targets: Sequence[str]) -> list[str]:
    """What is said of targets that `by_method` leaves out."""
    folder = runs_folder()
    groups = methods_of([parse(target, folder) for target in targets])
    return said_of_again(target_name(each.text) for group in groups for each in group.again)


def method_names(groups: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """How each method is displayed: a single target by its own name, several trainings by what they share."""
    names = {name: _shared_name(targets) for name, targets in groups.items()}
    shown = list(names.values())
    return {
        name: f"{said}{BETWEEN}{split(name).name[-4:]}" if shown.count(said) > 1 else said
        for name, said in names.items()
    }


def styles_by_method(groups: Mapping[str, Sequence[str]], joined: str = "") -> dict[str, Style]:
    """Colour, symbol and dash of each method, in every table and figure of the page: those of its first target. A method that
    `joined` the others, such as a baseline that was not among them, takes none of theirs.
    """
    firsts = {name: targets[0] for name, targets in groups.items()}
    styles = styles_of([first for first in firsts.values() if first != joined])
    if joined:
        styles = styles_of([*firsts.values()]) | styles
    return {name: styles[first] for name, first in firsts.items()}


SHOWN = "shown"
"""Session key and parameter of the address: the methods in the plots."""


def pick_shown(groups: Mapping[str, Sequence[str]]) -> list[str] | None:
    """The methods to draw, by name, chosen in a field or in rows of tables; None if there are too few to choose from. A method
    that joins is drawn too, unless some were taken out.
    """
    if len(groups) < 3:
        return None
    names = method_names(groups)
    chosen = choose_several(
        "Methods in the plots",
        list(groups),
        key=SHOWN,
        start=follow_defaults(SHOWN, list(groups)),
        shown=names.__getitem__,
        typed=False,
        help="Tables, tests and their adjustment keep all methods.",
    )

    def pressed(names: list[str]) -> None:
        st.session_state[SHOWN] = names
        write_address(SHOWN, names, list(groups))

    choosing_rows(SHOWN, list(groups), pressed)
    return chosen or list(groups)


def _shared_name(targets: Sequence[str]) -> str:
    if len(targets) == 1:
        return target_name(targets[0])
    runs = [api.run(split(target).name) for target in targets]
    config, given = runs[0].config, {run.name for run in runs}
    said = given.pop() if len(given) == 1 and runs[0].name else f"{config.recipe}{BETWEEN}{config.model.backbone}"
    alone, whole = target_name(runs[0].id), target_name(targets[0])
    return f"{said}{whole.removeprefix(alone)}{BETWEEN}{len(targets)} seeds"
