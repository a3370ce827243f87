"""The entry points of the first page, and anisotropy explained in a few sentences."""

import streamlit as st

from workbench.core import presets
from workbench.ui.kit.words import html

CENTRED = f"{presets.TARGET}+centre"
"""The default encoder with its mean subtracted, which Explore draws beside it."""


def entry_card(title: str, text: str) -> None:
    """A card that introduces one of the pages."""
    st.html(f'<div class="door"><h2>{html(title)}</h2><p>{html(text)}</p></div>')


_CONE = """A language model learned to guess missing words, not to compare sentences. Whatever it reads, much of the
vector stays the same. So the vectors lie in a narrow cone, and two random sentences already have a high cosine:
<em>anisotropy</em>. Cosines then have little room left to tell what is similar. The encoder pictured above is such a
model: it was last trained to guess masked words of Wikipedia."""

_CONTRAST = """Contrastive training encodes each sentence of a batch twice; dropout makes the two views slightly different.
Then it asks: <em>which of all these vectors is your partner?</em> The numerator pulls partners together
(<em>alignment</em>), the denominator pushes everything else apart (<em>uniformity</em>). The common part does not help
to find a partner, so it disappears, and the cone opens."""

_LIMIT = """An open space need not be a good one. Which sentences training pushes apart depends on the corpus: on texts
unlike those you compare later, the space opens too, but the ranking can get worse. And subtracting the mean vector opens
the cone without any training. So look at three things together: alignment, uniformity, and the ranking of scored pairs."""


def lesson() -> None:
    """Cone, contrast, limit: three short columns and the formula."""
    st.header("Why vectors crowd together, and what contrastive training does")
    cone, contrast, limit = st.columns(3, gap="large")
    with cone:
        st.html(f"<h3>The cone</h3><p>{_CONE}</p>")
    with contrast:
        st.html(f"<h3>The contrast</h3><p>{_CONTRAST}</p>")
        st.latex(r"-\log \frac{e^{\cos(a_i, b_i)/\tau}}{\sum_j e^{\cos(a_i, b_j)/\tau}}")
    with limit:
        st.html(f"<h3>The limit</h3><p>{_LIMIT}</p>")
