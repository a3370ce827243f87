"""A verb: its request, its check, its answer, and how it is run."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from dataclasses import Field as DataclassField
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, get_type_hints

from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import BadSetting, unknown
from workbench.core.json_values import Json
from workbench.core.progress import Progress
from workbench.processes import sources
from workbench.store.names import RunsFolder
from workbench.verbs._fields import Field, digest, field_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from workbench.compute.model_cache import ModelCache


class Here(Protocol):
    """What a verb without models is run with."""

    @property
    def folder(self) -> RunsFolder:
        """The runs folder."""


VERSION = 23
"""Increased when answers to the same request change by other code than that of a method."""

RequestT = TypeVar("RequestT", bound="DataclassInstance")
AnswerT = TypeVar("AnswerT")


def _nothing_to_check(request: object) -> None:
    """Every field is checked by itself."""


def _never(request: object) -> bool:
    return False


def _nothing_else(request: object) -> object:
    return None


def _default(item: "DataclassField[Any]") -> object:
    if item.default_factory is not MISSING:
        return item.default_factory()
    return inspect.Parameter.empty if item.default is MISSING else item.default


@dataclass(frozen=True)
class Verb(Generic[RequestT, AnswerT]):
    """A question that a user can ask. Its id is the name of its file.

    `request` is a frozen dataclass whose annotations declare its fields, see `_fields`. Its docstring describes the question,
    and that of `run` the answer.
    """

    request: type[RequestT]
    run: "Callable[[RequestT, ModelCache, Progress], AnswerT]"
    """Computes the answer, in the process that holds the models. torch is imported inside."""
    doing: str = ""
    """What is being done, shown while waiting."""
    where: Literal["compute", "here"] = "compute"
    """In the compute process, or in the calling one, without models and at once."""
    check: Callable[[RequestT], None] = _nothing_to_check
    """Checks fields that depend on each other; cheap and without torch. Raises WorkbenchError."""
    slow: Callable[[RequestT], bool] = _never
    """Whether it may take long, so that quick requests should not queue behind it."""
    lasting: bool = False
    """Whether it leaves files that whoever asked wants, and so goes on when nobody waits for the answer."""
    depends: Callable[[RequestT], object] = _nothing_else
    """Anything beside the fields that the answer depends on."""
    command: bool = False
    """Whether it has a command in the general form: flags from the request, the answer as a table, CSV or JSON."""

    correlations: tuple[str, ...] = ()
    """Columns of its tables in -1..1 that its command prints times 100 as a table, as they are in CSV and JSON."""
    beside: tuple[str, ...] = ()
    """Attributes of its table that its command says beside it."""
    settings: tuple[str, ...] = ()
    """Columns of its tables that its command prints in full, since rounding would make different settings one."""

    @property
    def id(self) -> str:
        """The name of its file, api function and subcommand."""
        return self.run.__module__.rpartition(".")[2]

    @property
    def summary(self) -> str:
        """The first line of the docstring of the request."""
        return (inspect.getdoc(self.request) or "").split("\n", 1)[0]

    @cached_property
    def answer(self) -> type | str:
        """The type of the answer, as `run` is annotated; the name of types that are only imported for type checking."""
        kind: type | str = self.run.__annotations__["return"]
        return kind

    @cached_property
    def fields(self) -> dict[str, Field[Any]]:
        """The fields of the request, in order."""
        kinds = get_type_hints(self.request, include_extras=True)
        return {name: field_of(name, kinds[name], default) for name, default in self.defaults.items()}

    @cached_property
    def defaults(self) -> dict[str, object]:
        """The default of each field; `inspect.Parameter.empty` for required ones."""
        return {item.name: _default(item) for item in fields(self.request)}

    @property
    def kind(self) -> type | None:
        """The dataclass of the answer, if it is one."""
        return self.answer if is_dataclass(self.answer) and isinstance(self.answer, type) else None

    def ask(self, folder: RunsFolder, given: Mapping[str, object]) -> RequestT:
        """The request, with every field parsed and checked.

        Raises:
            UnknownName: there is no such field, or no such name as a field has.
            WorkbenchError: a field cannot be used.
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
        """The fields as JSON, for the process that answers.

        Raises:
            Refused: the disk has no room for its texts.
        """
        with disk_errors_explained():
            return {name: field.write(getattr(request, name), folder) for name, field in self.fields.items()}

    def read(self, written: Mapping[str, Json], folder: RunsFolder) -> RequestT:
        """The request that `write` wrote."""
        return self.request(**{name: field.parse(name, written[name], folder) for name, field in self.fields.items()})

    def stamps(self, request: RequestT) -> dict[str, object]:
        """The current content behind each field."""
        return {name: field.stamp(getattr(request, name)) for name, field in self.fields.items()}

    def key(self, request: RequestT) -> str:
        """The name of the answer: the same for equal requests, unless the files behind them have changed."""
        depends = [VERSION, sources.methods_stamp(), self.id, self.stamps(request), self.depends(request)]
        return f"{self.id}-{digest(json.dumps(depends, sort_keys=True, default=str))}"

    def stem(self, request: RequestT, *, without: str) -> str:
        """A hash of all fields but one, for parts of an answer that are stored separately."""
        stamps = {name: stamp for name, stamp in self.stamps(request).items() if name != without}
        return digest(json.dumps([VERSION, sources.methods_stamp(), self.id, stamps], sort_keys=True, default=str))

    def lane(self, request: RequestT) -> str:
        """The lane of the request: `fast`, `slow` if it may take minutes, or `lasting` if it waits for a network too."""
        slow = any(field.slow(getattr(request, name)) for name, field in self.fields.items()) or self.slow(request)
        return ("lasting" if self.lasting else "slow") if slow else "fast"


AnyVerb = Verb[Any, Any]
"""A verb whose request and answer the caller does not know."""


def discover(package: str, names: list[str]) -> dict[str, AnyVerb]:
    """The verbs of a package, by id.

    Raises:
        ImportError: a file has no VERB.
    """
    from importlib import import_module

    verbs = {}
    for name in sorted(names):
        verb = getattr(import_module(f"{package}.{name}"), "VERB", None)
        if not isinstance(verb, Verb) or verb.id != name:
            raise ImportError(f"{package}/{name}.py must end with VERB = Verb(...)")
        verbs[name] = verb
    return verbs
