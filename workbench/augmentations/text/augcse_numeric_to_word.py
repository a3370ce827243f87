"""AugCSE's numbers in words: 42 becomes forty-two."""

import re
from functools import lru_cache
from random import Random

from workbench.augmentations.text._abbreviations import abbreviated
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._lists import rewritten
from workbench.augmentations.text._tags import mainly_verb
from workbench.augmentations.text._words import STOP_WORDS
from workbench.core.method import Method

_CURRENCIES = {
    "$": ("dollar", "cent"),
    "£": ("pound", "penny"),
    "€": ("euro", "cent"),
    "¥": ("yen", ""),
    "₹": ("rupee", "paisa"),
}
_DOLLARS = {"US": "US", "A": "Australian", "AU": "Australian", "C": "Canadian", "CA": "Canadian"}
_DOLLARS |= {"NZ": "New Zealand", "HK": "Hong Kong", "S": "Singapore"}
_MONTHS = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
_MONTH = "|".join(_MONTHS) + r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
_FRACTIONS = {"1/2": "one half", "1/3": "one third", "2/3": "two thirds", "1/4": "one quarter", "3/4": "three quarters"}
_SCALE = "hundred|thousand|million|billion|trillion"
_SCALES = {"k": "thousand", "m": "million", "mn": "million", "mil": "million", "bn": "billion", "bil": "billion"}
_SCALES |= {"b": "billion", "tn": "trillion"}
# Of more than one letter, since "5m" is as often five million, and "5G" a name.
_UNITS = (
    "km|cm|mm|kg|mg|ml|lbs?|oz|ft|mi|mph|km/h|kph|hrs?|mins?|secs?|ms|kW|MW|GW|kWh|MWh|KB|kB|MB|GB|TB|Hz|kHz|MHz|GHz"
)
_DAY = "0?[1-9]|[12][0-9]|3[01]"
_WHOLE = r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+"
_NUMBER = rf"(?:{_WHOLE})(?:\.[0-9]+)?"
# One pattern, the longest construction first. Figures next to letters ("B12", "4K"), to further points ("1.2.3") or slashes
# are names and stay, and so do keycaps and parts of addresses and formulas.
_FOUND = re.compile(
    r"(?<![\w.,/:#@$£€¥₹=&?%+*^~<>\\-])(?<![0-9]['’′])(?:"
    r"(?P<iso>[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01]))"
    r"|(?P<phone>\+[0-9]{1,3}(?:[ -]\(?[0-9]{1,5}\)?){2,5}|\([0-9]{3,5}\) ?[0-9]{3,4}[ -]?[0-9]{3,4}"
    r"|0[0-9]{2,4}[ -][0-9]{3,4}(?:[ -]?[0-9]{3,4})?|[0-9]{3}-[0-9]{3}-[0-9]{4})"
    rf"|(?P<date>(?P<first>{_DAY})(?P<mark>[/.-])(?P<second>{_DAY})(?P=mark)[0-9]{{4}})"
    r"|(?P<time>(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?P<half>[AaPp]\.?[Mm])?)"
    r"|(?P<hour>(?:0?[1-9]|1[0-2])(?:[AP]M|[ap]\.?m))"
    rf"|(?P<mixed>[0-9]{{1,2}} (?:{'|'.join(map(re.escape, _FRACTIONS))}))"
    rf"|(?P<fraction>{'|'.join(map(re.escape, _FRACTIONS))})"
    rf"|(?P<money>(?P<whose>{'|'.join(_DOLLARS)})?(?P<sign>(?(whose)[$]|[$£€¥₹]))(?P<amount>{_NUMBER})"
    rf"(?:[–-][$£€¥₹]?(?P<upto>{_NUMBER}))?"
    rf"(?:(?: ?(?P<short>bn|tn|mn|bil|mil|m)|(?P<letter>[kKMbB]))\b(?:\.(?=,| [a-z]))?|(?P<scale>[ -](?i:{_SCALE}))\b)?)"
    r"|(?P<height>(?P<feet>[1-9])['’′] ?(?P<inches>1[01]|[0-9])(?:[\"”″]|''))"
    rf"|(?P<day>(?:[12]?[0-9]|3[01])(?:st|nd|rd|th)?(?= (?:{_MONTH})\b))"
    rf"|(?<=\b)(?P<month>(?:{_MONTH})\.? (?:[12]?[0-9]|3[01])(?:st|nd|rd|th)?(?:, (?P<dated>[0-9]{{4}}))?(?![0-9]))"
    r"|(?P<decade>(?:1[0-9]|20)?[0-9]0['’]?s)"
    rf"|(?P<ordinal>(?:{_WHOLE})(?:st|nd|rd|th))"
    r"|(?P<spaced>[0-9]{1,3}(?: [0-9]{3})+)"
    rf"|(?P<range>(?P<low>{_NUMBER})[–-](?P<high>{_NUMBER})(?P<of>%)?)"
    rf"|(?P<cents>(?:{_WHOLE}) ?¢)"
    rf"|(?P<measure>(?P<size>[-−]?{_NUMBER})(?:{_UNITS}))"
    rf"|(?P<percent>[-−]?{_NUMBER} ?%)"
    rf"|(?P<number>[-−]?{_NUMBER})"
    r")(?![\w\ufe0f\u20e3%/@:–=&+*^]|-[0-9]|[.,]\w|['’′][0-9]| [0-9]+/[0-9]| ?°)"
)
_LONGEST = 15  # digits read as one number; longer ones are codes and read digit by digit
_HALF = re.compile(r" ?[ap]\.?m\b", re.IGNORECASE)
_CALLED = re.compile(r"\b(?:call(?! for)|dial|phone|tel|fax|number(?!s? of))", re.IGNORECASE)
_SHORT_NUMBER = re.compile(r"[0-9]{3}-[0-9]{4}")
# "A $20 bill", "its $5 million debt", "a $20-a-day job": the unit is singular there.
_OWNER = re.compile(r"(?:\b(?:an?|the|my|your|his|her|its|our|their)|['’]s|s['’]) $", re.IGNORECASE)
_OWNED = re.compile(r" ([a-z]+)")
_LIKE_YEAR = re.compile(r"1[1-9]\d\d|20\d\d")
# "1200 people", "$1500" and "page 1984" are counts; a year is alone, at the end, or before function words.
_COUNTED = re.compile(
    r" (?!(?:a|an|the|and|or|to|in|on|at|by|for|from|as|is|was|were|are|but|when|while|until|after|before|with|of|it|he|she|they|"
    r"we|i|which|that|who|season|election|edition|world|summer|winter|budget|film|novel|model|vintage|report|census)\b)[a-z]"
)
_YEAR_BEFORE = re.compile(
    r"\b(?:in|since|until|till|by|from|of|during|before|after|circa|around|about|between|year|and|to) $", re.I
)


def augcse_numeric_to_word(text: str, *, rng: Random) -> str:
    """`text` with its figures in words: numbers, ordinals, years, dates, times, money, percentages, ranges, phone numbers.

    Years are read in pairs of digits, phone numbers and anything longer than 15 digits digit by digit. Units stay as they
    are written ("five km"), and so do figures inside names ("B12", "4K", "1.2.3") and dates such as 1/4/2021, which may be
    in April or in January, while 25/12/2021 is read. Every draw gives the same text.

    Prefer it over `augcse_contraction_expansions` for texts with figures, such as news; a text without figures comes
    back unchanged.

    >>> augcse_numeric_to_word("In 1984, 21 of 300 paid $2.50.", rng=Random(0))
    'In nineteen eighty-four, twenty-one of three hundred paid two dollars and fifty cents.'
    """
    clean = normalised(text)

    def spelled(match: "re.Match[str]") -> str:
        words = _spelled(match, clean)
        before = clean[: match.start()].rstrip(" \"'“‘(")
        begins = not before or (before[-1] in ".!?" and not (before[-1] == "." and abbreviated(clean, len(before) - 1)))
        return words[:1].upper() + words[1:] if begins else words

    return rewritten(_FOUND, clean, spelled)


def _spelled(match: "re.Match[str]", text: str) -> str:
    found = match[0]
    match next(name for name in _READ if match[name] is not None):
        case "iso":
            year, month, day = found.split("-")
            return f"{_MONTHS[int(month) - 1]} {_ordinal(day)}, {_year(year)}"
        case "phone":
            return _digits(found)
        case "date":
            first, second, year = match["first"], match["second"], _year(found[-4:])
            if int(first) > 12 >= int(second):
                return f"{_ordinal(first)} {_MONTHS[int(second) - 1]} {year}"
            return f"{_MONTHS[int(first) - 1]} {_ordinal(second)}, {year}" if int(second) > 12 >= int(first) else found
        case "time":
            half = match["half"] or ""
            hours, minutes = found.removesuffix(half).split(":")
            after = f" {half}" if half else ""
            if minutes == "00":
                if half or _HALF.match(text, match.end()):
                    return _number(hours) + after
                return f"{_number(hours)} o'clock" if 0 < int(hours) < 13 else f"{_number(hours)} hundred hours"
            return f"{_number(hours)} {'oh ' if minutes[0] == '0' else ''}{_number(minutes.lstrip('0'))}{after}"
        case "hour":
            hours = found.rstrip("AaPp.Mm")
            return f"{_number(hours.lstrip('0'))} {found[len(hours) :]}"
        case "mixed":
            whole, _, part = found.partition(" ")
            return f"{_number(whole)} and {_FRACTIONS[part]}"
        case "fraction":
            return _FRACTIONS[found]
        case "money":
            short = (match["short"] or match["letter"] or "").lower()
            scale = _SCALES[short] if short else (match["scale"] or "").strip(" -").lower()
            unit, small = _units(match["sign"], _DOLLARS.get(match["whose"], ""), _is_attribute(text, match))
            return _money(unit, small, match["amount"], match["upto"] or "", scale)
        case "height":
            return f"{_number(match['feet'])} {'foot' if match['feet'] == '1' else 'feet'} {_number(match['inches'])} inches"
        case "day":
            return _ordinal(found)
        case "month":
            name, _, rest = found.partition(" ")
            day, _, year = rest.partition(", ")
            return f"{name} {_ordinal(day)}" + (f", {_year(year)}" if year else "")
        case "decade":
            return _decade(found)
        case "ordinal":
            return _ordinal(found)
        case "spaced":  # "993 000", while "21 300" may be two numbers
            groups = found.split(" ")
            return _number("".join(groups)) if all(group[0] == "0" for group in groups[1:]) else found
        case "range":
            low, high = match["low"], match["high"]
            if _SHORT_NUMBER.fullmatch(found) and (
                high[0] == "0" or _CALLED.search(text, max(0, match.start() - 40), match.start())
            ):
                return _digits(found)
            if _LIKE_YEAR.fullmatch(low) and (re.fullmatch(r"\d\d|\d{4}", high) or (len(high) == 1 and high > low[-1])):
                return f"{_year(low)} to {_until(low, high)}"
            if max(len(low), len(high)) > 2 and _value(low) > _value(high):
                return found  # "a Boeing 747-400"; "21-14" is a score
            return f"{_number(low)} to {_number(high)}{' percent' if match['of'] else ''}"
        case "cents":
            single = _is_attribute(text, match) or found[:-1].strip() == "1"
            return f"{_number(found.rstrip('¢ '))} {'cent' if single else 'cents'}"
        case "measure":
            return f"{_number(match['size'])} {found[len(match['size']) :]}"
        case "percent":
            return f"{_number(found.rstrip('% '))} percent"
    if _LIKE_YEAR.fullmatch(found) and (
        _YEAR_BEFORE.search(text, 0, match.start()) or not _COUNTED.match(text, match.end())
    ):
        return _year(found)
    return _number(found)


_READ = (
    "iso",
    "phone",
    "date",
    "time",
    "hour",
    "mixed",
    "fraction",
    "money",
    "height",
    "day",
    "month",
    "decade",
    "ordinal",
    "spaced",
    "range",
    "cents",
    "measure",
    "percent",
    "number",
)


@lru_cache(10_000)
def _number(figures: str) -> str:
    """A whole or decimal number in words.

    >>> _number("-1,234.50")
    'minus one thousand, two hundred and thirty-four point five zero'
    """
    sign = "minus " if figures[0] in "-−" else ""
    whole, _, decimals = figures.lstrip("-−").replace(",", "").partition(".")
    if len(whole) > _LONGEST or (len(whole) > 1 and whole[0] == "0"):
        return sign + _digits(whole) + (f" point {_digits(decimals)}" if decimals else "")
    from num2words import num2words

    return sign + num2words(int(whole)) + (f" point {_digits(decimals)}" if decimals else "")


@lru_cache(1_000)
def _year(figures: str) -> str:
    from num2words import num2words

    return num2words(int(figures), to="year")


def _until(low: str, high: str) -> str:
    """The second year of a range, which may have only one or two figures.

    >>> _until("1998", "99"), _until("1999", "00"), _until("2008", "09"), _until("1906", "7")
    ('ninety-nine', 'two thousand', 'two thousand and nine', 'seven')
    """
    if len(high) == 4:
        return _year(high)
    if len(high) == 1 or (high > low[2:] and low[2] != "0"):
        return _number(high)
    return _year(f"{int(low[:2]) + (high <= low[2:])}{high}")


@lru_cache(1_000)
def _ordinal(figures: str) -> str:
    """`21st` or `21` as `twenty-first`."""
    plain = figures.rstrip("stndrh").replace(",", "")
    if len(plain) > _LONGEST:
        return _digits(plain)
    from num2words import num2words

    return num2words(int(plain), to="ordinal")


def _digits(figures: str) -> str:
    """Digit by digit, ignoring what is between them.

    >>> _digits("020-7")
    'zero two zero seven'
    """
    names = "zero one two three four five six seven eight nine".split()  # noqa: SIM905
    plus = "plus " if figures.startswith("+") else ""
    return plus + " ".join(names[int(digit)] for digit in figures if digit in "0123456789")


def _decade(figures: str) -> str:
    """`1990s` as `nineteen nineties`, `80s` as `eighties`.

    >>> _decade("1900s")
    'nineteen hundreds'
    """
    plain = figures.rstrip("s'’")
    words = _year(plain) if len(plain) == 4 else _number(plain)
    return words[:-1] + "ies" if words.endswith("y") else words + ("es" if words.endswith("x") else "s")


def _value(figures: str) -> float:
    return float(figures.replace(",", ""))


def _is_attribute(text: str, match: "re.Match[str]") -> bool:
    """Whether a sum of money describes the noun after it: "a $20 bill", "the $20-a-day job", not "the $20 he paid"."""
    if re.match(r"-[a-z]", text[match.end() : match.end() + 2]):
        return True
    owner, owned = _OWNER.search(text, max(0, match.start() - 8), match.start()), _OWNED.match(text, match.end())
    if not owner or not owned or owned[1] in STOP_WORDS:
        return False
    return owner[0].lower() in ("a ", "an ") or not (owned[1].endswith("ed") or mainly_verb(owned[1]))


def _units(sign: str, whose: str, single: bool) -> tuple[tuple[str, str], tuple[str, str]]:
    """Names of a currency's unit and of its subunit, each in singular and plural; with `single` the singular twice."""
    unit, small = _CURRENCIES[sign]
    unit = f"{whose} {unit}".lstrip()
    several = unit if single or unit == "yen" else f"{unit}s"
    return (unit, several), (small, {"penny": "pence", "paisa": "paise"}.get(small, small if single else f"{small}s"))


def _money(unit: tuple[str, str], small: tuple[str, str], amount: str, upto: str, scale: str) -> str:
    whole, _, decimals = amount.partition(".")
    if upto or scale or len(decimals) not in (0, 2) or (decimals and not small[0]):
        words = f"{_number(amount)} to {_number(upto)}" if upto else _number(amount)
        return f"{words}{scale and ' '}{scale} {unit[1]}"
    main = f"{_number(whole)} {unit[whole != '1']}"
    if decimals in ("", "00"):
        return main
    change = f"{_number(decimals.lstrip('0'))} {small[decimals != '01']}"
    return change if set(whole) == {"0"} else f"{main} and {change}"


METHOD = Method(
    augcse_numeric_to_word,
    title="Numbers in words",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    tags={
        "class": "preserving",
        "role": "positive",
        "language": "english",
        "alias": "NumericToWord",
        "table": "augcse",
    },
)
