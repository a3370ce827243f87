"""A small corpus with words that follow each other by rule, so that masked tokens can be learnt."""

import random
from pathlib import Path

ORDER = ["the", "man", "plays", "the", "red", "guitar", "the", "woman", "runs", "on", "the", "blue", "ball"]


def corpus(folder: Path, articles: int = 40, name: str = "corpus.txt") -> Path:
    """A file of that many articles of three paragraphs."""
    rng = random.Random(0)
    lines = []
    for _ in range(articles):
        for _ in range(3):
            first = rng.randrange(len(ORDER))
            lines.append(" ".join(ORDER[(first + step) % len(ORDER)] for step in range(40)) + ".")
        lines.append("")
    path = folder / name
    path.write_text("\n".join(lines), encoding="utf-8")
    return path
