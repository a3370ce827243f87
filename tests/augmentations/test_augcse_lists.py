"""AugCSE's augmentations that use word lists."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._lists import any_of, rewritten, whole_words
from workbench.augmentations.text._verbs import form, plural, readings
from workbench.augmentations.text.augcse_city_names_transformation import augcse_city_names_transformation
from workbench.augmentations.text.augcse_color_transformation import _names, augcse_color_transformation
from workbench.augmentations.text.augcse_contraction_expansions import _entries, augcse_contraction_expansions
from workbench.augmentations.text.augcse_discourse_marker_substitution import augcse_discourse_marker_substitution
from workbench.augmentations.text.augcse_gender_swap import _first_names, augcse_gender_swap
from workbench.augmentations.text.augcse_geo_names_transformation import augcse_geo_names_transformation
from workbench.augmentations.text.augcse_numeric_to_word import augcse_numeric_to_word
from workbench.augmentations.text.augcse_sentence_auxiliary_negation_removal import (
    augcse_sentence_auxiliary_negation_removal as negation_removal,
)

ADDRESSES = "http://red.com/king www.red.com, king@Paris.fr (London.co.uk/red) red@12.com/he's not.is"
METHODS = [
    augcse_city_names_transformation,
    augcse_color_transformation,
    augcse_contraction_expansions,
    augcse_discourse_marker_substitution,
    augcse_gender_swap,
    augcse_geo_names_transformation,
    augcse_numeric_to_word,
    negation_removal,
]
SEEDS = st.integers(0, 10_000)
LINES = st.text(st.characters(codec="utf-8"), max_size=60)
# Texts with many listed words, and locks among them.
WORDS = st.sampled_from(
    """
    Red red an orange Paris Lima France he's her his can't cannot don't I am not However, , but so because Mary Mr
    12 5% 1990s $3.50 does not sing Sir \ue000 \ue001, \ue002's . ? the ’tis it is We're
    """.split()  # noqa: SIM905
)
RICH = st.lists(WORDS, max_size=14).map(" ".join)


def drawn(method, text, seed=0, **settings):
    return method(text, **settings, rng=Random(seed))


@pytest.mark.parametrize("method", METHODS)
def test_addresses_stay(method):
    assert {drawn(method, ADDRESSES, seed) for seed in range(10)} == {ADDRESSES}


@pytest.mark.parametrize("method", METHODS)
@given(text=st.one_of(LINES, RICH), seed=SEEDS)
@settings(max_examples=80)
def test_the_same_seed_gives_the_same_text_and_locks_survive(method, text, seed):
    result = drawn(method, text, seed)
    assert result == drawn(method, text, seed) == normalised(result)
    assert bool(result) == bool(normalised(text))
    for lock in "\ue000\ue001\ue002":
        assert result.count(lock) == text.count(lock)
    for unit in text.split():
        if "\ue000" <= unit[0] <= "\ue002":
            assert unit in result.split()


@pytest.mark.parametrize("method", METHODS)
@given(text=RICH, seed=SEEDS)
@settings(max_examples=80)
def test_an_initial_capital_is_kept(method, text, seed):
    if text[:1].isupper():
        assert drawn(method, text, seed)[:1].isupper()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "text", ["", " \n", "x", "Nothing to see here.", "今天天气很好", "שלום עולם", "👩‍👩‍👧 🎉", "\x00 \ud800 x"]
)
def test_a_text_without_a_listed_word_stays_unchanged(method, text):
    assert drawn(method, text) == normalised(text)


def test_patterns_match_whole_words_longest_first():
    assert any_of(["as", "as well", "don't"]) == "as well|don['’]t|as"
    pattern = whole_words(["red", "red wine"])
    assert pattern.findall("hundred Red wine, red-eyed, red. 'red' infra-red red's") == ["Red wine", "red", "red"]
    assert rewritten(pattern, "red \ue000red red,\ue001 red", lambda match: "blue") == "blue \ue000red red,\ue001 blue"


def test_verb_tables():
    assert readings("went") == (("go", "VBD"),)
    assert ("call", "VBN") in readings("called") and readings("xyzzy") == ()
    assert [form("sing", tag) for tag in ("VB", "VBZ", "VBD", "VBN", "VBG")] == [
        "sing",
        "sings",
        "sang",
        "sung",
        "singing",
    ]
    assert form("call", "VBN") == "called" and form("be", "VBP") == "are"
    assert plural("dogs") and plural("men") and not plural("glass") and not plural("bus")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("He doesn't sing and can't dance.", "He sings and can dance."),
        ("Don't go!", "Go!"),
        ("She did not really like it.", "She really liked it."),
        ("Why don't you stay?", "Why do you stay?"),
        ("It isn't late, is it?", "It is late, is it?"),
        ("I won't, you shan't.", "I will, you shall."),
        ("They could not come.", "They could come."),
        ("DO NOT ENTER", "ENTER"),
        ("I don't.", "I do."),
        ("Not a word, not one.", "Not a word, not one."),
        ("He is not only tall but kind.", "He is not only tall but kind."),
        ("A knot, a note.", "A knot, a note."),
        ("He cannot \ue000.", "He can \ue000."),
        ("He isn’t here.", "He is here."),
        ("I do n't know.", "I know."),
        ("Do n't you know?", "Do you know?"),
        ("It is n't so and he ca n't.", "It is so and he can."),
        ("I do n't.", "I do."),
        ("It's not me.", "It's me."),
        ("I'm not sure.", "I'm sure."),
        ("You’re not listening.", "You’re listening."),
        ("They've not seen it.", "They've seen it."),
        ("I'll not go.", "I'll go."),
        ("He'd not say that's not true!", "He'd say that's true!"),
        ("THAT'S NOT TRUE", "THAT'S TRUE"),
        ("Let's not go.", "Let's go."),
        ("John's not hungry.", "John's hungry."),
        ("It's not unusual.", "It's unusual."),
        ("No, I'm not. He’s not, WE'RE NOT!", "No, I am. He is, WE ARE!"),
        ('"You\'ve not," he said.', '"You have," he said.'),
        ("I'm not \ue000.", "I'm \ue000."),
        ("It's not only me, it's not just you.", "It's not only me, it's not just you."),
        ("the dog's not-for-profit", "the dog's not-for-profit"),
        ("The firm's not unreasonable demand", "The firm's not unreasonable demand"),
    ],
)
def test_negations(text, result):
    assert drawn(negation_removal, text) == result


UNAMBIGUOUS = [
    ("I can't go.", "I cannot go."),
    ("They don't know.", "They do not know."),
    ("We're late.", "We are late."),
    ("It isn't here.", "It is not here."),
    ("I won't.", "I will not."),
    ("She'll come soon.", "She will come soon."),
    ("You've been there.", "You have been there."),
    ("I'm not sure.", "I am not sure."),
    ("Don't you like it?", "Do you not like it?"),
    ("HE'S LATE", "HE IS LATE"),
    ("That's right.", "That is right."),
    ("You weren't asked.", "You were not asked."),
]


@pytest.mark.parametrize(("short", "full"), UNAMBIGUOUS)
def test_contractions_round_trip(short, full):
    assert drawn(augcse_contraction_expansions, short) == full
    assert drawn(augcse_contraction_expansions, full) == short
    assert drawn(augcse_contraction_expansions, short, direction="contract") == short
    assert drawn(augcse_contraction_expansions, full, direction="expand") == full


# Entries of the package that are made from their full forms again if the clause continues after them.
BOTH_WAYS = re.compile(
    r"i'm|(you|we|they)'re|(i|you|we|they)'ve|(i|you|he|she|it|we|they|that|there)'ll"
    r"|(are|ca|could|did|do|does|had|has|have|is|must|should|was|were|wo|would)n't"
)


@pytest.mark.parametrize("short", sorted(short for short in _entries() if not short.endswith(("'s", "'d"))))
def test_all_unambiguous_entries_of_the_package_round_trip(short):
    contracted, full = (re.sub(r"\bi\b", "I", f"so {words} come") for words in (short, _entries()[short]))
    assert drawn(augcse_contraction_expansions, contracted, direction="expand") == full
    if BOTH_WAYS.fullmatch(short):
        assert drawn(augcse_contraction_expansions, full, direction="contract") == contracted


def test_there_are_many_unambiguous_entries():
    assert len(_entries()) > 120 and sum(BOTH_WAYS.fullmatch(short) is not None for short in _entries()) == 33


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Someone's car is red.", "Someone's car is red."),
        ("Everyone's old car", "Everyone's old car"),
        ("It is someone's.", "It is someone's."),
        ("Someone's late.", "Someone is late."),
        ("Somebody's eaten it.", "Somebody has eaten it."),
        ("Someone's eating.", "Someone is eating."),
        ("Someone's a liar.", "Someone is a liar."),
        ("'Tis true, ’tis.", "It is true, it is."),
        ("Y'all'd go.", "Y'all'd go."),
        ("He's been away.", "He has been away."),
        ("He's taken the bus.", "He has taken the bus."),
        ("It's called a saw.", "It is called a saw."),
        ("He'd better go.", "He had better go."),
        ("She'd gone.", "She had gone."),
        ("I'd like that.", "I would like that."),
        ("Where'd he go?", "Where did he go?"),
        ("It ain't so, I ain't, they ain't.", "It is not so, I am not, they are not."),
        ("You ain't seen nothing, he ain't seen it.", "You have not seen nothing, he has not seen it."),
        ("I ain't never been there.", "I have not never been there."),
        ("Y'all ain't coming.", "You all are not coming."),
        ("The dogs ain't here, the bus ain't.", "The dogs are not here, the bus is not."),
        ("THEY AIN’T GOT IT", "THEY HAVE NOT GOT IT"),
        ("It ain't broken, he ain't a fool.", "It is not broken, he is not a fool."),
        ("It ain't called a saw.", "It is not called a saw."),
        ("James ain't here, news ain't good.", "James is not here, news is not good."),
        ("Let's go.", "Let us go."),
        ("The dog's tail.", "The dog's tail."),
        ("We aren’t.", "We are not."),
        ("You shouldn't've.", "You should not have."),
        ("He's worked here for years.", "He has worked here for years."),
        ("It's rained all day.", "It has rained all day."),
        ("He's always wanted to go.", "He has always wanted to go."),
        ("He's wanted in Paris.", "He is wanted in Paris."),
        ("It's spoken in France.", "It is spoken in France."),
        ("What's he got?", "What has he got?"),
        ("What's he like?", "What is he like?"),
        ("Ain't it nice?", "Ain't it nice?"),
        ("I'M HERE.", "I AM HERE."),
        ("Yes, I'M here.", "Yes, I am here."),
    ],
)
def test_ambiguous_contractions(text, result):
    assert drawn(augcse_contraction_expansions, text, direction="expand") == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("He wasn't there.", "He was not there."),
        ("The man wasn't there.", "The man was not there."),
        ("Who wasn't there?", "Who was not there?"),
        ("It isn't you.", "It is not you."),
        ("She hasn't it.", "She has not it."),
        ("If I can't you should.", "If I cannot you should."),
        ("People who don't you can't help.", "People who do not you cannot help."),
        ("It Wasn't You, It Wasn't Me", "It Was not You, It Was not Me"),
        ("Didn't You Know It", "Did You not Know It"),
        ("CAN'T YOU GO", "CAN YOU NOT GO"),
        ("But isn't there a way?", "But is there not a way?"),
        ('He asked, "Isn\'t it late?"', 'He asked, "Is it not late?"'),
        ("I wonder why don't you stay.", "I wonder why do you not stay."),
        ("What don't you like?", "What do you not like?"),
        ("It's nice, isn't it?", "It is nice, is it not?"),
        ("They are near it aren't they.", "They are near it are they not."),
        ("You like music don't you", "You like music do you not"),
    ],
)
def test_only_the_subject_of_a_question_moves_before_not(text, result):
    assert drawn(augcse_contraction_expansions, text, direction="expand") == result


def test_capitals_stay_where_two_words_become_one():
    assert drawn(augcse_contraction_expansions, "Did You not know? It Is Late.") == "Didn't You know? It's Late."


@pytest.mark.parametrize("text", ["Yes, it is.", "I know what it is to wait.", "I have a car.", "It's"])
def test_stressed_forms_are_not_contracted(text):
    assert drawn(augcse_contraction_expansions, text, direction="contract") == text


@given(seed=SEEDS)
@settings(max_examples=60)
def test_colours_change_to_others_with_their_article(seed):
    result = drawn(augcse_color_transformation, "A red car, an indigo hat and a red van.", seed)
    words = result.removeprefix("A").removeprefix("n").removesuffix(" van.").strip()
    first, rest = words.split(" car, ")
    second, third = rest.split(" hat and ")
    article, second = second.split(" ", 1)
    assert third.split(" ", 1)[1] == first != "red" and second not in ("indigo", first)
    for name, before in ((first, result.split(" ")[0].lower()), (second, article), (first, third.split(" ")[0])):
        assert name in _names() and before == ("an" if name[0] in "aeiou" else "a")


@pytest.mark.parametrize(
    "text",
    [
        "A hundred tired men.",
        "The Red Sea.",
        "I ate an orange.",
        "They sailed to the White House.",
        "It snowed on gold.",
        "Mr Brown",
        "Dr. Green met Mr. Black.",
        "MR. BROWN AND DR WHITE",
        "It was J. R. Green.",
        "a Green party member",
    ],
)
def test_words_that_are_not_colours_stay(text):
    assert drawn(augcse_color_transformation, text) == text


def test_a_colour_behind_a_surname_or_a_sentence_changes():
    liked = drawn(augcse_color_transformation, "Mr. Brown likes brown.")
    assert liked.startswith("Mr. Brown likes ") and "brown" not in liked.split()[3:]
    assert not drawn(augcse_color_transformation, "It is late. Red is calm.").endswith("Red is calm.")
    assert drawn(augcse_color_transformation, "A CAT. BROWN CATS.") != "A CAT. BROWN CATS."


def test_colours_keep_case_and_hyphens():
    assert drawn(augcse_color_transformation, "BLUE MOON").isupper()
    assert all(drawn(augcse_color_transformation, "A RED CAR", seed).isupper() for seed in range(60))
    assert drawn(augcse_color_transformation, "Blue is calm.")[0].isupper()
    assert drawn(augcse_color_transformation, "a grey-haired man").endswith("-haired man")
    assert "orange" not in drawn(augcse_color_transformation, "an orange car")
    assert "olive" not in drawn(augcse_color_transformation, "an olive green coat")
    assert drawn(augcse_color_transformation, "olive and navy") == "olive and navy"
    assert all("gray" not in name for name in _names()) and "dark olive green" in _names()


def test_markers_change_within_their_class():
    def results(text):
        return {drawn(augcse_discourse_marker_substitution, text, seed) for seed in range(60)}

    assert results("However, it rained.") == {
        f"{marker} it rained." for marker in ("Nevertheless,", "Nonetheless,", "Even so,", "But", "Yet")
    }
    assert results("It rained, but we went.") == {"It rained, yet we went."}
    assert results("For example, cats.") == {"For instance, cats."}
    assert results("We left because it rained.") == {"We left since it rained.", "We left as it rained."}
    assert results("On the other hand, they won.") == {
        f"{a}, they won." for a in ("By contrast", "In contrast", "By comparison")
    }
    assert results("He ran so that he won.") == {"He ran in order that he won."}
    assert results("So that he can see, he stands.") == {"In order that he can see, he stands."}
    assert results("On this basis because it rained.") == {
        "On this basis since it rained.",
        "On this basis as it rained.",
    }


@pytest.mark.parametrize(
    "text",
    [
        "Butter is good.",
        "Because of him.",
        "All but one.",
        "So far so good.",
        "Half as long as they did.",
        "Only because it is.",
        "This is because the dog barked.",
        "It’s because he left; it isn't because he ate.",
        "He left not because he was tired, but because he was late.",
        "So many people came that we left.",
        "So what?",
        "So that is it.",
    ],
)
def test_words_that_are_not_markers_stay(text):
    assert drawn(augcse_discourse_marker_substitution, text) == text


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("He gave her his mother's hat.", "She gave him her father's hat."),
        ("It is his, not hers.", "It is hers, not his."),
        ("I saw her.", "I saw him."),
        ("Let her go to her room.", "Let him go to his room."),
        ("She's himself.", "He's herself."),
        ("MR JONES, SIR", "MRS JONES, MADAM"),
        ("Ms Jones", "Mr Jones"),
        ("A man-made human theme.", "A man-made human theme."),
        ("The king’s men.", "The queen’s women."),
        ("My grandmother", "My grandfather"),
        ("Her \ue000 is his.", "His \ue000 is hers."),
        ("April is in May.", "April is in May."),
        ("I saw him.", "I saw her."),
        ("Give it to him, not to her.", "Give it to her, not to him."),
        ("I saw her leave.", "I saw him leave."),
        ("He gave her two dogs.", "She gave him two dogs."),
        ("He gave her flowers.", "She gave him flowers."),
        ("He told her mother a story.", "She told his father a story."),
        ("He kissed her gently.", "She kissed him gently."),
        ("I met her once.", "I met him once."),
        ("He called her yesterday.", "She called him yesterday."),
        ("It made her happy.", "It made him happy."),
        ("We took her home.", "We took him home."),
        ("Her very old car", "His very old car"),
        ("in her newly built house", "in his newly built house"),
        ("most of her singing is loud", "most of his singing is loud"),
        ("Let her torture him.", "Let him torture her."),
        ('Of her "great" sadness', 'Of his "great" sadness'),
        ("his/her career, his or her dog", "her/his career, her or his dog"),
        ("The bachelor's degree of a bachelor", "The bachelor's degree of a spinster"),
        ("the Charles River, San Antonio, Santa Monica", "the Charles River, San Antonio, Santa Monica"),
        ("Don't go, don’t, Don’t.", "Don't go, don’t, Don’t."),
        ("I miss my wife.", "I miss my husband."),
        ("Rafa Nadal to miss Australian Open", "Rafa Nadal to miss Australian Open"),
        ("Miss Jones, MISS JONES", "Mr Jones, MR JONES"),
        ("MR scans of MS patients", "MR scans of MS patients"),
        ("Martin Luther King spoke.", "Martin Luther King spoke."),
        ("King County Superior Court", "King County Superior Court"),
        ("Nat King Cole", "Nat King Cole"),
        ("The King of Spain", "The Queen of Spain"),
        ("Texas Man", "Texas Woman"),
        ("The Isle of Man", "The Isle of Man"),
        ("She lives in Queens, New York.", "He lives in Queens, New York."),
        ("in Charlotte, North Carolina, or Eugene, Oregon", "in Charlotte, North Carolina, or Eugene, Oregon"),
        ("in Charlotte, N.C.", "in Charlotte, N.C."),
        ("It is her's, not his's.", "It is her's, not his's."),
        ("his/her or Her/His.", "her/his or His/Her."),
        ("she/her pronouns, he/him pronouns", "he/him pronouns, she/her pronouns"),
        ("she/her/hers, he/him/his, his/hers, him/her", "he/him/his, she/her/hers, hers/his, her/him"),
        ("The Thai in Milan, Jan 5", "The Thai in Milan, Jan 5"),
        ("A tom met Jean.", "A tom met Jean."),
        ("Mr. Hussein and Dr Thomas", "Mrs. Hussein and Dr Thomas"),
        ("That is HER’S, he said.", "That is HER’S, she said."),
        ("I said her'll go. Her'd stay.", "I said her'll go. Her'd stay."),
        ("She saw her\u0301 and Jose\u0301.", "He saw her\u0301 and Jose\u0301."),
    ],
)
def test_genders(text, result):
    assert drawn(augcse_gender_swap, text) == result


def test_first_names_become_names_of_the_other_sex():
    names = _first_names()
    assert "John" in names["male"] and "Susan" in names["female"] and not set(names["male"]) & set(names["female"])
    for seed in range(20):
        first, second = drawn(augcse_gender_swap, "John and John", seed).split(" and ")
        assert first == second and first in names["female"]
    assert drawn(augcse_gender_swap, "John met Susan", names=False) == "John met Susan"
    first, second = drawn(augcse_gender_swap, "Alice and Bob").split(" and ")
    assert first in names["male"] and second in names["female"]


@pytest.mark.parametrize("name", "Tom Bob Ben Joe Noah Hans Giovanni Mohammed Ali Luca Hiroshi Dmitri".split())  # noqa: SIM905
def test_well_known_names_of_men_become_names_of_women(name):
    assert (
        drawn(augcse_gender_swap, f"{name} said he is late.").removesuffix(" said she is late.")
        in (_first_names()["female"])
    )


@pytest.mark.parametrize("name", "Kate Liz Sophie Emma Greta Fatima Aisha Giulia Ingrid Natasha Yuki".split())  # noqa: SIM905
def test_well_known_names_of_women_become_names_of_men(name):
    assert drawn(augcse_gender_swap, f"{name} is late.").removesuffix(" is late.") in _first_names()["male"]


def test_mostly_male_or_female_names_are_swapped_and_two_never_become_one():
    names = _first_names()
    assert "Mary" in names["female"] and "Kelly" not in names["female"]
    for seed in range(60):
        swapped = drawn(augcse_gender_swap, "Mary, Kelly, Susan, Anna, Ryan", seed).split(", ")
        assert len(set(swapped)) == 5 and set(swapped[:4]) <= set(names["male"]) and swapped[4] in names["female"]


def test_a_first_name_that_is_a_surname_stays():
    assert drawn(augcse_gender_swap, "We saw Elton John.") == "We saw Elton John."
    assert "John" not in drawn(augcse_gender_swap, "We saw King John.")
