"""What a verb is: a request, how it is checked and answered, and what is said meanwhile."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from dataclasses import Field as DataclassField
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, get_type_hints

from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import BadSetting, unknown
from workbench.core.progress import Progress
from workbench.store.names import RunsFolder
from workbench.verbs._fields import Field, Json, digest, field_of

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


class Here(Protocol):
    """What a verb that needs no models is run with."""

    @property
    def folder(self) -> RunsFolder:
        """The runs folder."""


VERSION = 8
"""Raised when answers to the same question change."""

RequestT = TypeVar("RequestT")
AnswerT = TypeVar("AnswerT")


def _nothing_to_check(request: Any) -> None:
    """Every field was checked by itself."""


def _never(request: Any) -> bool:
    return False


def _nothing_else(request: Any) -> Json:
    return None


def _default(item: "DataclassField[Any]") -> Any:
    if item.default_factory is not MISSING:
        return item.default_factory()
    return inspect.Parameter.empty if item.default is MISSING else item.default


@dataclass(frozen=True)
class Verb(Generic[RequestT, AnswerT]):
    """Something a user can ask. Its id is the name of its file, and of the function `run` in it.

    `request` is a frozen dataclass whose annotations say what each field is, see `_fields`; its docstring says what is asked,
    and that of `run` what comes back.
    """

    request: type[RequestT]
    run: "Callable[[RequestT, ModelCache, Progress], AnswerT]"
    """Answers, in the process that holds the models; imports torch inside."""
    doing: str = ""
    """What is being done, for whoever waits."""
    where: Literal["compute", "here"] = "compute"
    """In the compute process, or in the one that asks: then without models, and in a moment."""
    check: Callable[[RequestT], None] = _nothing_to_check
    """What is wrong with fields together; cheap, and without torch. Raises WorkbenchError."""
    slow: Callable[[RequestT], bool] = _never
    """Whether nobody should have to wait behind it."""
    depends: Callable[[RequestT], Json] = _nothing_else
    """What the answer depends on beside the fields."""
    command: bool = False
    """Whether the command line has it in the general form: flags from the request, the answer as a table, CSV or JSON."""

    @property
    def id(self) -> str:
        """The one name of file, api function, subcommand and request."""
        return self.run.__module__.rpartition(".")[2]

    @property
    def summary(self) -> str:
        """What is asked, in one sentence."""
        return (inspect.getdoc(self.request) or "").split("\n", 1)[0]

    @cached_property
    def answer(self) -> Any:
        """The type of the answer, as `run` is annotated."""
        return self.run.__annotations__["return"]

    @cached_property
    def fields(self) -> dict[str, Field]:
        """The fields of the request, in order."""
        kinds = get_type_hints(self.request, include_extras=True)
        return {name: field_of(name, kinds[name], default) for name, default in self.defaults.items()}

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """What each field is where nobody says; `inspect.Parameter.empty` where somebody has to."""
        request: Any = self.request
        return {item.name: _default(item) for item in fields(request)}

    @property
    def kind(self) -> type | None:
        """The dataclass of the answer, if it is one."""
        return self.answer if is_dataclass(self.answer) and isinstance(self.answer, type) else None

    def ask(self, folder: RunsFolder, given: Mapping[str, Any]) -> RequestT:
        """The request with every field parsed once, and checked.

        Raises:
            UnknownName: no such field, or one of the names in it.
            WorkbenchError: what is wrong with a field.
        """
        for name in given:
            if name not in self.fields:
                raise unknown(f"argument of {self.id}", name, self.fields)
        values = {}
        for name, field in self.fields.items():
            value = given.get(name, self.defaults[name])
            if value is inspect.Parameter.empty:
                raise BadSetting(f"{self.id} needs {name}.", rule=field.help)
            values[name] = field.parse(name, value, folder)
        request = self.request(**values)
        self.check(request)
        return request

    def write(self, request: RequestT, folder: RunsFolder) -> dict[str, Json]:
        """The request for the process that answers it.

        Raises:
            Refused: there is no room for its texts.
        """
        with disk_errors_explained():
            return {name: field.write(getattr(request, name), folder) for name, field in self.fields.items()}

    def read(self, written: Mapping[str, Json], folder: RunsFolder) -> RequestT:
        """What `write` wrote."""
        return self.request(**{name: field.parse(name, written[name], folder) for name, field in self.fields.items()})

    def stamps(self, request: RequestT) -> dict[str, Json]:
        """What each field stands for now."""
        return {name: field.stamp(getattr(request, name)) for name, field in self.fields.items()}

    def key(self, request: RequestT) -> str:
        """The name of the answer: equal requests have one, as long as nothing they stand for has changed."""
        depends = [VERSION, self.id, self.stamps(request), self.depends(request)]
        return f"{self.id}-{digest(json.dumps(depends, sort_keys=True, default=str))}"

    def stem(self, request: RequestT, *, without: str) -> str:
        """A hash of all fields but one, for what is kept of parts of an answer."""
        stamps = {name: stamp for name, stamp in self.stamps(request).items() if name != without}
        return digest(json.dumps([VERSION, self.id, stamps], sort_keys=True, default=str))

    def lane(self, request: RequestT) -> str:
        """The lane it waits in: `fast`, or `slow` for what may take minutes."""
        slow = any(field.slow(getattr(request, name)) for name, field in self.fields.items()) or self.slow(request)
        return "slow" if slow else "fast"


def discover(package: str, names: list[str]) -> dict[str, Verb[Any, Any]]:
    """Every verb of a folder, by id.

    Raises:
        ImportError: a file without VERB.
    """
    from importlib import import_module

    found = {}
    for name in sorted(names):
        verb = getattr(import_module(f"{package}.{name}"), "VERB", None)
        if not isinstance(verb, Verb) or verb.id != name:
            raise ImportError(f"{package}/{name}.py must end with VERB = Verb(...)")
        found[name] = verb
    return found
