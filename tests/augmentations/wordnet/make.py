"""A tiny lexicon of our own in WordNet's file format: run this to write the files beside it."""

from pathlib import Path

HERE = Path(__file__).parent

# name | part of speech | words | gloss | pointers: @ more general, & similar, ! antonym of the words in these places
MEANINGS = """
thing      | n | thing                          | anything at all            |
person     | n | person somebody                | a human being              | @thing
man        | n | man adult_male                 | a grown male person        | @person !woman:1:1
woman      | n | woman adult_female             | a grown female person      | @person
animal     | n | animal creature beast          | a living thing that moves  | @thing
canine     | n | canine canid                   | an animal like a dog       | @animal
feline     | n | feline felid                   | an animal like a cat       | @animal
dog        | n | dog domestic_dog               | an animal that barks       | @canine
poodle     | n | poodle poodle_dog              | a dog with curls           | @dog
hound      | n | hound hunting_dog              | a dog that hunts           | @dog
puppy      | n | puppy                          | a young dog                | @dog
cad        | n | cad dog bounder                | a man without manners      | @man
fox        | n | fox                            | a red wild canine          | @canine
redfox     | n | red_fox                        | a common fox               | @fox
cat        | n | cat true_cat                   | an animal that purrs       | @feline
kitten     | n | kitten kitty                   | a young cat                | @cat
building   | n | building edifice               | walls and a roof           | @thing
house      | n | house dwelling home            | a building to live in      | @building
cottage    | n | cottage bungalow               | a small house              | @house
vehicle    | n | vehicle                        | it carries people          | @thing
car        | n | car automobile motorcar        | a vehicle with an engine   | @vehicle
taxi       | n | taxi cab                       | a car for hire             | @car
fruit      | n | fruit                          | it grows on trees          | @thing
apple      | n | apple                          | a round fruit              | @fruit
pippin     | n | pippin                         | a small apple              | @apple
color      | n | color colour                   | how light looks            | @thing
brownness  | n | brown brownness                | the color of wood          | @color
jumping    | n | jump leap                      | a move off the ground      | @thing
look       | n | look glance                    | the act of seeing          | @thing
street     | n | street road                    | a way for vehicles         | @thing
jump       | v | jump leap bound                | move off the ground        |
watch      | v | look watch                     | see on purpose             |
buy        | v | buy purchase                   | get for money              | !sell:1:1
sell       | v | sell                           | give for money             |
walk       | v | walk stroll                    | go on foot                 |
run        | v | run dash                       | go fast on foot            |
eat        | v | eat consume                    | take food                  |
big        | a | big large                      | of great size              | !small:1:1 !small:2:2
small      | a | small little                   | of no great size           |
fast       | a | fast                           | of high speed              | !slow:1:1
quick      | s | quick speedy                   | done in short time         | &fast
slow       | a | slow                           | of low speed               |
happy      | a | happy glad                     | feeling well               | !unhappy:1:1
unhappy    | a | unhappy sad                    | feeling badly              |
old        | a | old                            | of many years              | !new:1:1
new        | a | new                            | of few years               |
lazy       | a | lazy work-shy                  | not fond of work           | !diligent:1:1
diligent   | a | diligent                       | fond of work               |
red        | s | red reddish                    | of the color of blood      | &big
quickly    | r | quickly rapidly                | in short time              | !slowly:1:1
slowly     | r | slowly                         | in long time               |
well       | r | well good                      | in a good manner           | !badly:1:1
badly      | r | badly poorly                   | in a bad manner            |
"""
SUFFIX = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
INVERSE = {"@": "~", "&": "&", "!": "!"}
EXCEPTIONS = {
    "noun": "men man\nwomen woman\n",
    "verb": "bought buy\nran run\nate eat\nsold sell\n",
    "adj": "bigger big\nbiggest big\n",
    "adv": "",
}


def files() -> dict[str, str]:
    """Name -> content. Lines are numbered by bytes, so they are laid out twice: once to count, once to write."""
    meanings = {}
    for line in MEANINGS.strip().splitlines():
        name, pos, words, gloss, pointers = (part.strip() for part in line.split("|"))
        meanings[name] = (pos, words.split(), gloss, pointers.split())
    links: dict[str, list[tuple[str, str, int, int]]] = {name: [] for name in meanings}
    for name, (_, _, _, pointers) in meanings.items():
        for pointer in pointers:
            target, *places = pointer[1:].split(":")
            source_place, target_place = map(int, places or ("0", "0"))
            links[name].append((pointer[0], target, source_place, target_place))
            links[target].append((INVERSE[pointer[0]], name, target_place, source_place))
    offsets = dict.fromkeys(meanings, 0)
    for _ in range(2):
        result = {f"data.{suffix}": "" for suffix in SUFFIX.values()}
        for name, (pos, words, gloss, _) in meanings.items():
            file = f"data.{SUFFIX['a' if pos == 's' else pos]}"
            offsets[name] = len(result[file])
            numbered = " ".join(f"{word} 0" for word in words)
            pointers = "".join(
                f" {sign} {offsets[target]:08d} {meanings[target][0]} {here:02x}{there:02x}"
                for sign, target, here, there in links[name]
            )
            frames = " 00" if pos == "v" else ""
            head = f"{offsets[name]:08d} 00 {pos} {len(words):02x} {numbered} {len(links[name]):03d}{pointers}"
            result[file] += f"{head}{frames} | {gloss}  \n"
    for pos, suffix in SUFFIX.items():
        index: dict[str, list[str]] = {}
        for name, (kind, words, _, _) in meanings.items():
            if pos == ("a" if kind == "s" else kind):
                for word in words:
                    index.setdefault(word.lower(), []).append(f"{offsets[name]:08d}")
        result[f"index.{suffix}"] = "".join(
            f"{word} {pos} {len(found)} 0 {len(found)} 0 {' '.join(found)}  \n" for word, found in sorted(index.items())
        )
        result[f"{suffix}.exc"] = EXCEPTIONS[suffix]
    return result


if __name__ == "__main__":
    for name, content in files().items():
        (HERE / name).write_text(content, encoding="utf-8", newline="\n")
