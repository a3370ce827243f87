"""Methods and their settings: declared once, in a signature, and read by forms, command line, recipes and tests."""

import inspect
import math
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args, get_origin

from workbench.core.errors import BadMethod, BadSetting, is_out_of_memory, is_process_gone, memory_limit, unknown
from workbench.core.writing import is_disk_full

Value = bool | int | float | str
"""The value of a setting."""
Settings = dict[str, Value]


def unwrapped(value: object) -> object:
    """A number of NumPy, pandas or PyTorch as Python's own; anything else unchanged.

    >>> unwrapped("64"), unwrapped(0.5)
    ('64', 0.5)
    """
    item = getattr(value, "item", None)
    if isinstance(value, type) or not callable(item) or getattr(value, "shape", None) != ():
        return value
    return item()


@dataclass(frozen=True)
class Knob:
    """Range and meaning of one setting; `low` and `high` are inclusive, and None for switches and choices."""

    low: float | None = None
    high: float | None = None
    step: float | None = None
    help: str = ""
    special: tuple[float, str] | None = None
    """A value that is not a quantity, and in words what it stands for: forms show the words."""


@dataclass(frozen=True)
class Setting:
    """A knob together with the name, type and default that its signature gives it."""

    name: str
    kind: type
    default: Value
    knob: Knob
    choices: tuple[str, ...] = ()

    def check(self, value: object) -> Value:
        """`value` as this setting's type, checked.

        Integers become floats where a float is expected, because TOML and command lines write `1` for `1.0`; a number of NumPy
        or PyTorch is what Python has for it.

        Raises:
            BadSetting: wrong type, not a finite number, or outside the range.
        """
        if type(value) is not self.kind:
            value = unwrapped(value)
        if self.kind is float and isinstance(value, int) and not isinstance(value, bool):
            try:
                value = float(value)
            except OverflowError:
                raise self._wrong(value) from None
        if type(value) is not self.kind or not isinstance(value, Value):
            raise self._wrong(value)
        within = not self.choices or value in self.choices
        if within and isinstance(value, int | float) and not isinstance(value, bool):
            low, high = self.knob.low, self.knob.high
            finite = isinstance(value, int) or math.isfinite(value)
            within = finite and (low is None or value >= low) and (high is None or value <= high)
        if not within:
            raise self._wrong(value)
        return value

    def parse(self, text: str) -> Value:
        """The checked value that a command-line word stands for.

        Raises:
            BadSetting: see `check`.
        """
        if self.kind is bool:
            if text.lower() not in ("true", "false"):
                raise BadSetting(f"{self.name} cannot be {text!r}.", rule="It is true or false.")
            return text.lower() == "true"
        try:
            return self.check(self.kind(text))
        except ValueError:
            raise BadSetting(f"{self.name} cannot be {_shown(text)}.", rule=self._rule()) from None

    def _wrong(self, value: object) -> BadSetting:
        """Built only when it is raised, for speed: a list of a thousand runs checks forty thousand values."""
        return BadSetting(f"{self.name} cannot be {_shown(value)}.", rule=self._rule(), way_out=self.knob.help)

    def _rule(self) -> str:
        if self.choices:
            return f"It is one of {', '.join(self.choices)}."
        if self.kind is bool:
            return "It is true or false."
        noun = {int: "a whole number", float: "a number", str: "a text"}[self.kind]
        if self.knob.low is None:
            return f"It is {noun}."
        return f"It is {noun} from {self.knob.low:,.10g} to {self.knob.high:,.10g}."


def _shown(value: object) -> str:
    said = repr(value)
    return said if len(said) <= 80 else f"{said[:77]}..."


def setting_of(name: str, annotation: object, default: Value) -> Setting | None:
    """The setting that `annotation` declares, or None if it carries no Knob."""
    if get_origin(annotation) is not Annotated:
        return None
    kind, *extras = get_args(annotation)
    knob = next((extra for extra in extras if isinstance(extra, Knob)), None)
    if knob is None:
        return None
    if get_origin(kind) is Literal:
        return Setting(name, str, default, knob, tuple(get_args(kind)))
    return Setting(name, kind, default, knob)


def settings_of(fn: Callable[..., object]) -> dict[str, Setting]:
    """The settings in a signature, in its order. Annotations are not evaluated, so quoted tensor types cost nothing."""
    found = (setting_of(p.name, p.annotation, p.default) for p in inspect.signature(fn).parameters.values())
    return {setting.name: setting for setting in found if setting is not None}


def check_settings(settings: Mapping[str, Setting], values: Mapping[str, object], owner: str) -> Settings:
    """All settings by name: those in `values` checked, the rest at their defaults.

    Raises:
        BadSetting: a value has the wrong type or is out of range.
        UnknownName: `owner` has no setting of that name.
    """
    for name in values:
        if name not in settings:
            raise unknown(f"setting of {owner}", name, settings)
    return {
        name: setting.check(values[name]) if name in values else setting.default for name, setting in settings.items()
    }


@dataclass(frozen=True)
class Method:
    """One entry of a METHODS folder: a function or class, and what people and forms need to know about it."""

    fn: Callable[..., Any]
    title: str
    source: str
    inputs: tuple[str, ...] = ()
    """Row-aligned inputs of a loss beyond `a` and `b`."""
    prepare: Callable[..., Any] | None = None
    """`(corpus, *, <settings>) -> resource`, which `fn` takes as its first positional argument; its knobs are settings too."""
    missing: Callable[[], str] | None = None
    """A cheap check: returns one line that says which resource is absent here and how to get it, or an empty string."""
    caution: Callable[..., str] | None = None
    """`(resource, **settings) -> str`: what a user should know before relying on these settings with this resource.

    For an objective the resource is the encoder as training pools it, and some texts of the corpus.
    """
    tags: Mapping[str, str] = field(default_factory=dict)
    formula: str = ""
    """LaTeX, shown next to the knobs."""
    logits: Callable[..., Any] | None = None
    """For a loss that is a cross-entropy over candidates: `(same inputs, *, <same settings>) -> list[Logits]`, whose mean
    cross-entropy is the loss. See `workbench.losses`."""

    each: Callable[..., list[str]] | None = None
    """For an augmentation of text that has a faster way for many texts: `(resource, texts, *, <settings>, seeds) -> texts`.

    Each text comes out as from `fn` with `Random(seed)`, whatever texts come with it, its white space single spaces.
    """

    @property
    def id(self) -> str:
        """The name that file, function, config value and command-line word share."""
        return self.fn.__name__

    @property
    def plugged_in(self) -> bool:
        """Whether its function is none of the workbench's own."""
        return self.fn.__module__.partition(".")[0] != __name__.partition(".")[0]

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return (inspect.getdoc(self.fn) or "").split("\n", 1)[0]

    @property
    def settings(self) -> dict[str, Setting]:
        """The knobs in the signatures of `fn` and `prepare`, in order."""
        return settings_of(self.fn) | self.prepare_settings

    @property
    def prepare_settings(self) -> dict[str, Setting]:
        """The settings that the resource depends on."""
        return settings_of(self.prepare) if self.prepare else {}

    @property
    def absent(self) -> str:
        """See `missing`; empty if nothing is needed."""
        if self.missing is None:
            return ""
        with calling("method", self):
            return self.missing()

    def check(self, values: Mapping[str, object]) -> Settings:
        """See `check_settings`."""
        return check_settings(self.settings, values, self.id)


def described(value: object) -> str:
    """What a method returned, in a few words: nothing, the class itself, or the type, shape and kind of numbers.

    >>> import numpy as np
    >>> described(None), described(dict), described(3), described(np.zeros((2, 3)))
    ('nothing', 'the class dict', 'int', 'ndarray of shape (2, 3), float64')
    """
    if value is None:
        return "nothing"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    shape, numbers = getattr(value, "shape", None), getattr(value, "dtype", None)
    about = "" if shape is None else f" of shape {tuple(shape)}, {str(numbers).removeprefix('torch.')}"
    return f"{type(value).__name__}{about}"


def wrong_return(kind: str, method: Method, wanted: str, got: str) -> BadMethod:
    """The error for a method of that kind that did not return what is `wanted`."""
    return BadMethod(
        f"The {kind} {method.id} did not return {wanted}.", rule=f"It is in {method.fn.__module__}.", got=got
    )


@contextmanager
def calling(kind: str, method: Method) -> Iterator[None]:
    """A context for a call of a method of that kind: what goes wrong in it is explained by name and line.

    A file that somebody adds to a folder cannot be told from those that were always there, so it is the same for all. Errors
    that the workbench raises on purpose pass as they are, and so do those of a machine without memory or room, of a run whose
    other process is gone, and those by which a library ends a pass early, as torch does where it computes a chunk again: their
    class is private to it.

    Raises:
        BadMethod: the method raised an error, which is the cause.
    """
    try:
        yield
    except Exception as error:
        on_purpose = type(error).__module__.partition(".")[0] == __name__.partition(".")[0]
        private = type(error).__name__.startswith("_")
        if on_purpose or private or is_out_of_memory(error) or is_disk_full(error) or is_process_gone(error):
            raise
        where, module = raised_in(error), method.fn.__module__
        raise BadMethod(
            f"The {kind} {method.id} failed: {where}.",
            rule="" if module in where else f"It is in {module}.",
            reason=str(error),
        ) from error


def find(methods: Mapping[str, Method], kind: str, name: str) -> Method:
    """The method called `name`.

    Raises:
        UnknownName: there is none; the message suggests the nearest ids.
    """
    if name not in methods:
        raise unknown(kind, name, methods)
    return methods[name]


def raised_in(error: BaseException) -> str:
    """Type of an error that is none of the workbench's own, and where the file of a method raised it, if one did: "ValueError in
    workbench.losses.angle, line 12".
    """
    steps = list(traceback.walk_tb(error.__traceback__))
    lines = [(frame.f_globals["__name__"], line) for frame, line in steps if "METHOD" in frame.f_globals]
    return f"{type(error).__name__} in {lines[-1][0]}, line {lines[-1][1]}" if lines else type(error).__name__


def unforeseen(error: BaseException) -> str:
    """An error that is none of the workbench's own, as a sentence: where it was raised, and the first line of its message.

    >>> unforeseen(KeyError("a")), unforeseen(ValueError("No.\\nMore.")), unforeseen(ValueError())
    ("KeyError: 'a'.", 'ValueError: No.', 'ValueError.')
    """
    line = str(error).strip().split("\n")[0][:300].rstrip(". ")
    return " ".join(
        filter(None, [f"{raised_in(error)}: {line}." if line else f"{raised_in(error)}.", memory_limit(line)])
    )
