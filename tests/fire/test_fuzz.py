from tests.fire.fuzz import fuzz


def test_bad_input_ends_in_messages():
    counts, failures = fuzz(500, seed=0)
    assert not failures, "\n".join(map(str, failures))
    assert counts.total() >= 495 and min(counts.values()) > 0
