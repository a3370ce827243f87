import gc
import weakref

import pytest

from workbench.augmentations.catalogue import find_augmentation
from workbench.augmentations.draw import Drawer
from workbench.augmentations.resources import Resources
from workbench.augmentations.stored_lines import stored_lines
from workbench.core.errors import BadMethod
from workbench.core.method import Method

METHOD = find_augmentation("embedding_word")


def vectors(path, *pairs):
    """Word vectors in which the two words of each pair are neighbours."""
    rows = [f"{word} {place} {1 + place * place}" for place, pair in enumerate(pairs, 1) for word in pair]
    path.write_text("\n".join(rows), "utf-8")


def test_changed_files_are_read_again_and_old_resources_released(tmp_path):
    path = tmp_path / "v.txt"
    vectors(path, ("dog", "cat"))
    resources, settings = Resources(), METHOD.check({"vectors": str(path)})
    (first,) = resources.of(METHOD, settings)
    assert resources.of(METHOD, settings)[0] is first
    old = weakref.ref(first)
    vectors(path, ("dog", "wolf"), ("sun", "moon"))
    (second,) = resources.of(METHOD, settings)
    assert second is not first and "wolf" in second and "cat" not in second
    del first
    gc.collect()
    assert old() is None


def test_stored_lines_depend_on_the_files_that_made_them(tmp_path):
    path, resources = tmp_path / "v.txt", Resources()
    line = f'embedding_word(vectors="{path}", rate=1.0, top=1)'
    kept = stored_lines(tmp_path / "kept", resources, seed=0)
    found = []
    for other in ("cat", "wolf", "wolf"):
        if not found or found[-1] != f"a {other}":
            vectors(path, ("dog", other), ("sun", "moon"))
        plain = Drawer(line, seed=0, resources=resources)("a dog").text
        found.append(Drawer(line, seed=0, resources=resources, lines=kept)("a dog").text)
        assert found[-1] == plain
    assert found == ["a cat", "a wolf", "a wolf"]
    assert len(list((tmp_path / "kept").iterdir())) == 2


def test_a_preparation_that_fails_is_named():
    def prepare(corpus):
        return corpus[1000]

    broken = Method(embedded, title="", source="", prepare=prepare)
    with pytest.raises(BadMethod, match=rf"The augmentation embedded failed: IndexError in {__name__}, line \d+"):
        Resources(["a"]).of(broken, {})


def embedded(resource, texts, *, rngs):
    """The same texts."""
    return texts
