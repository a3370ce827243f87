"""Which encoder a checkpoint was fine-tuned from, by what its files say. Needs no torch."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.core.errors import WorkbenchError
from workbench.core.paths import existing
from workbench.models.cards import EMBEDDED, Place, card, locate
from workbench.models.hub import is_hub_id
from workbench.models.layout import CONFIG, Layout, read_layout

STATED = "_name_or_path"
"""Where transformers before version 5 wrote into config.json what a model was loaded from."""
BACKBONE = "workbench_backbone"
"""Where the model card of an exported run says so of a backbone that is not on the Hub."""
_CARD = "README.md"
_LONGEST_CARD = 20_000
"""Characters of a model card that are read: its metadata are at its beginning."""
_ORGANISATIONS = {
    "bert-": "google-bert",
    "roberta-": "FacebookAI",
    "xlm-roberta-": "FacebookAI",
    "camembert-": "almanach",
    "distilbert-": "distilbert",
    "distilroberta-": "distilbert",
}
"""The organisations on the Hub whose models were once named without one."""


@dataclass(frozen=True)
class BaseModel:
    """The encoder that a checkpoint was fine-tuned from."""

    name: str
    """An embedded id, a folder or a Hub id."""
    here: bool
    """Whether it can be opened without a download."""
    stated: bool
    """Whether the checkpoint's files name it. Otherwise it is the one of the same architecture and vocabulary."""
    pooling: str = ""
    """The pooling of the checkpoint, if the encoder's own is another: what fine-tuning did is seen with the same pooling."""

    @property
    def target(self) -> str:
        """The encoder with the pooling of the checkpoint.

        >>> BaseModel("minilm-l3", True, True, "cls").target
        'minilm-l3:cls'
        """
        return f"{self.name}:{self.pooling}" if self.pooling else self.name


def base_model(folder: Path, known: Iterable[str] = ()) -> BaseModel | None:
    """The encoder that the model in `folder` was fine-tuned from; None if its files say nothing and no other one fits.

    What the files name counts first. If they name nothing that can be used, it is the first of `known` whose architecture,
    sizes and vocabulary are the same.

    Raises:
        BadModel: see `layout.read_layout`.
    """
    layout = read_layout(folder)
    for name in _named(layout):
        if base := _usable(name, folder):
            return _pooled(base, layout)
    shape = _shape(layout)
    for name in known:
        place = _place(name)
        if place and place.folder.resolve() != folder.resolve():
            try:
                other = read_layout(place.folder)
            except WorkbenchError:
                continue
            if _shape(other, place.layers) == shape:
                return _pooled(BaseModel(name, here=True, stated=False), layout)
    return None


def states_base(folder: Path) -> bool:
    """Whether the files of the model in `folder` name another model, whatever has become of it.

    Raises:
        BadModel: see `layout.read_layout`.
    """
    return any(True for _ in _named(read_layout(folder)))


def _pooled(base: BaseModel, layout: Layout) -> BaseModel:
    try:
        pooling = card(base.name).pooling if base.here else ""
    except WorkbenchError:  # whoever opens it hears why
        return base
    return base if pooling in ("", layout.pooling) else replace(base, pooling=layout.pooling)


def _named(layout: Layout) -> Iterable[str]:
    """What the model card and the configuration name, most specific first."""
    path = layout.root / _CARD
    if path.is_file():
        text = path.read_text(encoding="utf-8", errors="replace")[:_LONGEST_CARD]
        metadata = text.split("\n---", 1)[0] if text.startswith("---") else ""
        for key in (BACKBONE, "base_model"):
            if match := re.search(rf"^{key}:[ \t]*(?:\n\s*-\s*)?[\"']?([^\s\"'\[\]]+)", metadata, re.MULTILINE):
                yield match[1]
    named = layout.config.get(STATED)
    if isinstance(named, str) and named:
        yield named


def _usable(name: str, folder: Path) -> BaseModel | None:
    """What `name` stands for, unless that is the checkpoint itself or nothing that can be opened."""
    embedded = next((id for id, known in EMBEDDED.items() if name in (id, known.hub)), "")
    if embedded:
        return BaseModel(embedded, here=True, stated=True)
    start = next((start for start in _ORGANISATIONS if name.startswith(start)), "")
    name = f"{_ORGANISATIONS[start]}/{name}" if start and "/" not in name else name
    path = Path(name)
    if path.is_absolute():
        there = existing(path / CONFIG) is not None and path.resolve() != folder.resolve()
        return BaseModel(name, here=True, stated=True) if there else None
    # A relative path of two parts looks like a Hub id, and belongs to a folder that nobody knows.
    if is_hub_id(name) and not path.name.startswith("checkpoint"):
        return BaseModel(name, here=_place(name) is not None, stated=True)
    return None


def _place(name: str) -> Place | None:
    """Where a known encoder is; None if it is not on this machine."""
    try:
        return locate(name, download=False)
    except WorkbenchError:
        return None


def _shape(layout: Layout, layers: int | None = None) -> tuple[object, ...]:
    """What fine-tuning leaves as it was: family, layers, width and vocabulary."""
    return layout.family, layers or layout.layers, layout.dim, layout.config.get("vocab_size")
