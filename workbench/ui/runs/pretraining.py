"""How well a model in pretraining predicts masked tokens."""

from typing import TYPE_CHECKING

import streamlit as st

from workbench import api
from workbench.core import presets
from workbench.core.records import Row
from workbench.store import names
from workbench.ui.kit.notices import facts, quiet
from workbench.ui.kit.passages import passage
from workbench.ui.kit.words import DASH, count, estimated, figure, html, share

if TYPE_CHECKING:
    from pandas import DataFrame


def masked_facts(run: api.Run, probes: "DataFrame") -> None:
    """The latest held-out loss and accuracy, and the speed."""
    if "masked_loss" not in probes or probes["masked_loss"].isna().all():
        return
    measured = probes.dropna(subset=["masked_loss"])
    first, last = measured.iloc[0], measured.iloc[-1]
    pace = run.tokens_per_second
    facts(
        {
            "Masked loss": figure(last["masked_loss"]),
            "Masked accuracy": share(last["masked_accuracy"]),
            "Tokens per second": DASH if pace is None else count(round(pace)),
            **({"Time left": estimated(left)} if (left := run.progress.seconds_left) else {}),
        },
        {
            "Masked loss": f"nats, held out; {figure(first['masked_loss'])} at step {int(first['step'])}",
            "Masked accuracy": f"{share(first['masked_accuracy'])} at step {int(first['step'])}",
        },
    )


def masked_point(probes: "DataFrame") -> str:
    """What pretraining has learned, in one sentence. Columns step, masked_loss, masked_accuracy."""
    # Before the first probe there is no such column.
    measured = probes.dropna(subset=["masked_loss"]) if "masked_loss" in probes else probes.head(0)
    if len(measured) < 2:
        return f"The held-out loss has {'been measured once so far' if len(measured) else 'not been measured yet'}."
    first, last = measured.iloc[0], measured.iloc[-1]
    before, after = figure(first["masked_loss"]), figure(last["masked_loss"])
    way = f"{'fell' if last['masked_loss'] < first['masked_loss'] else 'rose'} from {before} to {after} nats"
    if before == after:  # equal as displayed
        way = f"is {after} nats, the same as at step {int(first['step'])}"
    return f"It predicts {share(last['masked_accuracy'])} of the masked tokens of held-out text; the loss {way}."


def show_filled(probes: "DataFrame") -> None:
    """Masked tokens of held-out text and the model's predictions, as of the last probe."""
    if "filled" not in probes or not isinstance(probes["filled"].iloc[-1], list):
        return
    last = probes.iloc[-1]
    st.html(f'<p class="takeaway">Masked words of held-out text, and the predictions at step {int(last["step"])}.</p>')
    for sample in last["filled"]:
        rows = "".join(
            f'<tr><td class="words">{html(mask["piece"])}</td>'
            + "".join(_prediction(mask, *named) for named in mask["named"])
            + "</tr>"
            for mask in sample["covered"]
        )
        head = '<tr><th class="words">masked</th><th class="words" colspan="3">predictions, most likely first</th></tr>'
        st.html(f'{passage(sample["text"])}<div class="sheet"><table>{head}{rows}</table></div>')


def _prediction(mask: Row, piece: str, chance: float) -> str:
    right = " ✓" if piece == mask["piece"] else ""
    return f'<td class="words"><code>{html(piece)}</code>{right} <small>{share(chance)}</small></td>'


def model_link(run: api.Run) -> None:
    """A link from a pretrained model to fine-tuning it."""
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
    quiet(f"Its folder holds a masked language model for transformers: `{folder}`")
