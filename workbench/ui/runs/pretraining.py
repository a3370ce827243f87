"""How well a language model that is being pretrained names covered tokens."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench import api
from workbench.core import presets
from workbench.store import names
from workbench.ui.kit.notices import facts, quiet
from workbench.ui.kit.words import DASH, count, duration, figure, html, missing, share

if TYPE_CHECKING:
    from pandas import DataFrame


def masked_facts(run: api.Run, probes: "DataFrame") -> None:
    """Held-out loss and accuracy as they are now, and the pace."""
    if "masked_loss" not in probes or probes["masked_loss"].isna().all():
        return
    measured = probes.dropna(subset=["masked_loss"])
    first, last = measured.iloc[0], measured.iloc[-1]
    pace = run.tokens_per_second
    facts(
        {
            "Masked loss": figure(last["masked_loss"]),
            "Masked accuracy": share(last["masked_accuracy"]),
            "Tokens a second": DASH if pace is None else count(round(pace)),
            **({"Time left": duration(left)} if run.live and not missing(left := run.progress.seconds_left) else {}),
        },
        {
            "Masked loss": f"nats, held out; {figure(first['masked_loss'])} at step {int(first['step'])}",
            "Masked accuracy": f"{share(first['masked_accuracy'])} at step {int(first['step'])}",
        },
    )


def masked_point(probes: "DataFrame") -> str:
    """What a pretraining has learned, in one sentence. Columns step, masked_loss, masked_accuracy."""
    measured = probes.dropna(subset=["masked_loss"])
    if len(measured) < 2:
        return f"The held-out loss has {'been measured once so far' if len(measured) else 'not been measured yet'}."
    first, last = measured.iloc[0], measured.iloc[-1]
    before, after = figure(first["masked_loss"]), figure(last["masked_loss"])
    way = f"{'fell' if last['masked_loss'] < first['masked_loss'] else 'rose'} from {before} to {after} nats"
    if before == after:  # as shown: a change that cannot be seen is none
        way = f"is {after} nats, as at step {int(first['step'])}"
    return f"It names {share(last['masked_accuracy'])} of the covered tokens of held-out text; their loss {way}."


def show_filled(probes: "DataFrame") -> None:
    """Covered tokens of held-out text, and what the model names in their place, as it was looked at last."""
    if "filled" not in probes or not isinstance(probes["filled"].iloc[-1], list):
        return
    last = probes.iloc[-1]
    st.html(f'<p class="takeaway">Covered words of held-out text, and what it names at step {int(last["step"])}.</p>')
    for one in last["filled"]:
        rows = "".join(
            f'<tr><td class="words">{html(mask["piece"])}</td>'
            + "".join(_named(mask, *one) for one in mask["named"])
            + "</tr>"
            for mask in one["covered"]
        )
        head = '<tr><th class="words">covered</th><th class="words" colspan="3">named, most likely first</th></tr>'
        st.html(f'<p>{html(one["text"])}</p><div class="sheet"><table>{head}{rows}</table></div>')


def _named(mask: Mapping[str, Any], piece: str, chance: float) -> str:
    right = " ✓" if piece == mask["piece"] else ""
    return f'<td class="words"><code>{html(piece)}</code>{right} <small>{share(chance)}</small></td>'


def model_link(run: api.Run) -> None:
    """The way from a pretrained model to a fine-tune of it."""
    folder = run.folder / names.MODEL
    if not (folder / "config.json").is_file():
        return
    with st.container(horizontal=True):
        st.page_link(
            "pages/train.py",
            label="Fine-tune it for sentences",
            icon=":material/arrow_forward:",
            query_params={"recipe": presets.RECIPE, "backbone": str(folder)},
        )
    quiet(f"Its folder is a masked language model of transformers: `{folder}`")
