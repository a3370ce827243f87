"""AugCSE's augmentation that writes numbers in words."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.augmentations.text.augcse_numeric_to_word import augcse_numeric_to_word


def drawn(text):
    return augcse_numeric_to_word(text, rng=Random(0))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("I have 42 cats.", "I have forty-two cats."),
        ("1,234 ships", "One thousand, two hundred and thirty-four ships"),
        ("about 3.14 or -5", "about three point one four or minus five"),
        ("the 21st and the 2nd", "the twenty-first and the second"),
        ("in 1984 and 2009", "in nineteen eighty-four and two thousand and nine"),
        ("1984 people", "One thousand, nine hundred and eighty-four people"),
        ("the 1990s, the 80s", "the nineteen nineties, the eighties"),
        ("on 12 May 2020", "on twelfth May twenty twenty"),
        ("on May 12, 2020.", "on May twelfth, twenty twenty."),
        ("on 2020-05-12", "on May twelfth, twenty twenty"),
        ("$2.50, £1, €0.01", "two dollars and fifty cents, one pound, one cent".capitalize()),
        ("£5 million or $3bn", "Five million pounds or three billion dollars"),
        ("5% or 12.5 %", "Five percent or twelve point five percent"),
        ("call 555-1234", "call five five five one two three four"),
        ("call +44 20 7946", "call plus four four two zero seven nine four six"),
        ("at 9:05 and 12:00", "at nine oh five and twelve o'clock"),
        ("5-10 days", "Five to ten days"),
        ("1939–1945", "Nineteen thirty-nine to nineteen forty-five"),
        ("1/2 a cup", "One half a cup"),
        ("a 3-year-old", "a three-year-old"),
        ("code 007", "code zero zero seven"),
        ("12345678901234567", "One two three four five six seven eight nine zero one two three four five six seven"),
        ("B12, 4K, COVID-19, 1.2.3, H2O, 1/4/2020", "B12, 4K, COVID-19, 1.2.3, H2O, 1/4/2020"),
        ("It ended. 7 left.", "It ended. Seven left."),
        ("\ue00012 of 12", "\ue00012 of twelve"),
        ("for $1.4 Million", "for one point four million dollars"),
        (
            "in 2008–09 and 1998-99",
            "in two thousand and eight to two thousand and nine and nineteen ninety-eight to ninety-nine",
        ),
        ("for US$50 and A$2.50", "for fifty US dollars and two Australian dollars and fifty cents"),
        ("for $100-200 or £1–£2m", "for one hundred to two hundred dollars or one to two million pounds"),
        ("is 5'10\" tall", "is five feet ten inches tall"),
        ("at x.org/?x=1&y=2 or x=1", "at x.org/?x=1&y=2 or x=1"),
        ("of No. 5, c. 1450, pp. 12", "of No. five, c. fourteen fifty, pp. twelve"),
        ("the U.S. 12", "the U.S. twelve"),
        ("A crowd of 500-1000 people.", "A crowd of five hundred to one thousand people."),
        ("The number of men is 500-1000.", "The number of men is five hundred to one thousand."),
        ("Call us at 555-1000.", "Call us at five five five one zero zero zero."),
        ("for $5.55 bil or $1.0 bn", "for five point five five billion dollars or one point zero billion dollars"),
        ("for US$10 mil. He left.", "for ten million US dollars. He left."),
        ("for US$10 mil. in cash", "for ten million US dollars in cash"),
        ("for $2-million", "for two million dollars"),
        ("2 1/2 cups", "Two and one half cups"),
        ("a thickness of 1 1/2 inches", "a thickness of one and one half inches"),
        ("at 6 7/8 now", "at 6 7/8 now"),
        ("a $20 bill and a £1.50 fare", "a twenty dollar bill and a one pound and fifty pence fare"),
        ("a $70 million nationwide program", "a seventy million dollar nationwide program"),
        ("Bob's $20-a-day job", "Bob's twenty dollar-a-day job"),
        ("the $20 he paid of the $50 raised", "the twenty dollars he paid of the fifty dollars raised"),
        ("The Boeing 747-400 landed.", "The Boeing 747-400 landed."),
        ("a 21-14 win in 1906-7", "a twenty-one to fourteen win in nineteen oh-six to seven"),
        ("993 000 viewers", "Nine hundred and ninety-three thousand viewers"),
        ("of 21 300", "of 21 300"),
        ("at 24°C or 24 °C", "at 24°C or 24 °C"),
        ("1️⃣ first, 2\u20e3 then 12", "1️⃣ first, 2\u20e3 then twelve"),
        ("at 10:30pm or 9:05am.", "at ten thirty pm or nine oh five am."),
        ("at 10:30 pm or 9:05 a.m.", "at ten thirty pm or nine oh five a.m."),
        ("at 10:00PM, 9am, 7 p.m. or 8:00 am", "at ten PM, nine am, seven p.m. or eight am"),
        ("on 25/12/2021", "on twenty-fifth December twenty twenty-one"),
        ("on 12/25/2021.", "on December twenty-fifth, twenty twenty-one."),
        ("on 31.01.1999", "on thirty-first January nineteen ninety-nine"),
        ("on 1/4/2020, 13/13/2020 or 25/12", "on 1/4/2020, 13/13/2020 or 25/12"),
        ("a 5km run of 2.5 km at 100mph", "a five km run of two point five km at one hundred mph"),
        ("5m, 5G, 3D, 10x, 5km2", "5m, 5G, 3D, 10x, 5km2"),
        ("5 USD", "Five USD"),
        ("for 50¢ or 1¢, a 25 ¢ coin", "for fifty cents or one cent, a twenty-five cent coin"),
        ("no number", "no number"),
    ],
)
def test_numbers(text, result):
    assert drawn(text) == result


@given(st.integers(0, 10**15 - 1))
@settings(max_examples=60)
def test_no_figures_are_left_of_a_number(number):
    assert not any(map(str.isdigit, drawn(f"n {number:,} and {number} of {number}.5")))
