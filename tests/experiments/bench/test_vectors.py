import pytest

from experiments.bench import summaries, vectors


def test_uniformity_is_timed_sampled_and_over_all_pairs():
    *sampled, exact = vectors.uniformity("", repeats=2, count=20_500, dim=4)
    assert [row["what"] for row in (*sampled, exact)] == ["sampled", "sampled", "over all pairs"]
    assert sampled[0]["value"] == sampled[1]["value"] == pytest.approx(exact["value"], abs=0.01)
    first, second = summaries.summary("uniformity", [*sampled, exact])
    assert first.startswith("uniformity: sampled: seconds") and "n=2" in first and "standard error" in first
    assert second.endswith(f"; {exact['value']:.5f}")
