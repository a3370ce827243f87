"""The methods at equal steps, texts, tokens or seconds."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from workbench import api
from workbench.core.errors import WorkbenchError
from workbench.store.budgets import BUDGETS
from workbench.ui.compare.settings import trained_methods
from workbench.ui.kit.address import bound_field, choose_button
from workbench.ui.kit.folding import folded
from workbench.ui.kit.notices import footing, trouble
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import pairs_name, sheet
from workbench.ui.kit.words import count, figure, html, join_names, missing, score


def show_budgets(groups: Mapping[str, Sequence[str]], names: Mapping[str, str], swatches: Mapping[str, str]) -> None:
    """The scores of probes at equal budgets, the best first, in an expander; nothing for fewer than two trained methods."""
    known = trained_methods(groups)
    if len(known) < 2:
        return
    part = folded("At equal steps, texts, tokens or seconds", key="budgets")
    if part is None:
        return
    with part:
        kind, limit = st.columns([3, 1], gap="medium")
        with kind:
            by: Any = choose_button(
                "Equal", list(BUDGETS), key="budget.by", start="steps", shown=lambda name: BUDGETS[name]
            )
        amount = bound_field(
            limit.number_input,
            "At most",
            key="budget.amount",
            start=0,
            min_value=0,
            help="0: the most that all of them have reached.",
        )
        targets = [target for name in known for target in groups[name]]
        try:
            table = api.at_budget(targets, by=by, amount=amount)
        except WorkbenchError as error:
            trouble(error)
            return
        lines = []
        for row in table.sort_values("spearman", ascending=False, na_position="last").to_dict("records"):
            spread = "" if missing(row["sd"]) else f" ± {figure(100 * row['sd'])}"
            name = next(name for name in known if name == row["method"])
            step = "–" if missing(row["spearman"]) else f"{count(int(row['step']))}"
            lines.append(
                f'<tr><td class="words">{swatches[name]}{html(names[name])}</td><td>{score(row["spearman"])}{spread}</td>'
                f"<td>{step}</td>" + ("" if by == "steps" else f"<td>{figure(row['spent'], 0)}</td>") + "</tr>"
            )
        spent = "" if by == "steps" else f"<th>{html(BUDGETS[by].capitalize())}</th>"
        sheet(f"<th class='words'>Method</th><th>Spearman<br>× 100 ↑</th><th>Step</th>{spent}", lines)
        pairs = next((row for row in table["pairs"].dropna()), "")
        budget = float(table["budget"].iloc[0])
        known_as = sorted({each for joined in table["precision"] for each in joined.split(", ")} - {"auto"})
        probed = f", probed in {join_names(known_as)}" if known_as else ""
        probed += ": scores in different precisions differ by themselves" if len(known_as) > 1 else ""
        footing(
            f"{pairs_name(str(pairs))}{probed}; at most {figure(budget, 0)} {BUDGETS[by]} each: the last probe within that; "
            "means over seeds, ±: standard deviation. Steps may have been chosen on these pairs, and nothing is tested here."
        )
        repeat(python_call("at_budget", targets, by=by, **({"amount": amount} if amount else {})))
