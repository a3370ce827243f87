"""`python -m experiments.lexicon FOLDER`: makes assets/wordnet/wordnet.txt.gz from a folder with WordNet's files.

The one that is shipped comes from Debian's package wordnet-base 1:3.0-37, which is WordNet 3.0:

    apt-get download wordnet-base && dpkg -x wordnet-base_*.deb debian
    python -m experiments.lexicon debian/usr/share/wordnet
"""

import argparse
import gzip
import hashlib
from pathlib import Path

from workbench.augmentations.wordnet import SHIPPED
from workbench.augmentations.wordnet_files import condensed, is_wordnet
from workbench.core.errors import BadSetting
from workbench.core.paths import shipped


def make(folder: Path, target: Path) -> str:
    """Writes the condensed files of `folder` to `target`, the same bytes each time; returns the SHA-256 of their text."""
    text = condensed(folder).encode("utf-8")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(text, 9, mtime=0))
    return hashlib.sha256(text).hexdigest()


def main(arguments: list[str] | None = None) -> int:
    """Make the lexicon that is shipped; a few seconds."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.lexicon", description="Make the lexicon that is shipped."
    )
    parser.add_argument("folder", type=Path, help="has WordNet's files data.noun, index.noun, noun.exc and so on")
    parser.add_argument("--out", type=Path, default=shipped(*SHIPPED), help="the file to write (%(default)s)")
    chosen = parser.parse_args(arguments)
    if not is_wordnet(chosen.folder):
        raise BadSetting(
            f"{chosen.folder} has no WordNet.",
            rule="A folder has data, index and exc of each part of speech.",
            way_out="Debian's wordnet-base has them in usr/share/wordnet.",
        )
    digest = make(chosen.folder, chosen.out)
    print(f"{chosen.out}: {chosen.out.stat().st_size / 1e6:.1f} MB, SHA-256 of its text {digest}")
    return 0


if __name__ == "__main__":
    from workbench.__main__ import exit_status

    raise SystemExit(exit_status(main))
