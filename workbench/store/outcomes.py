"""What training did, in words: the first line at the end of a run, in its panel, on the command line and in the model card."""

from collections.abc import Sequence

from workbench.statistics.linked_pairs import briefly
from workbench.store.shapes import Judged, Outcome

GOOD = ("helped",)
"""Verdicts that need no explanation."""


def headline(outcome: Outcome) -> str:
    """Whether training helped, on which pairs and by how much, and which step is kept."""
    judged = outcome["sets"][0] if outcome["sets"] else None
    if outcome["verdict"] == "kept_step0":
        on = f" on {_listed(outcome['selected_on'])}" if outcome["selected_on"] else ""
        return " ".join(filter(None, [f"Training did not help{on}: {_KEPT0}.", _last(outcome, judged)]))
    if judged is None:
        return step_kept(outcome)
    before, kept, pairs = shown(judged["before"]), shown(judged["kept"]), judged["pairs"]
    change = f"({difference(judged)})"
    verdict = {
        "helped": f"Training helped on {pairs}: Spearman rose from {before} to {kept} {change}.",
        "no_difference": f"Training made no difference on {pairs}: Spearman was {before} before it and is {kept} after it, a tie "
        f"{change}.",
        "worse": f"Training made the ranking worse on {pairs}: Spearman fell from {before} to {kept} {change}.",
    }[judged["verdict"]]
    return " ".join([verdict, step_kept(outcome)])


_KEPT0 = "the kept model is that of step 0, before training"


def _last(outcome: Outcome, judged: Judged | None) -> str:
    """What the last step scores, where step 0 is kept."""
    if judged is None:
        return ""
    last, before = shown(judged["last"]), shown(judged["before"])
    scores = f"the last step ({outcome['last']:,}) scores {last} against {before} ({difference(judged)})"
    better = " Name it with @last to use it." if judged["verdict"] == "helped" else ""
    return f"On {judged['pairs']} {scores}.{better}"


def step_kept(outcome: Outcome) -> str:
    """Which step is kept, and why."""
    if outcome["selected_on"]:
        return f"Kept: step {outcome['step']:,} of {outcome['last']:,}, chosen on {_listed(outcome['selected_on'])}."
    return f"Kept: step {outcome['step']:,}, the last."


def others(outcome: Outcome) -> list[str]:
    """A line for each further pair set on which training did something else than the headline says."""
    words = {"helped": "rose", "no_difference": "tied", "worse": "fell"}
    return [
        f"On {judged['pairs']} it {words[judged['verdict']]}: {shown(judged['before'])} to "
        f"{shown(judged['last'] if outcome['step'] == 0 else judged['kept'])} ({difference(judged)})."
        for judged in outcome["sets"][1:]
        if judged["verdict"] != outcome["sets"][0]["verdict"]
    ]


def lines(outcome: Outcome) -> list[str]:
    """The headline, pair sets that contradict it, and likely reasons if training did not help."""
    found = [headline(outcome), *others(outcome)]
    if outcome["reasons"]:
        found.append("Likely reasons:")
        found += [f"- {reason}" for reason in outcome["reasons"]]
    return found


def difference(judged: Judged) -> str:
    """The difference from step 0 with its interval.

    >>> difference({"pairs": "demo:dev", "n": 600, "selected": False, "before": 0.5, "kept": 0.52, "last": 0.52,
    ...             "delta": 0.02, "low": -0.01, "high": 0.05, "verdict": "no_difference"})
    '+2.00, 95 % −1.00 to 5.00 over 600 pairs, one seed'
    """
    sign = "+" if judged["delta"] > 0 else ""
    flattered = ", chosen on them" if judged["selected"] else ""
    recurring = briefly(judged["n"], judged.get("linked_groups"))
    return (
        f"{sign}{shown(judged['delta'])}, 95 % {shown(judged['low'])} to {shown(judged['high'])} over {judged['n']:,} pairs"
        f"{flattered}, one seed{f'; {recurring}' if recurring else ''}"
    )


def shown(correlation: float) -> str:
    """A correlation times 100.

    >>> shown(0.5067), shown(-0.021), shown(-0.00001)
    ('50.67', '−2.10', '0.00')
    """
    return f"{round(100 * correlation, 2) + 0.0:.2f}".replace("-", "−")


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
