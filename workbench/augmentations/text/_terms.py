"""Texts as numbers of terms: what stands between spaces is looked up by the hash of its bytes, and taken apart only once."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

_LONGEST = 32
"""Bytes of what is remembered. Sentences written without spaces are longer, and rarely come twice."""
_CHARACTERS = 1 << 20
"""Read at once, or one text of more."""
_CACHED = 21
"""Powers of the hash's factor that are kept: two to the power of this."""
_FACTOR, _SPREAD = 0xA7C5_1D3E_90B4_62F5, 0x9E37_79B9_7F4A_7C15


def blocks(texts: Sequence[str]) -> Iterator[range]:
    """Rows of consecutive texts that together have about a million characters."""
    start = total = 0
    for row, size in enumerate(map(len, texts)):
        if total and total + size > _CHARACTERS:
            yield range(start, row)
            start, total = row, 0
        total += size
    if start < len(texts):
        yield range(start, len(texts))


class Read(NamedTuple):
    """The numbers of the tokens of texts, one after the other, and how many each text has."""

    numbers: "np.ndarray"
    sizes: "np.ndarray"


class Terms:
    """The pieces between spaces of the texts that were learnt, each with the numbers of its tokens.

    Two of a million different pieces have the same hash of 63 bits with a probability below one in ten million.
    """

    def __init__(self, tokens: Callable[[str], list[str]]) -> None:
        """`tokens` takes a piece in lower case apart."""
        import numpy as np

        self._tokens = tokens
        self._hashes, self._rows = np.zeros(1 << 12, np.uint64), np.zeros(1 << 12, np.int32)  # 0 is a free slot
        self._starts, self._numbers = np.zeros(1, np.int64), np.zeros(0, np.int32)

    def read(self, texts: Sequence[str], number: Callable[[str], int], *, learn: bool = False) -> Read:
        """`texts` in lower case, as numbers of their tokens: those of new pieces as `number` says, which `learn` remembers."""
        import numpy as np

        data, bounds = _bytes(texts)
        codes = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(codes == 32)  # spaces, and the end of each text
        begins = np.concatenate(([0], ends[:-1] + 1))
        ends, begins = ends[ends > begins], begins[ends > begins]
        powers, inverses = _powers(len(codes))
        sums = np.concatenate(([np.uint64(0)], np.cumsum(codes * powers[: len(codes)])))
        hashes = (sums[ends] - sums[begins]) * inverses[begins]
        # With the length, since a zero byte at the end adds nothing to the sum.
        hashes += (ends - begins).astype(np.uint64) * np.uint64(_SPREAD)
        hashes = (hashes << np.uint64(1)) | np.uint64(1)
        short = ends - begins <= _LONGEST
        pieces = np.where(short, self._found(hashes), -1)
        new = np.flatnonzero(pieces < 0)
        starts, numbers = self._starts, self._numbers
        if len(new):
            repeated, alone = new[short[new]], new[~short[new]]
            _, first, which = np.unique(hashes[repeated], return_index=True, return_inverse=True)
            some, known = np.concatenate((repeated[first], alone)), len(starts) - 1
            pieces[repeated], pieces[alone] = known + which, known + len(first) + np.arange(len(alone))
            made = [
                self._tokens(data[begin:end].decode("utf-8", "surrogatepass"))
                for begin, end in zip(begins[some].tolist(), ends[some].tolist(), strict=True)
            ]
            numbers = np.concatenate((numbers, np.fromiter(map(number, chain.from_iterable(made)), np.int32)))
            starts = np.concatenate((starts, starts[-1] + np.cumsum(np.fromiter(map(len, made), np.int64, len(made)))))
            if learn:
                self._starts = starts[: known + len(first) + 1]
                self._numbers = numbers[: self._starts[-1]]
                self._insert(hashes[repeated[first]], np.arange(known, known + len(first), dtype=np.int32))
        lengths = starts[pieces + 1] - starts[pieces]
        before = np.concatenate(([0], np.cumsum(lengths)))
        at = np.repeat(starts[pieces] - before[:-1], lengths) + np.arange(before[-1])
        sizes = np.diff(before[np.searchsorted(ends, bounds, side="right")], prepend=0)
        return Read(numbers[at], sizes)

    def renumber(self, new: "np.ndarray") -> None:
        """Give each number its new one; pieces with a token whose new number is -1 are forgotten."""
        import numpy as np

        self._numbers = new[self._numbers].astype(np.int32)
        gone = np.zeros(len(self._starts), bool)
        gone[np.searchsorted(self._starts, np.flatnonzero(self._numbers < 0), side="right") - 1] = True
        self._rows[gone[self._rows]] = -1

    def _found(self, hashes: "np.ndarray") -> "np.ndarray":
        """The piece of each hash; -1 for one that is new."""
        import numpy as np

        slots = self._slots(hashes)
        there = self._hashes[slots]
        pieces = np.where(there == hashes, self._rows[slots], -1)
        pending = np.flatnonzero((there != hashes) & (there != 0))
        while len(pending):
            slots[pending] = (slots[pending] + 1) % len(self._hashes)
            there = self._hashes[slots[pending]]
            same = there == hashes[pending]
            pieces[pending[same]] = self._rows[slots[pending[same]]]
            pending = pending[~same & (there != 0)]
        return pieces

    def _insert(self, hashes: "np.ndarray", rows: "np.ndarray") -> None:
        """Remember new hashes, each of them once; at least half of the slots stay free."""
        import numpy as np

        if 2 * len(self._starts) > len(self._hashes):
            taken = self._hashes > 0
            hashes, rows = np.concatenate((self._hashes[taken], hashes)), np.concatenate((self._rows[taken], rows))
            size = 1 << (3 * len(self._starts)).bit_length()
            self._hashes, self._rows = np.zeros(size, np.uint64), np.zeros(size, np.int32)
        slots = self._slots(hashes)
        while len(hashes):
            free = self._hashes[slots] == 0
            self._hashes[slots[free]] = hashes[free]  # of several for one slot, the last
            self._rows[slots[free]] = rows[free]
            left = self._hashes[slots] != hashes
            hashes, rows, slots = hashes[left], rows[left], (slots[left] + 1) % len(self._hashes)

    def _slots(self, hashes: "np.ndarray") -> "np.ndarray":
        import numpy as np

        bits = len(self._hashes).bit_length() - 1
        return ((hashes * np.uint64(_SPREAD)) >> np.uint64(64 - bits)).astype(np.int64)


def _bytes(texts: Sequence[str]) -> "tuple[bytes, np.ndarray]":
    """The texts in lower case as UTF-8, with no other white space than spaces, each with one more at its end; and those ends."""
    import numpy as np

    # White space other than a space cannot be printed.
    lines = [
        (low if (low := text.lower()).isprintable() else " ".join(low.split())).encode("utf-8", "surrogatepass")
        for text in texts
    ]
    return b" ".join([*lines, b""]), np.cumsum(np.fromiter(map(len, lines), np.int64, len(lines)) + 1) - 1


def _powers(count: int) -> "tuple[np.ndarray, np.ndarray]":
    """At least `count` powers of the hash's factor, and their inverses, modulo 2 ** 64."""
    bits = max(16, count.bit_length())
    return _powers_of_bits(bits) if bits <= _CACHED else _powers_of_bits.__wrapped__(bits)


@lru_cache(2)
def _powers_of_bits(bits: int) -> "tuple[np.ndarray, np.ndarray]":
    import numpy as np

    powers, inverses = (np.full(1 << bits, factor, np.uint64) for factor in (_FACTOR, pow(_FACTOR, -1, 1 << 64)))
    powers[0] = inverses[0] = 1
    return np.cumprod(powers), np.cumprod(inverses)
