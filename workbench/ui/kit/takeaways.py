"""The point of a figure in one sentence, computed from the data it shows. Plain functions: numbers in, words out."""

from workbench.ui.kit.words import missing, score


def ranking(before: float, after: float, *, sure: bool = False) -> str:
    """What happened to the ranking; called better or worse only if `sure`, as an interval of the difference tells.

    >>> ranking(0.63, 0.54, sure=True)
    'The ranking got worse: Spearman fell from 63.00 to 54.00.'
    >>> ranking(0.63, 0.64)
    'Spearman rose from 63.00 to 64.00.'
    """
    if missing(before) or missing(after):
        return f"Spearman was not measured at both ends (from {score(before)} to {score(after)})."
    if score(before) == score(after):
        return f"Spearman stayed at {score(after)}."
    better = after > before
    moved = f"Spearman {'rose' if better else 'fell'} from {score(before)} to {score(after)}."
    return f"The ranking got {'better' if better else 'worse'}: {moved}" if sure else moved
