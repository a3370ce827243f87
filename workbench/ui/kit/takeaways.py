"""The point of a figure in one sentence, computed from the data it shows. Plain functions: numbers in, words out."""

from workbench.ui.kit.words import missing, score


def ranking(before: float, after: float, *, sure: bool = False, of: str = "") -> str:
    """What happened to the ranking of the pairs `of`; called better or worse only if `sure`, as an interval of the difference
    tells.

    >>> ranking(0.63, 0.54, sure=True)
    'The ranking got worse: Spearman fell from 63.00 to 54.00.'
    >>> ranking(0.63, 0.64, of="demo:dev")
    'Spearman on demo:dev rose from 63.00 to 64.00.'
    """
    named = f"Spearman on {of}" if of else "Spearman"
    if missing(before) or missing(after):
        return f"{named} was not measured at both ends (from {score(before)} to {score(after)})."
    if score(before) == score(after):
        return f"{named} stayed at {score(after)}."
    better = after > before
    moved = f"{named} {'rose' if better else 'fell'} from {score(before)} to {score(after)}."
    return f"The ranking got {'better' if better else 'worse'}: {moved}" if sure else moved
