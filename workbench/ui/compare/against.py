"""The baseline of a comparison: what the other methods are tested against."""

from collections.abc import Sequence

import streamlit as st

from workbench.core.errors import WorkbenchError
from workbench.models.elsewhere import model_folder
from workbench.targets.target import split
from workbench.ui.compare.by_group import chosen_groups, pick_groups
from workbench.ui.compare.methods import by_method, compared, scored
from workbench.ui.compare.verdicts import show_verdicts
from workbench.ui.kit.address import choose, follow_default
from workbench.ui.kit.asking import Question, when_answered
from workbench.ui.kit.folders import target_inside
from workbench.ui.kit.notices import quiet, trouble
from workbench.ui.kit.repeat import python_call
from workbench.ui.kit.words import plain
from workbench.ui.targets.names import BACKBONES, is_untrained, target_name
from workbench.ui.targets.raw import backbone_of, raw_encoder
from workbench.verbs.compare_methods import ComparedMethods
from workbench.verbs.score import PairScores

MOST_LINKS = 4
"""Targets with a link to Explore below the table."""


def usual_reference(targets: Sequence[str]) -> str:
    """The raw encoder to compare with: what the first model made elsewhere was fine-tuned from, if that is on this machine;
    else the backbone of the first run; else the first shipped encoder among the targets; else the last of them.

    >>> usual_reference(["/models/mine", "mini-mlm+centre", "mini-mlm"]), usual_reference(["minilm-l6+centre", "tfidf"])
    ('mini-mlm', 'tfidf')
    """
    raws = [raw.target for raw in map(raw_encoder, targets) if raw and raw.here]
    started = [backbone for backbone in map(backbone_of, targets) if backbone]
    shipped = [target for target in targets if target in BACKBONES]
    return next(iter([*raws, *started, *shipped]), targets[-1])


def pick_reference(targets: Sequence[str]) -> str:
    """The target that the others are compared with, chosen in a field."""
    raws = dict.fromkeys(raw.target for raw in map(raw_encoder, targets) if raw)
    options = list(dict.fromkeys([*targets, *raws, *BACKBONES]))
    reference = choose(
        "Baseline",
        options,
        key="against",
        start=follow_default("against", usual_reference(targets)),
        shown=target_name,
        typed=True,
        help="A raw encoder shows what fine-tuning did. One of the targets above, or any other encoder; a Hugging Face id or a "
        "folder can be typed in.",
    )
    for note in _notes(targets):
        quiet(note)
    return reference if reference in targets else target_inside(reference)


def baseline_first(targets: Sequence[str]) -> list[str]:
    """The targets behind the chosen baseline, as reports and calls in Python take them; it need not be among them."""
    baseline = str(st.session_state.get("against") or usual_reference(targets))
    if baseline not in targets:
        try:
            baseline = target_inside(baseline)
        except WorkbenchError:  # the choice above says why
            baseline = targets[0]
    return [baseline, *(target for target in targets if target != baseline)]


def tested_call(targets: Sequence[str], pairs: str) -> str:
    """The Python line that makes the verdicts, with the baseline and the groups as chosen; empty if nothing is tested."""
    several = baseline_first(targets)
    return python_call("compare_methods", several, pairs=pairs, **chosen_groups(pairs)) if len(several) > 1 else ""


def _notes(targets: Sequence[str]) -> list[str]:
    """Which encoder each model made elsewhere comes from, and how that is known."""
    notes = []
    found = {name: raw_encoder(name) for name in dict.fromkeys(split(target).name for target in targets)}
    bases = {raw.name for raw in found.values() if raw}
    for name, raw in found.items():
        mine = target_name(name)
        if name in bases:
            continue
        if raw is None:
            if model_folder(name) and not is_untrained(name):
                notes.append(f"{mine}: its files do not say which encoder it was fine-tuned from. Choose it above.")
        elif not raw.here:
            notes.append(
                f"{mine}: fine-tuned from `{raw.name}`, as its files say, which is not on this machine: choose it above to "
                "download it."
            )
        elif raw.stated:
            notes.append(f"{mine}: fine-tuned from `{raw.name}`, as its files say.")
        else:
            notes.append(
                f"{mine}: its files do not say which encoder it was fine-tuned from; `{raw.name}` has the same layers, width and "
                "vocabulary."
            )
    return notes


def show_against(
    targets: list[str], questions: "Sequence[Question[PairScores]]", pairs: str, shown: Sequence[str] | None
) -> "Question[ComparedMethods] | None":
    """A choice of the baseline, and the verdicts of a test on every other method; the plot has the methods `shown`. Returns the
    question behind them: all tests of the page are adjusted together, those of a baseline that is not among the targets too.
    """
    if any(not question.answer.over for question in questions):
        return None  # the figures above say how far they are
    known = scored(targets, questions)
    if not known:
        return None
    st.header("Better, worse, or a tie?")
    try:
        baseline, groups_by = st.columns([1, 1], gap="large")
        with baseline:
            reference = pick_reference(known)
        with groups_by:
            within = pick_groups(pairs)
        everything = known if reference in known else [*known, reference]
        asked, groups = compared(everything, pairs), by_method(everything)
        by_group = compared(everything, pairs, slot="compare.groups", **within) if within else None
        if by_group is not None and by_group.answer.state == "failed":  # such as a file that names no subsets
            trouble(by_group.answer.error)
            by_group = None
    except WorkbenchError as error:  # a typed baseline that cannot be used
        trouble(error)
        return compared(known, pairs)
    when_answered(
        [asked, *([by_group] if by_group else [])],
        lambda: show_verdicts(
            asked.there,
            groups,
            reference,
            by_group=by_group.there if by_group else None,
            shown=shown,
            joined="" if reference in known else reference,
        ),
        height=300,
    )
    _links(known, reference, pairs)
    return compared(known, pairs) if asked.answer.state == "failed" else asked


def _links(targets: Sequence[str], reference: str, pairs: str) -> None:
    """Links to what a target and the baseline look like."""
    others = [target for target in targets if target != reference]
    made_elsewhere = [target for target in others if model_folder(split(target).name)]
    for target in list(dict.fromkeys([*made_elsewhere, *others]))[:MOST_LINKS]:
        st.page_link(
            "pages/explore.py",
            label=plain(f"The cone of {target_name(target)} beside {target_name(reference)}"),
            icon=":material/explore:",
            query_params={"view": "The cone", "target": target, "beside": reference, "pairs": pairs},
        )
