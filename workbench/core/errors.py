"""Errors that a user can cause, each with a way out. Pages and the command line catch only these."""

import re
import sys
from collections.abc import Iterable, Sequence

LONGEST = 80
"""Most characters of the user's input that a message repeats."""
_LONGEST_REASON = 200
_LONGEST_PATH = 255
_LONGEST_PART = 4000
"""Most characters of a part of a message; lists of known names and of warnings to accept are shorter."""
_NEARLY = 5
"""How much less alike than the likest name a suggestion may be, of 100: behind an obvious one come chance matches."""
_ECHOED = re.compile(
    r"""(?<!\w)(?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|“[^”]*”)"""  # as `!r` writes it, or as prose does
    rf"|(?P<word>\S{{{LONGEST + 1},}})"
)
_PATH = re.compile(r"""['"“]?(?:~?/|\.{1,2}/|[A-Za-z]:[/\\]|\S*/\S*$)|[^'"“]*\\""")
"""Where a path begins. One with spaces is told from prose by its root."""


def brief(text: object, longest: int = LONGEST) -> str:
    """`text` on one line that every terminal can show, cut to `longest` characters.

    >>> brief("a" * 100) == "a" * 77 + "...", brief("one\\n two\\ud800")
    (True, 'one two\\\\ud800')
    """
    line = _line(str(text)[: 20 * longest])
    return line if len(line) <= longest else f"{line[: longest - 3]}..."


def _line(text: str) -> str:
    """`text` on one line; characters that cannot be printed, such as half of a surrogate pair, become escapes."""
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in line)


def _cut(text: str) -> str:
    """A part of a message on one line, with long quotations and endless words cut. Prose and lists stay whole."""

    def shorter(match: re.Match[str]) -> str:
        found = match[0]
        path = _PATH.match(found)
        longest = (_LONGEST_PATH if path else LONGEST) + (2 if match["quoted"] else 0)
        if len(found) <= longest:
            return found
        if path:  # its end says more than its beginning
            return f"{found[: LONGEST // 2 - 3]}...{found[-(LONGEST // 2) :]}"
        return f"{found[: LONGEST - 2]}...{found[-1]}" if match["quoted"] else f"{found[: LONGEST - 3]}..."

    line = _ECHOED.sub(shorter, _line(text[: 5 * _LONGEST_PART]))
    return line if len(line) <= _LONGEST_PART else f"{line[: _LONGEST_PART - 3]}..."


def some_of(names: Sequence[str], longest: int = LONGEST) -> str:
    """Names with commas between, whole ones up to about `longest` characters, and how many more there are.

    >>> some_of(["query", "key", "value"], 16), some_of(["query", "key"])
    ('query and 2 more', 'query, key')
    """
    if len(whole := ", ".join(names)) <= longest or len(names) == 1:
        return whole
    room = longest - len(f" and {len(names):,} more")
    count = 1
    while len(", ".join(names[: count + 1])) <= room:
        count += 1
    return f"{', '.join(names[:count])} and {len(names) - count:,} more"


def sentence(word: str, part: str) -> str:
    """A part of an error as a sentence; empty if the part is.

    >>> sentence("Got", "7"), sentence("Got", "a very long..."), sentence("Got", "")
    ('Got: 7.', 'Got: a very long...', '')
    """
    return f"{word}: {part}{'' if part.endswith('...') else '.'}" if part else ""


class WorkbenchError(Exception):
    """What is wrong, which rule it breaks, what was got, the reason in a library's words, and what to do about it.

    Each is one line. `got` is cut to 80 characters and `reason` to 200. In the others only quotations and single words of
    more than 80 characters are cut at their end; paths only beyond 255 characters, and in the middle.

    >>> print(WorkbenchError("Batch size 1 is too small.", rule="A batch needs negatives: at least 2.", way_out="Raise it."))
    Batch size 1 is too small. A batch needs negatives: at least 2. Raise it.
    """

    def __init__(self, what: str, *, rule: str = "", got: str = "", reason: str = "", way_out: str = "") -> None:
        self.what, self.rule, self.way_out = _cut(what), _cut(rule), _cut(way_out)
        self.got, self.reason = brief(got.rstrip(".")), brief(_cut(reason.rstrip(".")), _LONGEST_REASON)
        details = (sentence("Got", self.got), sentence("Reason", self.reason))
        super().__init__(" ".join(part for part in (self.what, self.rule, *details, self.way_out) if part))


class BadSetting(WorkbenchError):
    """A value outside its range, of the wrong type, or under an unknown name."""


class UnknownName(WorkbenchError):
    """An id that no method, backbone, recipe or run has."""


class BadData(WorkbenchError):
    """A corpus or pair set that cannot be read, or cannot be used for what was asked."""


class BadMethod(WorkbenchError):
    """A file of a folder of methods that cannot be used as it is, or a method that did not return what it must."""


class BadModel(WorkbenchError):
    """A backbone that cannot be loaded here, or cannot be loaded safely."""


class BadRun(WorkbenchError):
    """A run folder that is missing, damaged, or in the wrong state for what was asked."""


class Refused(WorkbenchError):
    """A launch that cannot succeed on this machine: memory, disk, or a queue that is full."""


class NotAccepted(WorkbenchError):
    """A warning that the user must accept first and has not accepted."""


class Diverged(WorkbenchError):
    """Training stopped because the loss or its gradient is no longer a number."""


class MissingResource(WorkbenchError):
    """A lexicon, model or parser that a method needs is not on this machine."""


class OutsideFolders(WorkbenchError):
    """A path outside the folders the app may read."""


def unknown(kind: str, name: object, known: Iterable[str], *, most: int = 100) -> UnknownName:
    """The error for an id that does not exist, with the nearest existing ones, or else at most `most` of all."""
    from rapidfuzz import process

    text = name if isinstance(name, str) else repr(name)
    name = text[: 2 * LONGEST]  # no id is this long, so comparing more would not help
    known = sorted(known, key=lambda other: (other[:1].isdigit(), other))  # runs last
    begun = [other for other in known if name and other.startswith(name.lower())]
    scored = process.extract(name.lower(), known, limit=3, score_cutoff=60)
    alike = [match for match, score, _ in scored if score >= scored[0][1] - _NEARLY]
    near = list(dict.fromkeys([*begun, *alike]))[: max(3, len(begun))]
    more = f" and {len(known) - most:,} more" if len(known) > most else ""
    listed = f"Known: {', '.join(known[:most])}{more}." if known else "There are none."
    hint = f"Did you mean {' or '.join(near)}?" if near else listed
    return UnknownName(f"There is no {kind} named {name!r}.", way_out=hint)


class ComputeFailed(WorkbenchError):
    """The compute process failed for a reason that is not the user's mistake; its log has the details."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error means that there was no memory: torch has its own for a GPU, and a text for a CPU.

    >>> is_out_of_memory(MemoryError()), is_out_of_memory(RuntimeError("DefaultCPUAllocator: can't allocate memory"))
    (True, True)
    """
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or "t allocate memory" in str(error).strip().split("\n")[0]
    )


def is_process_gone(error: BaseException) -> bool:
    """Whether an error means that another process of a run is gone: a collective call of gloo or NCCL came to nothing.

    >>> is_process_gone(RuntimeError("[gloo/transport/tcp/pair.cc] Connection closed by peer")), is_process_gone(RuntimeError())
    (True, False)
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    return "DistError" in names or ("RuntimeError" in names and "gloo" in str(error).lower())


_NO_MEMORY = ("failed to map segment", "can't start new thread", "t allocate memory")
"""What Python and the system say where a process may have no more memory, and for other reasons too."""


def memory_limit(message: str) -> str:
    """A sentence on the limit of memory (`ulimit -v`) under which an error with this message came. Empty for other messages, and
    without a limit: then such a message may be about the number of threads, or about a disk that no program may run from.
    """
    if sys.platform == "win32" or not any(words in message for words in _NO_MEMORY):
        return ""
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return ""
    return f"Memory ran out: a process may have {limit / 1e6:,.0f} MB here (ulimit -v). Raise that limit."


def as_error(kind: str, message: str) -> WorkbenchError:
    """The error that another process reported, from its class name and message; `ComputeFailed` for an unknown class."""
    known = globals().get(kind)
    found = known if isinstance(known, type) and issubclass(known, WorkbenchError) else ComputeFailed
    return found(message)
