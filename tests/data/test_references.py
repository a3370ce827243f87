"""References to pair sets."""

from workbench.data.references import same_pairs


def test_files_of_one_name_are_the_same_pairs_only_where_they_are_one_file(tmp_path):
    one, other = tmp_path / "a" / "own.tsv", tmp_path / "b" / "own.tsv"
    for file in (one, other):
        file.parent.mkdir()
        file.write_text("score\tsentence1\tsentence2\n1\ta b\tc d\n")
    assert same_pairs(str(one), f"{one}#test") and same_pairs(str(one), str(tmp_path / "a" / ".." / "a" / "own.tsv"))
    assert not same_pairs(str(one), str(other)) and not same_pairs(str(one), f"{one}#dev")
    other.unlink()
    assert same_pairs(str(one), str(other)), "of an imported run, whose file is elsewhere"
    assert same_pairs("stsb:dev@/home/a/sts", "stsb:dev@/home/b/sts") and same_pairs("demo:dev", "demo:dev")
