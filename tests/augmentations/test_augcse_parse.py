"""AugCSE's augmentations that need a parse: by rules, with a stub for spaCy, and with spaCy itself where it is installed."""

import time
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.augmentations import parser as parsing
from workbench.augmentations.parser import Node, chunk
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._rule_parse import parse, prepare
from workbench.augmentations.text.augcse_sentence_subject_object_switch import METHOD as SWITCH
from workbench.augmentations.text.augcse_summarization import METHOD as SUMMARY
from workbench.augmentations.text.augcse_tense_transformation import METHOD as TENSE
from workbench.augmentations.text.augcse_yoda_perturbation import METHOD as YODA
from workbench.core.errors import MissingResource

METHODS = [SWITCH, SUMMARY, TENSE, YODA]
SEEDS = st.integers(0, 10_000)
LINES = st.text(st.characters(codec="utf-8"), max_size=60)
WORDS = st.sampled_from(
    """
    The dog dogs I He him it's isn't don't will not bit sees saw a cat and , . ? that who is are was has been going
    \ue000 \ue001, \ue002's quickly of Paris to won't because my
    """.split()  # noqa: SIM905
)
RICH = st.lists(WORDS, max_size=14).map(" ".join)


def drawn(method, text, seed=0, **settings):
    return method.fn(parse, text, **settings, rng=Random(seed))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
@given(text=st.one_of(LINES, RICH), seed=SEEDS)
@settings(max_examples=150)
def test_the_same_seed_gives_the_same_text_and_no_lock_twice(method, text, seed):
    result = drawn(method, text, seed)
    assert result == drawn(method, text, seed) == normalised(result)
    assert bool(result) == bool(normalised(text))
    for lock in "\ue000\ue001\ue002":
        # The summary may leave words out or repeat them, a lock included; the caller then keeps the original text.
        assert method is SUMMARY or result.count(lock) == text.count(lock)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
@given(text=RICH, seed=SEEDS)
@settings(max_examples=100)
def test_an_initial_capital_is_kept(method, text, seed):
    result = drawn(method, text, seed)
    if text[:1].isupper() and result[:1].isalpha():
        assert result[0].isupper()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
@pytest.mark.parametrize(
    "text", ["", " \n", "word", "No verb here at all", "今天天气很好", "שלום עולם", "👩‍👩‍👧 🎉", "\x00 \ud800 x"]
)
def test_a_text_without_a_verb_stays_unchanged(method, text):
    assert drawn(method, text) == normalised(text)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
def test_time_grows_linearly_with_the_length(method):
    def seconds(repeats):
        text = "He sees a dog and " * repeats
        times = []
        for _ in range(3):
            begun = time.process_time()
            assert drawn(method, text) != normalised(text)
            times.append(time.process_time() - begun)
        return min(times)

    seconds(10)  # warm-up: imports and compiled patterns
    assert seconds(2000) < 24 * seconds(250)  # linear would be 8 times, quadratic 64


def test_the_rule_parse_of_sentences():
    nodes = parse("She hasn't seen the old dog's tail.")
    assert [node.word for node in nodes] == ["She", "has", "n't", "seen", "the", "old", "dog", "'s", "tail", "."]
    assert [(node.word, node.dep) for node in nodes if node.dep in ("nsubj", "aux", "neg", "ROOT", "dobj")] == [
        ("She", "nsubj"),
        ("has", "aux"),
        ("n't", "neg"),
        ("seen", "ROOT"),
        ("tail", "dobj"),
    ]
    assert nodes[3].tag == "VBN" and nodes[1].tag == "VBZ"
    assert chunk(nodes, 8) == (4, 9)
    assert all("She hasn't seen the old dog's tail."[node.start : node.end] == node.word for node in nodes)


@given(text=st.one_of(LINES, RICH))
@settings(max_examples=150)
def test_the_rule_parse_covers_the_text_and_heads_are_inside_it(text):
    clean = normalised(text)
    nodes = parse(clean)
    assert "".join(node.word for node in nodes) == clean.replace(" ", "")
    assert all(0 <= node.head < len(nodes) and clean[node.start : node.end] == node.word for node in nodes)


@pytest.mark.parametrize(
    ("text", "past", "present", "future"),
    [
        ("The dog barks.", "The dog barked.", "The dog barks.", "The dog will bark."),
        ("The dogs bark.", "The dogs barked.", "The dogs bark.", "The dogs will bark."),
        ("She went home.", "She went home.", "She goes home.", "She will go home."),
        ("He is not here.", "He was not here.", "He is not here.", "He will not be here."),
        ("They weren't late.", "They weren't late.", "They aren't late.", "They won't be late."),
        ("It's raining.", "It was raining.", "It's raining.", "It will be raining."),
        ("I don't know.", "I didn't know.", "I don't know.", "I won't know."),
        ("Is she late?", "Was she late?", "Is she late?", "Will she be late?"),
        ("Does it work?", "Did it work?", "Does it work?", "Will it work?"),
        ("He will come.", "He came.", "He comes.", "He will come."),
        ("We will not go.", "We did not go.", "We do not go.", "We will not go."),
        ("She'll sing.", "She sang.", "She sings.", "She'll sing."),
        ("It won't be easy.", "It wasn't easy.", "It isn't easy.", "It won't be easy."),
        ("He has seen it.", "He had seen it.", "He has seen it.", "He will have seen it."),
        ("You can swim.", "You can swim.", "You can swim.", "You can swim."),
        *[
            (text.format("was"), text.format("was"), text.format("is"), text.format("will be"))
            for text in (
                "It {} built and maintained by us.",
                "He {} jailed, doused with oil and fined.",
                "He {} born into a family and reared in Rome.",
                "It {} good for the dub.",
                "He {} tall, and the best.",
                "The park, including a hill called Green, {} big.",
                "James N. Hilvert Jr. {} a coach.",
            )
        ],
        (
            "We work on plans and errors found during tests.",
            "We worked on plans and errors found during tests.",
            "We work on plans and errors found during tests.",
            "We will work on plans and errors found during tests.",
        ),
        (
            "He went to Rome and the army marched to Paris.",
            "He went to Rome and the army marched to Paris.",
            "He goes to Rome and the army marches to Paris.",
            "He will go to Rome and the army will march to Paris.",
        ),
        (
            "He is tall, and is the best.",
            "He was tall, and was the best.",
            "He is tall, and is the best.",
            "He will be tall, and will be the best.",
        ),
        ("They found the bodies.", "They found the bodies.", "They find the bodies.", "They will find the bodies."),
        ("They wound it.", "They wound it.", "They wind it.", "They will wind it."),
        ("They put it there.", "They put it there.", "They put it there.", "They will put it there."),
        ("They feed dogs.", "They fed dogs.", "They feed dogs.", "They will feed dogs."),
        ("They will found a club.", "They founded a club.", "They found a club.", "They will found a club."),
        ("He has got it.", "He had got it.", "He has got it.", "He will have got it."),
        ("He hasn't got it.", "He hadn't got it.", "He hasn't got it.", "He won't have got it."),
        ("You've got to go.", "You had got to go.", "You've got to go.", "You will have got to go."),
        (
            "She has two cats and goes home.",
            "She had two cats and went home.",
            "She has two cats and goes home.",
            "She will have two cats and will go home.",
        ),
        (
            "They eat and go home.",
            "They ate and went home.",
            "They eat and go home.",
            "They will eat and will go home.",
        ),
        *[
            (text, text, text, text)
            for text in (
                "Don't touch that!",
                "Please don't go.",
                "But do not go!",
                "Do come in, and don't touch it.",
                "John, don’t go.",
                'analysts "not surprised"',
                "Kids not invited, not seen",
            )
        ],
        ("I came, don't cry.", "I came, don't cry.", "I come, don't cry.", "I will come, don't cry."),
        ('He said "Don\'t go."', 'He said "Don\'t go."', 'He says "Don\'t go."', 'He will say "Don\'t go."'),
        (
            "I do not know and don’t care.",
            "I did not know and didn’t care.",
            "I do not know and don’t care.",
            "I will not know and won’t care.",
        ),
        (
            "The men, however, don't know.",
            "The men, however, didn't know.",
            "The men, however, don't know.",
            "The men, however, won't know.",
        ),
        ("He cuts and runs.", "He cut and ran.", "He cuts and runs.", "He will cut and will run."),
        (
            "She puts it down and reads.",
            "She put it down and read.",
            "She puts it down and reads.",
            "She will put it down and will read.",
        ),
        (
            "He fears cuts and burns.",
            "He feared cuts and burns.",
            "He fears cuts and burns.",
            "He will fear cuts and burns.",
        ),
        ("I wish I were rich.", "I wished I were rich.", "I wish I were rich.", "I will wish I were rich."),
        ("He acts as if he were.", "He acted as if he were.", "He acts as if he were.", "He will act as if he were."),
        ("If we had time, he'd come.", *3 * ["If we had time, he'd come."]),
        ("I know he was ill.", "I knew he was ill.", "I know he is ill.", "I will know he will be ill."),
        ("He used to go.", "He used to go.", "He used to go.", "He used to go."),
        ("It's rained.", "It had rained.", "It's rained.", "It will have rained."),
        ("I'm going to sleep.", "I was going to sleep.", "I'm going to sleep.", "I will be going to sleep."),
        (
            "\ue000 is ill, he sings.",
            "\ue000 was ill, he sang.",
            "\ue000 is ill, he sings.",
            "\ue000 will be ill, he will sing.",
        ),
    ],
)
def test_tenses(text, past, present, future):
    assert [drawn(TENSE, text, tense=tense) for tense in ("past", "present", "future")] == [past, present, future]


def test_the_tense_is_drawn_if_none_is_given():
    results = {drawn(TENSE, "The dog barks.", seed) for seed in range(40)}
    assert results == {"The dog barked.", "The dog barks.", "The dog will bark."}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("The dog bites a man.", "A man bites the dog."),
        ("He likes them.", "They like him."),
        ("I saw her.", "She saw me."),
        ("The old man sees three birds.", "Three birds see the old man."),
        ("Cats catch mice.", "Mice catch cats."),
        ("She was eating apples.", "Apples were eating her."),
        ("He sees himself.", "He sees himself."),
        ("She sleeps.", "She sleeps."),
        ("Stop the car!", "Stop the car!"),
        ("The \ue000 helps Mary.", "The \ue000 helps Mary."),
        ("They can't find the key.", "The key can't find them."),
        ("He was made secretary.", "He was made secretary."),
        ("They have been offered a house.", "They have been offered a house."),
        ('"Time" likes the song.', '"Time" likes the song.'),
        ("The dog (Rex) likes a cat.", "The dog (Rex) likes a cat."),
        ("R&D needs a plan.", "A plan needs R&D."),
        ("Smith & Sons like a plan.", "Smith & Sons like a plan."),
        ("The cat and the dog like a man.", "The cat and the dog like a man."),
        ("South Korea attacked Japan.", "Japan attacked South Korea."),
        ("United Airlines bought planes.", "Planes bought United Airlines."),
        ("The .NET runtime runs code.", "Code runs the .NET runtime."),
    ],
)
def test_switches(text, result):
    assert drawn(SWITCH, text) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("You will learn the rules.", "Learn the rules, you will."),
        ("He is not a Jedi.", "A Jedi, he is not."),
        ("The cook cuts bread.", "Bread, the cook cuts."),
        ("I've seen it.", "Seen it, I have."),
        ("It was late, and she was tired.", "Late, it was, and tired, she was."),
        ("Will you come?", "Will you come?"),
        ("Go home.", "Go home."),
        ("I am.", "I am."),
        ("We can see \ue000.", "See \ue000, we can."),
        ("Paris is lovely.", "Lovely, Paris is."),
        ("He ran to the fort (now a ruin).", "To the fort (now a ruin), he ran."),
        ('"Billboard" reviewed it.', 'It, "billboard" reviewed.'),
        ("It scored 6.4 at 10:30.", "6.4 at 10:30, it scored."),
        ("Mr. Smith is in the U.S. Navy.", "In the U.S. Navy, Mr. Smith is."),
        ("John (c. 1450) was a king.", "A king, John (c. 1450) was."),
        ('He called it "late (at best) and left.', 'He called it "late (at best) and left.'),
        ('The song "It Is Late" won.', 'The song "It Is Late" won.'),
        ('He said, "She was late."', 'He said, "Late, she was."'),
        ("It is cold. He was late.", "Cold, it is. Late, he was."),
        ("Someone's car is red.", "Red, someone's car is."),
        ("At her friend's urging he is here.", "Here, at her friend's urging he is."),
        ("This country's car is red.", "Red, this country's car is."),
        ("Let's go.", "Let's go."),
        ("North Korea fired a missile.", "A missile, North Korea fired."),
        ("Former President Bush was here.", "Here, former President Bush was."),
        ("IT IS HERE.", "HERE, IT IS."),
        ("IT'S A DOG.", "A DOG, IT IS."),
        ("He's worked here.", "Worked here, he has."),
        ("The Index .IXIC eased 8.52 points.", "8.52 points, the Index .IXIC eased."),
        ("The Index <.SPX> was up.", "Up, the Index <.SPX> was."),
        (
            "A man wears a shirt and leather chaps and is posing for it.",
            "A shirt and leather chaps and is posing for it, a man wears.",
        ),
        ("A girl is wearing a hat and is running.", "Wearing a hat and is running, a girl is."),
        ("A girl is near a man and a hat and is running.", "Near a man and a hat and is running, a girl is."),
        ("A girl is here and a bay and a city are near.", "Here, a girl is and near, a bay and a city are."),
        ("Things are so big.", "So big, things are."),
        ("Those who read or write.", "Those who read or write."),
    ],
)
def test_yoda(text, result):
    assert drawn(YODA, text) == result


MARKED = st.sampled_from(
    """
    The dog He saw is was a cat and , . ; ? ( ) (the [his ] " "the cat" 'so 'it' the dogs' “ ” the 6.4 10:30
    3,000 Mr. U.S. c. 1450 Nando's who that (now long) not will go Paris. A.C. Milan e.g. etc., and/or R&D 5'10" x@y.org
    """.split()  # noqa: SIM905
)


@given(text=st.lists(MARKED, max_size=16).map(" ".join))
@settings(max_examples=400)
def test_yoda_loses_and_adds_no_letter_digit_bracket_or_quote(text):
    def kept(line):
        return Counter(letter for letter in line.lower() if letter.isalnum() or letter in "()[]\"“”'’")

    assert kept(drawn(YODA, text)) == kept(text)


@pytest.mark.parametrize(
    "word", ["1.5", "10:30", "1,000", "U.S.", "Mr.", "J.", "e.g.", "R&D", "and/or", "www.x.org/a?b=1", ".NET"]
)
def test_the_rule_parse_keeps_words_with_inner_marks_whole(word):
    assert word in [node.word for node in parse(f"It saw {word} Smith.")]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("At noon the cook did not eat any soup.", "The cook !eat any soup."),
        ("The dog bites a man in the park.", "The dog bites a man."),
        ("She never reads old books", "She !reads old books"),
        ("He is a doctor.", "He is a doctor."),
        ("The cat sleeps.", "The cat sleeps."),
        ("I saw her, and the old dog bit him.", "I saw her, the old dog bit him."),
        ("Yesterday we ate cake.", "We ate cake."),
        ("He was made secretary of state.", "He was made secretary."),
        ("They were not offered a house.", "They !were offered a house."),
        ("He gave me a book.", "He gave me a book."),
        ("Later she told him the truth at home.", "She told him the truth."),
        ("They gave the old dog two bones yesterday.", "They gave the old dog two bones."),
        ("He told me last night.", "He told me."),
        ("I told him the dog barked.", "I told him."),
        ("She gave a book to me.", "She gave a book."),
        ("She bought a car and sold her house.", "She bought a car, she sold her house."),
        ("The man wears a hat, holds a dog and sees it.", "The man wears a hat, the man holds a dog, the man sees it."),
        ("She buys food and drinks.", "She buys food."),
        ('"We bought tea and drank it," he said.', "We bought tea, we drank it."),
        ('"You crossed the line," said the man.', "You crossed the line."),
        ("He told me that it works.", "He told me."),
        ("She has been offered a house.", "She been offered a house."),
        ("We've seen it.", "We seen it."),
    ],
)
def test_summaries(text, result):
    assert drawn(SUMMARY, text) == result


# Stub: spaCy's labels for one sentence.
BITE = [
    Node("Today", 0, 5, "NOUN", "NN", "npadvmod", 3),
    Node("the", 6, 9, "DET", "DT", "det", 2),
    Node("dog", 10, 13, "NOUN", "NN", "nsubj", 3),
    Node("bites", 14, 19, "VERB", "VBZ", "ROOT", 3),
    Node("two", 20, 23, "NUM", "CD", "nummod", 5),
    Node("men", 24, 27, "NOUN", "NNS", "dobj", 3),
    Node(".", 27, 28, "PUNCT", ".", "punct", 3),
]


@pytest.mark.parametrize(
    ("method", "settings", "result"),
    [
        (SWITCH, {}, "Today two men bite the dog."),
        (SUMMARY, {}, "The dog bites two men."),
        (TENSE, {"tense": "future"}, "Today the dog will bite two men."),
        (YODA, {}, "Two men, today the dog bites."),
    ],
)
def test_a_stand_in_parser_is_used(method, settings, result):
    assert method.fn(lambda text: BITE, "Today the dog bites two men.", **settings, rng=Random(0)) == result


def test_rules_are_the_default_and_spacy_is_never_assumed(monkeypatch):
    assert all(method.settings["parser"].default == "rules" and method.absent == "" for method in METHODS)
    assert prepare([]) is parse
    monkeypatch.setattr(parsing, "_model", lambda: "")
    parsing.spacy_parser.cache_clear()
    assert parsing.INSTALL in parsing.missing()
    with pytest.raises(MissingResource, match="pip install spacy"):
        prepare([], parser="spacy")


@pytest.mark.skipif(bool(parsing.missing()), reason="spaCy with an English model is not installed")
def test_with_spacy():
    parser = prepare([], parser="spacy")
    text = "The cook flips a pancake in the kitchen."
    assert SWITCH.fn(parser, text, rng=Random(0)) == "A pancake flips the cook in the kitchen."
    assert SUMMARY.fn(parser, text, rng=Random(0)) == "The cook flips a pancake."
    assert YODA.fn(parser, text, rng=Random(0)) == "A pancake in the kitchen, the cook flips."
    assert TENSE.fn(parser, text, tense="past", rng=Random(0)) == "The cook flipped a pancake in the kitchen."
    assert parser("") == []
