"""The capital at the beginning of a text whose words changed places."""

from workbench.augmentations.text._tags import listed
from workbench.augmentations.text._words import STOP_WORDS, locked, tokens


def recapitalised(before: str, after: str) -> str:
    """`after` with an initial capital if `before` has one; the old first word loses a capital due to its position only.

    That is the case if the word is listed in lower case and no other capital follows it, as in Mark Twain. Locked words keep
    theirs, and so does a text in capitals.

    >>> recapitalised("The dog saw her.", "her saw The dog.")
    'Her saw the dog.'
    """
    old, new = tokens(before), tokens(after)
    if len(old) < 2 or len(new) < 2 or locked(old[1]) or not old[1][0].isupper():
        return after
    first = old[1]
    # Moved, and probably not a name.
    moved = first != new[1] and first not in old[3::2] and not before.isupper()
    if moved and _is_common(first, old[3] if len(old) > 3 else ""):
        for place in range(3, len(new), 2):
            if new[place] == first:
                new[place] = first.lower()
                break
    if not locked(new[1]) and len(new[1][0].upper()) == 1:
        new[1] = new[1][0].upper() + new[1][1:]
    return "".join(new)


def _is_common(first: str, second: str) -> bool:
    """Whether a word has a capital only because it begins the text."""
    low = first.lower()
    if low in STOP_WORDS:
        return low != "i" and not low.startswith(("i'", "i’"))
    if second[:1].isupper() or not first[1:].islower():
        return False
    return listed(low)
