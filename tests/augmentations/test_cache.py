import json
import multiprocessing
import os
import sys
import time
from types import ModuleType

import pytest
from filelock import FileLock

from tests.augmentations import standins
from tests.augmentations.trial import ODD, TEXTS
from workbench.augmentations import cache
from workbench.augmentations.models import METHODS
from workbench.core.errors import BadMethod, BadSetting
from workbench.core.method import Method
from workbench.core.seeds import text_rng
from workbench.models.encoder import Cancelled


class TestCache:
    @pytest.fixture
    def counted(self, prepared):
        """A resource that counts the texts it is called with."""

        class Counting:
            asked = 0

            def __contains__(self, word):
                return word in prepared("embedding_word")

            def neighbours(self, words, top):
                Counting.asked += 1
                return prepared("embedding_word").neighbours(words, top)

        return Counting()

    def run(self, texts, folder, resource, **options):
        return cache.augmented("embedding_word", texts, seed=1, resource=resource, folder=folder, **options)

    def test_cached_texts_need_no_model_in_any_order(self, tmp_path, counted):
        texts = [*TEXTS, *ODD]
        first = self.run(texts, tmp_path, counted)
        asked = counted.asked
        notes = []
        mixed = [*texts[::-1], *texts[:3]]
        again = self.run(mixed, tmp_path, lambda: pytest.fail("loaded"), on_progress=lambda *n: notes.append(n))
        assert asked and counted.asked == asked and notes[-1][0] == 1.0
        assert again == [*first[::-1], *first[:3]] and [path.name for path in tmp_path.iterdir()].__len__() == 1

    def test_results_are_those_without_a_cache(self, tmp_path, call, counted):
        found = self.run(TEXTS, tmp_path, counted, batch=2)
        assert found == call("embedding_word", TEXTS, seed=1)
        assert self.run([], tmp_path, lambda: pytest.fail("loaded")) == []

    def test_everything_results_depend_on_is_in_the_key(self, tmp_path, prepared, weights):
        vectors = prepared("embedding_word")
        vary = [{}, {"draw": 1}, {"settings": {"rate": 0.5}}, {"settings": weights["embedding_word"]}]
        for options in vary:
            self.run(TEXTS, tmp_path, vectors, **options)
        self.run(TEXTS[1:], tmp_path, vectors)
        cache.augmented("embedding_word", TEXTS, seed=2, resource=vectors, folder=tmp_path)
        assert len(list(tmp_path.iterdir())) == len(vary) + 2
        self.run(TEXTS, tmp_path, vectors, settings={"rate": 0.3})  # the default, said
        assert len(list(tmp_path.iterdir())) == len(vary) + 2
        with pytest.raises(BadSetting, match="rate"):
            self.run(TEXTS, tmp_path, vectors, settings={"rate": 7.0})

    def test_a_retrained_model_invalidates_the_cache(self, tmp_path, counted, weights):
        vectors = tmp_path / "vectors.txt"
        settings = {"vectors": str(vectors)}
        for content, folders in (("x 1", 1), ("x 1", 1), ("xy 1", 2)):
            if not vectors.exists() or vectors.read_text("utf-8") != content:
                vectors.write_text(content, "utf-8")
            asked = counted.asked
            self.run(TEXTS, tmp_path / "kept", counted, settings=settings)
            assert len(list((tmp_path / "kept").iterdir())) == folders
        assert counted.asked > asked

    def test_a_rewritten_method_invalidates_the_cache(self, tmp_path, counted, monkeypatch):
        found = self.run(TEXTS, tmp_path, counted)
        monkeypatch.setattr(cache, "code", lambda module: f"another {module}")
        asked = counted.asked
        assert self.run(TEXTS, tmp_path, counted) == found and counted.asked > asked
        assert len(list(tmp_path.iterdir())) == 2

    def test_another_stream_is_another_draw_with_its_own_entries(self, tmp_path, prepared, call):
        vectors = prepared("embedding_word")
        first = self.run(TEXTS, tmp_path, vectors)
        second = self.run(TEXTS, tmp_path, vectors, stream="embedding_word.2")
        as_another = self.run(TEXTS, tmp_path, vectors, written=TEXTS[::-1])
        rngs = [text_rng(1, "embedding_word.2", 0, text) for text in TEXTS]
        assert second == METHODS["embedding_word"].fn(vectors, TEXTS, rngs=rngs) != first
        rngs = [text_rng(1, "embedding_word", 0, text) for text in TEXTS[::-1]]
        assert as_another == METHODS["embedding_word"].fn(vectors, TEXTS, rngs=rngs) != first
        assert len(list(tmp_path.iterdir())) == 3
        assert self.run(TEXTS, tmp_path, lambda: pytest.fail("loaded"), written=TEXTS) == first

    def test_a_cancelled_computation_resumes_where_it_stopped(self, tmp_path, counted):
        texts = [f"the dog eats ball {word}" for word in standins.WORDS]
        notes = []

        def progress(share, note):
            notes.append((share, note))

        with pytest.raises(Cancelled):
            self.run(texts, tmp_path, counted, batch=4, on_progress=progress, cancelled=lambda: counted.asked == 3)
        assert "of 23 texts" in notes[-1][1] and "a second" in notes[-1][1] and 0.5 < notes[-1][0] < 0.6
        place = next(tmp_path.iterdir())
        entries = place / "entries.jsonl"
        assert not (place / "whole.json").exists()
        # A crash: half a line at the end, and a damaged one in the middle.
        lines = entries.read_bytes().splitlines(keepends=True)
        entries.write_bytes(b"".join([lines[0], b'["x"\n', *lines[1:], b'[3, "half a l']))
        found = self.run(texts, tmp_path, counted, batch=4)
        assert counted.asked == 6  # 12 of 23 texts were there
        assert found == self.run(texts, tmp_path / "fresh", counted)
        rows = [json.loads(line) for line in entries.read_bytes().splitlines()]
        assert sorted(row for row, _ in rows) == list(range(len(texts)))

    def test_a_killed_process_loses_one_batch_at_most(self, tmp_path, weights, monkeypatch):
        # A test of a page leaves app.py as the main module, and the process would start the app's compute process.
        monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
        texts = [f"the dog eats ball {word}" for word in standins.WORDS]
        process = multiprocessing.get_context("spawn").Process(
            target=_killed, args=(texts, tmp_path, weights["embedding_word"])
        )
        process.start()
        process.join(60)
        assert process.exitcode == 9
        place = next(tmp_path.iterdir())
        assert len((place / "entries.jsonl").read_bytes().splitlines()) == 8
        resource = METHODS["embedding_word"].prepare([], **weights["embedding_word"])
        asked = []
        found = self.run(
            texts, tmp_path, lambda: asked.append(1) or resource, batch=4, settings=weights["embedding_word"]
        )
        assert asked == [1] and found == self.run(
            texts, tmp_path / "fresh", resource, settings=weights["embedding_word"]
        )

    def test_a_damaged_cache_marked_as_complete_is_recomputed(self, tmp_path, counted):
        found = self.run(TEXTS, tmp_path, counted)
        entries = next(tmp_path.iterdir()) / "entries.jsonl"
        content = entries.read_bytes()
        for damage in (content[:-9], content.replace(b"[1,", b"[x,"), b""):
            entries.write_bytes(damage)
            assert self.run(TEXTS, tmp_path, counted) == found

    def test_a_second_process_waits_and_can_be_cancelled(self, tmp_path, counted, monkeypatch):
        monkeypatch.setattr(cache, "_WAIT", 0.02)
        self.run(TEXTS, tmp_path, counted)
        place = next(tmp_path.iterdir())
        (place / "whole.json").unlink()
        notes = []
        with FileLock(place / "lock"), pytest.raises(Cancelled):
            self.run(TEXTS, tmp_path, counted, on_progress=lambda *n: notes.append(n), cancelled=lambda: len(notes) > 2)
        assert "another process" in notes[0][1] and notes[0][0] == 1.0

    def test_an_empty_result_becomes_the_text(self, tmp_path, monkeypatch):
        def embedding_word(resource, texts, *, rngs):
            """Do nothing."""
            return ["" for _ in texts]

        monkeypatch.setitem(cache.METHODS, "embedding_word", Method(embedding_word, title="", source=""))
        assert self.run([" a  b"], tmp_path, None) == ["a b"]

    def test_one_that_gives_too_few_texts_is_named(self, tmp_path, monkeypatch):
        def embedding_word(resource, texts, *, rngs):
            """Lose one."""
            return texts[:-1]

        monkeypatch.setitem(cache.METHODS, "embedding_word", Method(embedding_word, title="", source=""))
        with pytest.raises(BadMethod, match=r"did not return a text for each text.*test_cache.*Got: 0 texts"):
            self.run(["a"], tmp_path, None)


def _killed(texts, folder, settings):
    resource = METHODS["embedding_word"].prepare([], **settings)
    start = time.monotonic()

    def progress(share, note):
        if note.startswith("8 of") or time.monotonic() - start > 30:
            os._exit(9)

    cache.augmented(
        "embedding_word",
        texts,
        seed=1,
        settings=settings,
        resource=resource,
        folder=folder,
        batch=4,
        on_progress=progress,
    )
