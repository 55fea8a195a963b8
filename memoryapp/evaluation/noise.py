"""Messages that say nothing lasting about the one who writes them, and mixed chat; made up
from a seed, so that every run has the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

SEED = 20261
_TOPICS = (
    *("tides", "sourdough", "lichen", "monsoons", "prime numbers", "espresso machines"),
    *("solar panels", "the Hanseatic League", "tax brackets", "knitting patterns", "volcanoes"),
    *("jazz chords", "bicycle gears", "orchids", "black holes", "fermentation", "typography"),
    *("the French Revolution", "data pipelines", "greenhouses", "chess endings", "yeast"),
)
_PLACES = ("Lisbon", "Osaka", "Tromsø", "Cusco", "Galway", "Pune", "Riga", "Tbilisi", "Windhoek")
_NAMES = ("Ada", "Bo", "Chidi", "Dana", "Emre", "Farah", "Goran", "Hana", "Ines", "Jun")
_THINGS = ("kettle", "lantern", "rope", "ledger", "compass", "violin", "ladder", "anvil", "map")
_VERBS = ("parse", "merge", "render", "resolve", "retry", "flush", "rotate", "compress", "index")


def _greeting(r: random.Random) -> str:
    hello = r.choice(("Hi", "hey", "Hello there", "Good morning", "yo", "Hiya", "Evening", "Hallo"))
    tail = r.choice(
        ("!", " :)", ", how are you today?", ", hope you're well", ", me again", "", ", back again",
         ", quick one", ", thanks for yesterday", ", are you there?")
    )  # fmt: skip
    return hello + tail


def _small_talk(r: random.Random) -> str:
    return r.choice(
        (
            "ok thanks", "haha nice", "that makes sense", "perfect, ta", "hmm", "interesting",
            "wow", "got it, cheers", "lol", "yes please", "no, the other one", "sure, go on",
            "great answer", "can you say that again?", "brb", "I see", "never mind", "sounds good",
            "I'm a bit tired today", "ugh, what a day", "it's raining here right now",
            "I'm on the bus at the moment", "one sec, someone's at the door", "I'm hungry",
            "feeling better than this morning", "I'm off to bed now, good night",
            "I love it!", "I like that one better", "I'm confused", "I don't get it", "I'm done",
            "I have no idea", "I agree", "that's what I thought", "I'll try that", "I'm back",
            "I hate this bug", "I prefer the second version", "I'm not sure", "you're the best",
        )
    ) + r.choice(("", ".", "!", " …", " 🙂"))  # fmt: skip


def _question(r: random.Random) -> str:
    topic, place = r.choice(_TOPICS), r.choice(_PLACES)
    return r.choice(
        (
            f"How do {topic} work?",
            f"What's the weather like in {place} in {r.choice(('May', 'October', 'January'))}?",
            f"Do people in {place} care about {topic}?",
            f"Why are {topic} so hard to explain to a {r.randint(5, 15)}-year-old?",
            f"Is {place} bigger than {r.choice(_PLACES)}?",
            f"Should I learn about {topic} first or just start?",
            f"What would you do if you lived in {place}?",
            f"Could I use a {r.choice(_THINGS)} for {topic}?",
            f"How far is it from {place} to {r.choice(_PLACES)}?",
            f"If I moved to {place}, would I need a car?",
            f"Am I right that {topic} were discovered by accident?",
            f"My question is whether {topic} matter in {place}?",
            f"I wonder how people in {place} live without {topic}",
            f"I'm curious: who invented {topic}?",
            f"What would my life be like if I were a {r.choice(_THINGS)} maker in {place}?",
        )
    )


def _request(r: random.Random) -> str:
    topic, thing = r.choice(_TOPICS), r.choice(_THINGS)
    return r.choice(
        (
            f"Write a short paragraph about {topic}.",
            f"Translate 'I am a {r.choice(('baker', 'pilot', 'judge'))}' into Spanish.",
            f"Summarise the history of {topic} in {r.randint(3, 9)} bullet points",
            f"Give me {r.randint(3, 12)} names for a {thing}",
            f"Pretend you are a {thing} and tell me about {topic}.",
            f"Make a table that compares {topic} and {r.choice(_TOPICS)}.",
            f"Fix the grammar: 'me and {r.choice(_NAMES)} was going to {r.choice(_PLACES)}'",
            f"Explain {topic} like I'm five.",
            f"I need a {thing} quiz with {r.randint(5, 20)} questions.",
            f"I want you to act as my {r.choice(('lawyer', 'coach', 'butler'))} for {topic}.",
            f"I'd like a caption for a photo of {r.choice(_PLACES)}",
            f"Write a first-person diary entry of a {thing} seller who lives in "
            f"{r.choice(_PLACES)}.",
            f"Rewrite this: I love {topic} and I work at {thing.title()} Ltd.",
            f"Draft an email to {r.choice(_NAMES)} saying the {thing} is late.",
            f"Continue the story: '{r.choice(_NAMES)} lifted the {thing} and said: I live alone.'",
        )
    )


def _code(r: random.Random) -> str:
    verb, thing = r.choice(_VERBS), r.choice(_THINGS)
    body = r.choice(
        (
            f"def {verb}_{thing}(rows):\n    # I live in the attic of this module\n"
            f"    return [row for row in rows if row.id > {r.randint(1, 999)}]",
            f'{{"name": "{r.choice(_NAMES)}", "city": "{r.choice(_PLACES)}",'
            f' "limit": {r.randint(1, 99)}, "theme": "dark"}}',
            f"SELECT {thing}_id, my_favourite FROM {verb}s WHERE owner = '{r.choice(_NAMES)}';",  # noqa: S608
            f"const {thing} = await {verb}('{r.choice(_PLACES)}'); // my name is {thing}",
            f"# I am allergic to globals\nexport {thing.upper()}_PATH=/opt/{thing}/{verb}",
            f"name: {r.choice(_NAMES)}\nemployer: {thing} & co\nhome: {r.choice(_PLACES)}",
        )
    )
    return r.choice(("Why does this fail?\n", "Fix this:\n", "", "what is wrong here\n")) + (
        f"```{r.choice(('python', 'json', 'sql', 'js', 'yaml', ''))}\n{body}\n```"
    )


def _log(r: random.Random) -> str:
    lines = [
        f"2026-0{r.randint(1, 9)}-{r.randint(10, 28)}T{r.randint(10, 23)}:{r.randint(10, 59)}:07Z "
        f"{r.choice(('INFO', 'WARN', 'ERROR', 'DEBUG'))} [{r.choice(_THINGS)}-{r.randint(1, 40)}] "
        + r.choice(
            (
                f"user={r.choice(_NAMES)} likes={r.choice(_THINGS)} took {r.randint(2, 900)} ms",
                f"I am now leader for shard {r.randint(1, 64)}",
                f"my preferred replica is {r.choice(_PLACES).lower()}-{r.randint(1, 9)}",
                f"can't {r.choice(_VERBS)} {r.choice(_THINGS)}: connection reset by peer",
                f"location: {r.choice(_PLACES)}, retry in {r.randint(1, 60)}s",
            )
        )
        for _ in range(r.randint(2, 6))
    ]
    return r.choice(("", "Any idea?\n", "this is the log:\n")) + "\n".join(lines)


def _poem(r: random.Random) -> str:
    thing, place = r.choice(_THINGS), r.choice(_PLACES)
    lines = (
        f"I am the {thing} that sleeps by the sea",
        f"My name is the wind over {place} at night",
        f"I love the cold {r.choice(_THINGS)} that loved not me",
        f"I live in a {thing}, I live without light",
        f"O {place}, you taught me to fear the sun",
        f"My mother was thunder, my father a {r.choice(_THINGS)}",
    )
    title = r.choice(
        (
            "Here is the poem from the anthology:",
            "Rate this poem:",
            f"“The {thing.title()}”, by {r.choice(_NAMES)}:",
            "What metre is this poem in?",
        )
    )
    mark = r.choice(("> ", "", "    "))
    return title + "\n\n" + ",\n".join(f"{mark}{line}" for line in r.sample(lines, 4))


def _assistant_text(r: random.Random) -> str:
    topic = r.choice(_TOPICS)
    steps = "\n".join(
        f"{number}. **{r.choice(_VERBS).title()} the {r.choice(_THINGS)}** – "
        f"this keeps {topic} consistent."
        for number in range(1, r.randint(4, 6))
    )
    start = r.choice(
        (
            f"Certainly! Here is an overview of {topic}:",
            f"Great question! There are several things to know about {topic}.",
            f"As an AI language model, I don't have personal preferences, but {topic} are popular.",
            f"Sure! You mentioned that you enjoy {topic}, so here is a plan:",
            f"I'd recommend starting with {topic} since you live in {r.choice(_PLACES)}.",
            f"I understand that {topic} can be confusing. I'm here to help!",
            f"I'm sorry for the mix-up. I have updated the {r.choice(_THINGS)} for you.",
        )
    )
    return f"{start}\n\n{steps}\n\nLet me know if you'd like more details about {topic}!"


def _recalled(r: random.Random) -> str:
    """What a frontend sends when it puts recalled memory into the user's message."""
    facts = [
        f"The user lives in {r.choice(_PLACES)}.",
        f"Your name is {r.choice(_NAMES)}.",
        f"You like {r.choice(_TOPICS)}.",
        f"The user's employer is {r.choice(_THINGS).title()} Works.",
        f"User prefers {r.choice(_THINGS)}s over {r.choice(_THINGS)}s.",
    ]
    chosen = r.sample(facts, 3)
    block = r.choice(
        (
            "<memory>\n" + "\n".join(chosen) + "\n</memory>",
            "<memories>\n" + "\n".join(f"- {fact}" for fact in chosen) + "\n</memories>",
            "===== MEMORY =====\n"
            + "\n".join(f"[{n}] {fact}" for n, fact in enumerate(chosen, 1))
            + "\n===== END MEMORY =====",
            "<user_memory>\n" + " ".join(chosen) + "\n</user_memory>",
            "Relevant memories:\n" + "\n".join(f"- {fact}" for fact in chosen),
            "## What you know about me\n" + "\n".join(f"* {fact}" for fact in chosen),
        )
    )
    return f"{block}\n\n{_question(r)}"


KINDS: dict[str, Callable[[random.Random], str]] = {
    "greeting": _greeting,
    "small talk": _small_talk,
    "question": _question,
    "request": _request,
    "code": _code,
    "log": _log,
    "poem": _poem,
    "assistant text": _assistant_text,
    "recalled memory": _recalled,
}


def noise(count: int, seed: int = SEED) -> Iterator[tuple[str, str]]:
    """So many messages as (kind, text), the kinds by turns."""
    chance = random.Random(seed)  # noqa: S311  # test material, nothing secret
    kinds = list(KINDS.items())
    for number in range(count):
        name, make = kinds[number % len(kinds)]
        yield name, make(chance)


def _statement(r: random.Random) -> str:
    return r.choice(
        (
            f"I live in {r.choice(_PLACES)}.",
            f"I work as a {r.choice(('welder', 'teacher', 'surveyor', 'cook'))} in "
            f"{r.choice(_PLACES)}.",
            f"My sister {r.choice(_NAMES)} likes {r.choice(_TOPICS)}.",
            f"I love {r.choice(_TOPICS)} but I don't like {r.choice(_TOPICS)}.",
            f"Actually I prefer {r.choice(('tea', 'cocoa', 'maté'))} now, not coffee.",
            f"We have a dog called {r.choice(_NAMES)}.",
            f"I'm allergic to {r.choice(('walnuts', 'pollen', 'latex'))}.",
            f"By the way, I moved to {r.choice(_PLACES)} last month, so that changes the plan.",
        )
    )


# Small talk, questions and requests are most of what people write to an assistant.
_MIX: Sequence[tuple[Callable[[random.Random], str], int]] = (
    (_greeting, 10), (_small_talk, 25), (_question, 25), (_request, 20), (_code, 5),
    (_statement, 15),
)  # fmt: skip


def chat(count: int, seed: int = SEED) -> list[str]:
    """Mixed chat, most of it nothing to remember."""
    chance = random.Random(seed)  # noqa: S311
    makers, weights = zip(*_MIX, strict=True)
    return [make(chance) for make in chance.choices(makers, weights, k=count)]
