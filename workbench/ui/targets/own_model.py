"""A field for a model made elsewhere: the path of its folder, pasted, and checked before anything is asked of it."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from workbench.core.calls import write_call
from workbench.core.errors import BadModel, WorkbenchError
from workbench.core.paths import existing
from workbench.models.cards import card
from workbench.models.layout import CONFIG, FAMILIES, read_layout, weight_files
from workbench.targets.baselines import precomputed
from workbench.targets.precomputed import ENDINGS
from workbench.ui.kit.folders import model_inside
from workbench.ui.kit.notices import trouble

_MODULES = "modules.json"


def own_model(key: str, take: Callable[[str], None], *, hidden: bool = False) -> None:
    """A field for the path of a model folder or a Hub id. What is entered is checked, and given to `take`, or else the message
    stands under the field. `key` names the field's place in the session; a `hidden` label is only read out.
    """
    st.text_input(
        "Your own model",
        key=f"{key}.own_model",
        placeholder="Its folder, or a file of vectors",
        label_visibility="collapsed" if hidden else "visible",
        help=f"A folder saved by transformers or sentence-transformers ({', '.join(FAMILIES)}, with model.safetensors), on the "
        "machine that runs the app, or an id of the Hugging Face Hub. Or a file of texts and their vectors, made by any other "
        f"model: {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}.",
        on_change=_entered,
        args=(key, take),
    )
    message = st.session_state.get(f"{key}.own_model.message")
    if isinstance(message, WorkbenchError):
        trouble(message)


def _entered(key: str, take: Callable[[str], None]) -> None:
    state = st.session_state
    state.pop(f"{key}.own_model.message", None)
    typed = str(state.get(f"{key}.own_model") or "").strip()
    if not typed:
        return
    try:
        name = own_model_name(typed)
    except WorkbenchError as error:
        state[f"{key}.own_model.message"] = error
        return
    state[f"{key}.own_model"] = ""
    take(name)


def own_model_name(typed: str) -> str:
    """The model that was typed or pasted: without quotation marks, its folder if it is a file in it, in full. A file of vectors
    is the target that finds them.

    Raises:
        OutsideFolders: a page may not read it.
        UnknownName: neither a folder nor a Hub id.
        BadModel: it is no model that can be opened, or has no weights that may be read.
    """
    name = typed.strip().strip("\"'").strip().removeprefix("file://")
    model_inside(name)
    path = existing(name)
    if path is None:
        card(name)
        return name
    if path.suffix.lower() in ENDINGS:
        return write_call(precomputed.__name__, {"vectors": str(path.absolute())})
    folder = (path if path.is_dir() else path.parent).absolute()
    if not (folder / CONFIG).is_file() and not (folder / _MODULES).is_file():
        raise _not_a_model(folder)
    weight_files(read_layout(folder).folder)
    return str(folder)


def _not_a_model(folder: Path) -> BadModel:
    """The message for a folder without a model, with the models below it."""
    below = sorted({path.parent for pattern in ("*/", "snapshots/*/") for path in folder.glob(f"{pattern}{CONFIG}")})
    return BadModel(
        f"{folder} is not a model folder.",
        rule=f"It has a {CONFIG}, a tokenizer and model.safetensors.",
        way_out=f"Models are below it: {', '.join(map(str, below[:4]))}."
        if below
        else "Check the path, or save the model first.",
    )
