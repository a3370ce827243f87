"""WordNet, read with NLTK from wherever its files are: synonyms, antonyms, more general and more specific words."""

import io
import os
import re
import sys
import threading
import zipfile
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.errors import MissingResource

if TYPE_CHECKING:
    from nltk.corpus.reader.wordnet import Synset, WordNetCorpusReader

NOUN, VERB, ADJECTIVE, ADVERB = "n", "v", "a", "r"
_PARTS = (NOUN, VERB, ADJECTIVE, ADVERB)
_KEPT = 200_000
"""Words whose answers are cached, for each kind of question."""


class Lexicon:
    """WordNet's answers for single words, each sorted and without repeats; words of several parts contain spaces.

    Inflected forms are accepted (`dogs`, `ran`). Safe to share between threads.
    """

    def __init__(self, source: Path) -> None:
        """`source` is a folder with the files `data.noun`, `index.noun` and so on, or NLTK's zip file of it."""
        self._place, self._reader = source, _nltk_reader(source)
        self._lock = threading.RLock()
        remember: Callable[..., Any] = lru_cache(_KEPT)
        self._synonyms = remember(self._find_synonyms)
        self._plain = remember(self._find_plain)
        self._heads = remember(self._find_heads)
        self._antonym = remember(self._find_antonym)
        self._antonyms = remember(self._find_antonyms)
        self._above = remember(self._find_above)
        self._below = remember(self._find_below)
        self._base = remember(self._find_base)
        self._nouns = cache(self._find_nouns)

    def synonyms(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """All words of all meanings of `word`, without its own forms; of one part of speech if `pos` is given."""
        return self._synonyms(word.lower(), pos)

    def plain_synonyms(self, word: str) -> tuple[str, ...]:
        """`synonyms` reduced to letters from a to z and spaces, as EDA uses them."""
        return self._plain(word.lower())

    def heads(self, word: str, pos: str) -> tuple[str, ...]:
        """The first word of each meaning, by which WordNet names it, without the forms of `word`."""
        return self._heads(word.lower(), pos)

    def antonym(self, word: str, pos: str = ADJECTIVE) -> str:
        """The first antonym of the first word of the most frequent meaning; empty if that word has none."""
        return self._antonym(word.lower(), pos)

    def antonyms(self, word: str, pos: str) -> tuple[str, ...]:
        """The antonyms of `word` in its most frequent meaning; if it has none, those of its synonyms in that meaning."""
        return self._antonyms(word.lower(), pos)

    def hypernyms(self, word: str, senses: int = 1) -> tuple[str, ...]:
        """More general words for a noun: one step up from its `senses` most frequent meanings."""
        return self._above(word.lower(), senses)

    def hyponyms(self, word: str, senses: int = 1) -> tuple[str, ...]:
        """More specific words for a noun: one step down from its `senses` most frequent meanings."""
        return self._below(word.lower(), senses)

    def base(self, word: str, pos: str) -> str:
        """The form in which WordNet lists `word` (`dog` for `dogs`); empty if it does not."""
        return self._base(word.lower(), pos)

    def mainly_noun(self, word: str) -> bool:
        """Whether WordNet's counts have `word` as a noun and never as an adjective: `piano`."""
        return word.lower() in self._nouns()

    def _synsets(self, word: str, pos: str | None) -> "list[Synset]":
        name = word.replace(" ", "_")
        # A list, because NLTK reads a text as one part of speech per letter.
        synsets = self._reader.synsets(name, pos if pos is None else [pos])
        return list(dict.fromkeys(synset for synset in synsets if synset is not None))

    def _find_synonyms(self, word: str, pos: str | None) -> tuple[str, ...]:
        with self._lock:
            names = (name for synset in self._synsets(word, pos) for name in synset.lemma_names())
            return _sorted(names, word, *(self._find_base(word, part) for part in ((pos,) if pos else _PARTS)))

    def _find_plain(self, word: str) -> tuple[str, ...]:
        names = (name.lower().replace("-", " ") for name in self._find_synonyms(word, None))
        plain = {" ".join(re.sub("[^a-z ]", "", name).split()) for name in names}
        return tuple(sorted(plain - {word, ""}))

    def _find_heads(self, word: str, pos: str) -> tuple[str, ...]:
        with self._lock:
            names = (synset.lemma_names()[0] for synset in self._synsets(word, pos))
            return _sorted(names, word, self._find_base(word, pos))

    def _find_antonym(self, word: str, pos: str) -> str:
        with self._lock:
            for synset in self._synsets(word, pos)[:1]:
                for opposite in synset.lemmas()[0].antonyms()[:1]:
                    return str(opposite.name()).replace("_", " ")
            return ""

    def _find_antonyms(self, word: str, pos: str) -> tuple[str, ...]:
        with self._lock:
            lemmas = [lemma for synset in self._synsets(word, pos)[:1] for lemma in synset.lemmas()]
            base = self._find_base(word, pos)
            of_word = [lemma for lemma in lemmas if lemma.name().lower().replace("_", " ") in (word, base)]
            for group in (of_word, lemmas):
                if opposites := _sorted((opposite.name() for lemma in group for opposite in lemma.antonyms()), word):
                    return opposites
            return ()

    def _find_above(self, word: str, senses: int) -> tuple[str, ...]:
        with self._lock:
            meanings = self._synsets(word, NOUN)[:senses]
            names = (name for synset in meanings for above in synset.hypernyms() for name in above.lemma_names())
            return _sorted(names, word)

    def _find_below(self, word: str, senses: int) -> tuple[str, ...]:
        with self._lock:
            meanings = self._synsets(word, NOUN)[:senses]
            names = (name for synset in meanings for below in synset.hyponyms() for name in below.lemma_names())
            return _sorted(names, word)

    def _find_nouns(self) -> frozenset[str]:
        with self._lock:
            return _counted(self._place, "noun", True) & _counted(self._place, "adj", False)

    def _find_base(self, word: str, pos: str) -> str:
        with self._lock:
            return str(self._reader.morphy(word.replace(" ", "_"), pos) or "").replace("_", " ")


def missing() -> str:
    """Empty, or one line that says that WordNet is absent and how to get it. Only checks for files.

    >>> missing() in ("", _absence())
    True
    """
    return "" if _place() else _absence()


def reader() -> Lexicon:
    """The lexicon of this machine, read once (about two seconds).

    Raises:
        MissingResource: WordNet is not on this machine.
    """
    place = _place()
    if place is None:
        raise MissingResource("WordNet is not on this machine.", way_out=_absence())
    return _lexicon(place)


def lexicon(corpus: Sequence[str]) -> Lexicon:
    """`reader` as the `prepare` of methods: the same for every corpus.

    Raises:
        MissingResource: WordNet is not on this machine.
    """
    return reader()


def fetch(folder: str | Path | None = None) -> None:
    """Download WordNet (11 MB) with NLTK into `folder`, by default the first folder that `reader` tries.

    Raises:
        MissingResource: the download failed.
    """
    import nltk

    target, messages = Path(folder) if folder else _own_folder(), io.StringIO()
    try:
        target.mkdir(parents=True, exist_ok=True)
        if str(target) not in nltk.data.path:
            nltk.data.path.append(str(target))  # NLTK only writes to folders of its path
        done = nltk.download("wordnet", download_dir=str(target), quiet=True, print_error_to=messages)
    except (OSError, ValueError) as error:
        raise MissingResource("WordNet could not be fetched.", reason=str(error), way_out=_absence()) from None
    if not done:
        reason = " ".join(messages.getvalue().replace("[nltk_data]", " ").split())
        raise MissingResource("WordNet could not be fetched.", reason=reason, way_out=_absence())


def _absence() -> str:
    return (
        "Needs WordNet: fetch it with NLTK (`python -m nltk.downloader wordnet`), install Debian's wordnet-base, "
        "or name its folder in WORKBENCH_WORDNET."
    )


def _own_folder() -> Path:
    """NLTK's folder inside the runs folder."""
    return Path(os.environ.get("WORKBENCH_RUNS") or "runs").expanduser().resolve() / ".cache" / "nltk"


def _place() -> Path | None:
    """The folder or zip file that WordNet is read from: the one named in the environment, or the first found."""
    if named := os.environ.get("WORKBENCH_WORDNET"):
        return _at(Path(named).expanduser())
    folders = [_own_folder(), *map(Path, filter(None, os.environ.get("NLTK_DATA", "").split(os.pathsep)))]
    # The folders of `nltk.data.path`, without the 1.5 seconds of importing NLTK.
    folders += [Path.home() / "nltk_data", *(Path(sys.prefix) / part / "nltk_data" for part in ("", "share", "lib"))]
    folders += [Path(root) / "nltk_data" for root in ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib")]
    folders += [Path(root) / "nltk_data" for root in (os.environ.get("APPDATA"), "C:\\") if root and os.name == "nt"]
    for folder in folders:
        if found := _at(folder / "corpora" / "wordnet") or _at(folder / "corpora" / "wordnet.zip"):
            return found
    return _at(Path("/usr/share/wordnet"))


def _at(path: Path) -> Path | None:
    if path.suffix == ".zip":
        return path if path.is_file() else None
    return path if (path / "index.noun").is_file() and (path / "data.noun").is_file() else None


@cache
def _lexicon(source: Path) -> Lexicon:
    return Lexicon(source)


def _sorted(names: Iterable[str], *words: str) -> tuple[str, ...]:
    """Names as words, without `words`."""
    spaced = {name.replace("_", " ") for name in names}
    return tuple(sorted(name for name in spaced if name.lower() not in words))


def _counted(source: Path, part: str, seen: bool) -> frozenset[str]:
    """The words of an index file that have (or, if not `seen`, have no) meaning with a count in WordNet's texts."""
    words = set()
    for line in _bytes(source, f"index.{part}").decode().splitlines():
        if line[:1] != " ":  # the licence
            fields = line.split()
            if (
                int(fields[5 + int(fields[3])]) > 0
            ) == seen:  # after the pointers: the numbers of meanings and of counted ones
                words.add(fields[0].replace("_", " "))
    return frozenset(words)


def _nltk_reader(source: Path) -> "WordNetCorpusReader":
    import warnings

    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    folder = str(source if source.is_dir() else source.parent)
    if folder not in nltk.data.path:
        nltk.data.path.append(folder)  # NLTK only reads from folders of its path

    # 45 subject files; nothing here uses their names, and Debian's package has no list of them.
    subjects = "".join(f"{number:02d}\tsubject.{number:02d}\t1\n" for number in range(45)).encode()

    class Files(WordNetCorpusReader):  # type: ignore[misc]
        """NLTK's reader over bytes in memory: no files stay open, and a folder and a zip file are read alike."""

        def open(self, file: str) -> io.TextIOWrapper:
            try:
                data = _bytes(source, file)
            except (FileNotFoundError, KeyError):
                data = subjects if file == "lexnames" else b""
            return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")

        def map_wn(self, version: str = "wordnet") -> None:
            """Other languages are not read, so no map to this version's meanings is needed."""

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns that other languages are not available
        return Files(folder, None)


def _bytes(source: Path, file: str) -> bytes:
    if source.is_dir():
        return (source / file).read_bytes()
    with zipfile.ZipFile(source) as archive:
        return archive.read(f"wordnet/{file}")
