import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.augmentations.text._tags import TAGS, tagged
from workbench.augmentations.text._words import tokens

CODES = dict(zip("NVXARDPICUMTO", TAGS, strict=True))
# Sentences and a letter for each word, labelled manually: Noun Verb auXiliary Adjective adveRb Determiner Pronoun adposItion
# Conjunction nUmber naMe parTicle Other.
LABELLED = """
The old dog sleeps near the warm stove. | DANVIDAN
She quickly opened the red box. | PRVDAN
Two children are playing in the park. | UNXVIDN
He does not like cold coffee. | PXTVAN
We have bought a new house. | PXVDAN
They have three cats and a parrot. | PVUNCDN
Maria plays the piano every evening. | MVDNDN
I want to sleep. | PVTV
The train to London leaves at noon. | DNIMVIN
Can you open the window? | XPVDN
A man is cutting a large onion. | DNXVDAN
This book is very interesting. | DNXRA
The results were bad because the data was old. | DNXACDNXA
My brother works in a bank. | DNVIDN
Dogs run on the beach. | NVIDN
Nobody believed the strange story. | PVDAN
You should drink more water. | PXVDN
The quick brown fox jumps over the lazy dog. | DAANVIDAN
If it rains, we will stay at home. | CPVPXVIN
It was a beautiful day. | PXDAN
The price of oil rose sharply. | DNINVR
Her answer surprised everyone. | DNVP
Where did you find this old map? | CXPVDAN
Prices fell again in April. | NVRIM
He looked at the small picture. | PVIDAN
A woman walks her dog. | DNVDN
The minister said that taxes would rise. | DNVCNXV
There are five books on the table. | PXUNIDN
The new law helps poor families. | DANVAN
I can't find my keys. | PXVDN
The food tastes good. | DNVA
They danced slowly and happily. | PVRCR
Many people think that he is right. | DNVCPXA
The girl who lives here sings well. | DNPVRVR
Cut the bread with a sharp knife. | VDNIDAN
The team won its last game. | DNVDAN
Big cities attract young workers. | ANVAN
The light was too bright. | DNXRA
We walk to school. | PVIN
An empty bottle stands under the chair. | DANVIDN
The company will open an office in Paris. | DNXVDNIM
"""


def test_most_words_of_labelled_sentences_are_tagged_correctly():
    right = total = 0
    for line in LABELLED.strip().splitlines():
        text, codes = (part.strip() for part in line.split("|"))
        found = [tag for _, tag, _ in tagged(text)]
        assert len(found) == len(codes), text
        right += sum(tag == CODES[code] for tag, code in zip(found, codes, strict=True))
        total += len(codes)
    assert total > 240
    assert right / total >= 0.95


@given(text=st.one_of(st.text(max_size=60), st.text("aA to have that's \ue000 good runs-", max_size=60)))
@settings(max_examples=300)
def test_every_word_gets_one_tag_with_its_index(text):
    parts = tokens(text)
    found = tagged(text)
    assert [place for _, _, place in found] == list(range(1, len(parts), 2))
    assert all(parts[place] == word and tag in TAGS for word, tag, place in found)


def test_capitals_mean_names_inside_a_sentence_and_nothing_in_a_headline():
    assert [tag for _, tag, _ in tagged("We met Mark in Rome.")] == ["PRON", "VERB", "PROPN", "ADP", "PROPN"]
    assert [tag for _, tag, _ in tagged("Old Dogs Learn New Tricks")] == ["ADJ", "NOUN", "VERB", "ADJ", "NOUN"]


def test_the_first_word_of_a_sentence_is_part_of_the_name_it_begins():
    assert [tag for _, tag, _ in tagged("South Korea won.")] == ["PROPN", "PROPN", "VERB"]
    assert [tag for _, tag, _ in tagged("It ended. United Airlines lost.")][2:] == ["PROPN", "PROPN", "VERB"]
    assert [tag for _, tag, _ in tagged("Former President Bush lost.")] == ["ADJ", "PROPN", "PROPN", "VERB"]
    assert tagged("Visit Paris today.")[0].tag == "VERB"


def test_locked_words_and_numbers():
    assert [tag for _, tag, _ in tagged("Buy \ue000's 3 cars")] == ["VERB", "OTHER", "NUM", "NOUN"]


def test_importing_reads_no_lexicon():
    code = "import sys, workbench.augmentations.text._tags\nprint('lemminflect' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("A black and white dog sleeps.", "DACANV"),
        ("The dog is black and white.", "DNXACA"),
        ("It is not hot or cold.", "PXTACA"),
        ("an old and young man", "DACAN"),
        ("Two small and large dogs", "UACAN"),
        ("Black and white dogs", "ACAN"),
        ("He wears black and white shoes.", "PVACAN"),
        ("A man and young woman", "DNCAN"),
        ("People are running and jumping.", "NXVCV"),
        ("It is food and drink.", "PXNCN"),
    ],
)
def test_two_adjectives_may_be_joined(text, codes):
    assert [tag for _, tag, _ in tagged(text)] == [CODES[code] for code in codes]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("The price rose from 5 to 6.", "DNVIUIU"),
        ("The price rose, and the sun rose.", "DNVCDNV"),
        ("A man left the house.", "DNVDN"),
        ("The river bank saw a flood.", "DNNVDN"),
        ("Google buys a startup", "MVDN"),
        ("A rose is red.", "DNXA"),
        ("The prairie rose is red.", "DNNXA"),
        ("He bought a chain saw.", "PVDNN"),
        ("Avoid calls from strangers.", "VNIN"),
    ],
)
def test_a_clause_has_a_verb_if_one_of_its_nouns_may_be_one(text, codes):
    assert [tag for _, tag, _ in tagged(text)] == [CODES[code] for code in codes]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("It is not easy.", "PXTA"),
        ("It's never hard for me.", "PRAIP"),
        ("He isn't often late, not late.", "PXRATR"),
        ("It was not long ago.", "PXTRR"),
        ("It is not right now.", "PXTRR"),
        ("He was not first elected.", "PXTRV"),
        ("He did not work hard.", "PXTVR"),
    ],
)
def test_adjectives_after_be_may_have_not_or_an_adverb_before_them(text, codes):
    assert [tag for _, tag, _ in tagged(text)] == [CODES[code] for code in codes]


def test_a_verb_joined_to_another_is_no_adjective():
    assert tagged("They open and close doors.")[1].tag == "VERB"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("She has cats and goes home.", "PVNCVR"),
        ("They run home businesses.", "PVAN"),
        ("It is her home.", "PXDN"),
    ],
)
def test_home_is_an_adverb_after_a_verb_of_motion(text, codes):
    assert [tag for _, tag, _ in tagged(text)] == [CODES[code] for code in codes]
