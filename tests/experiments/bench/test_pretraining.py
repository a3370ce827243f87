from experiments.bench import pretraining, summaries


def test_ids_are_counted_in_a_separate_process(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(f"Sentence {row} has a number in it." for row in range(3000)), encoding="utf-8")
    row = pretraining.tokenising(path)
    assert row["articles"] == 3000 and row["tokens"] >= 3000 * 8
    assert 0 < row["idle_bytes"] <= row["peak_bytes"] and 0 < row["seconds"] < 20
    (line,) = summaries.summary("pretrain", [row | {"corpus": "test"}])
    assert "3,000 articles (test)" in line


def test_speeds_are_compared_at_the_same_precision():
    rows = [
        {"what": what, "repeat": repeat, "tokens_per_second": pace * (1 + repeat)}
        for repeat in range(2)
        for what, pace in (("transformers, fp32", 100.0), ("fp32", 250.0))
    ]
    first, second = summaries.summary("pretrain", rows)
    assert "tokens a second 150 (100 to 200, n=2)" in first and "times" not in first
    assert "2.50 times transformers (2.50 to 2.50)" in second
