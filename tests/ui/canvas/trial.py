"""Scenes of made-up sentences and pairs."""

import numpy as np

from workbench.ui.canvas import Category, Ends, EndText, Histogram, Number, Rows, Scatter, Scene, Table, Text

GENRES = ("caption", "headline")


def scene(pairs=40, *, seed=0, panels=None, texts=True):
    """So many pairs of twice as many sentences, each in one pair; in its columns, x and y of sentences and gold of pairs."""
    rng = np.random.default_rng(seed)
    n = 2 * pairs
    words = [f"Sentence {row} is {'wet' if row % 4 == 0 else 'dry'} <b>{row}</b>" for row in range(n)]
    genres = [GENRES[row % 2] for row in range(n)]
    ends = np.arange(n).reshape(pairs, 2)
    sentences = Rows(
        "sentences",
        "sentence",
        "sentences",
        (
            Number("x", "x", rng.uniform(-1, 1, n)),
            Number("y", "y", rng.uniform(-1, 1, n)),
            Category("genre", "Genre", genres),
            *([Text("text", "Sentence", words)] if texts else []),
        ),
        ("text",) if texts else ("genre",),
    )
    paired = Rows(
        "pairs",
        "pair",
        "pairs",
        (
            Number("gold", "Gold", np.linspace(0, 5, pairs)),
            Number("cosine", "Cosine", rng.uniform(0, 1, pairs)),
            Number("residual", "Residual", rng.uniform(-1, 1, pairs), diverging=True),
            Category("genre", "Genre", genres[::2]),
        ),
        ("gold", "first", "second") if texts else ("gold",),
    )
    shown = panels or (
        Scatter("sentences", "x", "y", "Plane", equal=True),
        Scatter("pairs", "gold", "cosine", "Agreement", x_label="Gold score", y_label="Cosine"),
        Histogram("pairs", "gold", "Golds", x_label="Gold score", bins=10),
        Histogram("pairs", "residual", "Residuals"),
        Table("pairs", ("gold", "first", "second"), "Pairs", sort="gold", down=False),
    )
    borrowed = (EndText("first", "First", 0, "text"), EndText("second", "Second", 1, "text")) if texts else ()
    return Scene(
        f"made up {pairs} {seed}",
        (paired, sentences),
        shown,
        Ends("pairs", "sentences", ends, borrowed),
        (("genre", "genre"), ("gold", "gold score")),
        ("sentences", "text") if texts else None,
    )


def column(made, rows, name):
    """The values of a column of a scene."""
    kind = next(kind for kind in made.rows if kind.name == rows)
    return next(column for column in kind.columns if column.name == name).values
