"""Checks on the reader's values: what they once lost, and what they refuse."""

from __future__ import annotations

import pytest

from tests.test_local_extractor_certain import found


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I'm not pregnant and I don't plan to be.", "NOT user.pregnancy=pregnant"),
        ("I'm doing a master's in hydrology in Delft.", "user.education=master's"),
        (
            "i cant eat gluten (coeliac, diagnosed 2015), need a birthday cake",
            "NOT user.eats=gluten",
        ),
        ("I'm a fact checker, I can't guess.", "user.job_title=fact checker"),
        (
            "About me: Karolina, 28, Kraków, UX designer at a fintech, two cats, no kids.",
            "user.name=Karolina",
        ),
        (
            "I've read everything by Bessie Head, she's hands down my favourite",
            "user.favourite_author=Bessie Head",
        ),
        ("I like history stuff, not true crime though", "NOT user.likes=true crime"),
        # Its kind stands in another sentence than its name.
        (
            "Our tortoise is older than me. He's called Winston, he's sixty-two.",
            "user.pet=Winston (tortoise)",
        ),
        ("My bike is a green Mercian.", "user.vehicle=green Mercian"),
        ("My mother in law has diabetes.", "person:mother-in-law.health_condition=diabetes"),
        ("Please keep calling me Boss Lady.", "user.preferred_name=Boss Lady"),
        ("Hi, Carlos here. Use metric units please.", "user.name=Carlos"),
        ("We are not renewing our lease.", "user.decision=not renewing our lease"),
        ("My printer jams. It's a Brother HL-L2350DW.", "user.owns=Brother HL-L2350DW"),
        ("I was told last year that I'm prediabetic.", "user.health_condition=prediabetic"),
        ("I don't want to pay more than 3 euros a month.", "user.budget=3 euros a month"),
        ("I'm remarried, and my wife Ingrid is 70.", "user.marital_status=remarried"),
        ("I go by Jo now, not Joanna.", "user.preferred_name=Joanna"),
        (
            "I'm not allowed to drive because of epilepsy.",
            "user.constraint=not allowed to drive",
        ),
        ("I'm 68 kg not 86, typed it backwards.", "user.weight=68 kg"),
        ("I eat everything except liver.", "NOT user.eats=liver"),
        ("I'm type O, is the diet any good?", "user.blood_type=O"),
        ("I live on Crete.", "user.home=Crete"),
        # "You have …"
        (
            "back's shot so no lifting for me, what else keeps me fit",
            "user.health_condition=a back that is shot",
        ),
        # Values that need not be cut, or point nowhere.
        ("I share a flat with two others in Leeds.", "user.household=two others"),
        (
            "From now on give me two sentences at most, please.",
            "user.answer_length=two sentences at most",
        ),
        ("I've developed a resin allergy.", "user.allergy=resin"),
        ("my favourite food is ramen 🍜🍜 always", "user.favourite_food=ramen"),
        ("My sister Thandi is O neg 😞", "person:thandi.blood_type=O neg"),
        ("I'm six foot one and need a bike.", "user.height=six foot one"),
        ("Don't translate what I wrote, I'm from Madrid.", "user.origin=Madrid"),
        ("I don't drink myself, they do.", "NOT user.drinks=alcohol"),
        ("never smoked, still got high BP at 44", "NOT user.habit=smoking"),
        (
            "dont have whatsapp and wont get it, whats the simplest way to video call",
            "NOT user.uses=whatsapp",
        ),
        (
            "Fine, but Outlook not Google for the invites, the whole co-op is on Outlook.",
            "user.uses=Outlook",
        ),
        (
            "You asked what laptop: ThinkPad T14, with Fedora on it. I need a dock.",
            "user.computer=ThinkPad T14",
        ),
        (
            "Any trick to stop a cockatiel screaming? Bibi is her name, she's about fifteen",
            "user.pet=Bibi (cockatiel)",
        ),
        (
            "From here on: no more than three sentences, please.",
            "user.answer_length=no more than three sentences",
        ),
        (
            "Salaam, Zubair this side, 26, originally Quetta but grew up all over.",
            "user.name=Zubair",
        ),
        (
            "My eyes tire, so from now on short paragraphs and no tables please, my screen "
            "reader makes porridge of them.",
            "NOT user.answer_format=tables",
        ),
        ("A card for nan. Nan = Doreen, 84 next month.", "person:doreen.relation=nan"),
        ("so 41, reed thatcher, knees gone", "user.job_title=reed thatcher"),
        # Said on a Tuesday, of the next one.
        ("My dentist appointment is on Tuesday.", "user.plan=dentist appointment, 10 March 2026"),
        (
            "We're flying to Lisbon on the 9th, four of us.",
            "user.plan=flying to Lisbon, 9 March 2026",
        ),
        # "You get to work by …"
        ("I take the train to work.", "user.commute=train"),
        (
            "I drive from Reading to Swindon every day for work.",
            "user.commute=driving from Reading to Swindon",
        ),
        ("I walk to work, it's 30 minutes.", "user.commute=walking"),
        # Whose it is comes after it.
        (
            "She's a dentist and never at home, my sister-in-law I mean.",
            "person:sister-in-law.job_title=dentist",
        ),
        # On what hangs nothing but the answer.
        ("I'm in Vienna if brands matter.", "user.home=Vienna"),
        ("Only halal for me, so check if these sweets are fine.", "user.diet=halal"),
        ("Do I get a free bus pass at 66 in Glasgow?", "user.age=66"),
        (
            "I quit Deloitte in March to do ceramics. Role-play my dad so I can practise.",
            "user.employer=Deloitte",
        ),
    ],
)
def test_what_is_plainly_said_is_found(text: str, fact: str) -> None:
    assert fact in found(text)


@pytest.mark.parametrize(
    "text",
    [
        # Wished for this once.
        "I'm on a train with bad wifi, keep answers short for now.",
        # Not sure oneself, or of a time that is over.
        "I think I prefer tabs.",
        "When I lived in Kyoto, I walked a lot.",
        "I left the seminary at 23 and never told my mother.",
        "we share custody 50/50",
        # At table, not at work.
        "I use a fork.",
        "Do I live in Cork?",
        "Role-play my dad. I quit Deloitte in March and I live in Cork.",
    ],
)
def test_what_only_looks_like_it_is_not(text: str) -> None:
    assert not [
        fact
        for fact in found(text)
        if fact.startswith(("user.answer", "user.ind", "user.home", "user.age", "user.uses"))
    ]


@pytest.mark.parametrize(
    "text",
    ["Grandpa Joe turned 90 and he lives in Leeds.", "Uncle Joe is 90. He lives in Leeds."],
)
def test_a_relative_called_by_both_is_one_person(text: str) -> None:
    assert {fact.partition(".")[0] for fact in found(text)} == {"person:joe"}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I live on sushi.", "user.home=sushi"),
        ("I walk to work, it's 30 minutes.", "user.commute=30 minutes"),
        ("My knees are gone at 44.", "user.size=44"),
        (
            "my brother is allergic to peanuts and hes coming for dinner",
            "person:brother.allergy=hes coming for dinner",
        ),
        ("I've been a bus driver in Leeds for 22 years.", "user.experience=22 years"),
        ("My husband snores, could it be sleep apnoea?", "user.health_condition=sleep apnoea"),
        ("What would an 18 year old use? I have no idea.", "user.age=18"),
        ("Volunteering is a great way to meet people.", "user.hobby=Volunteering"),
        (
            "Unemployment in our community is high.",
            "user.employment_status=Unemployment",
        ),
        ("I can't stand coriander, tastes of soap.", "user.dislikes=tastes of soap"),
        ("My exam is on 17 April.", "user.deadline=exam"),
        ("My son Leo can't have tree nuts.", "NOT person:leo.allergy=tree nuts"),
        (
            "My dog Max lives in Hamburg with my ex and works as a therapy dog.",
            "pet:max.household=ex",
        ),
        ("Rex is her dog, she walks him.", "user.pet=Rex (dog)"),
        (
            "Sir I am having class 12 board exams from 17 February",
            "user.plan=having, 17 February 2027",
        ),
        ("My son Tom and his wife Mia live in Cork.", "person:mia.relation=wife"),
        ("My van is the Hilux's neighbour lol. I drive a Kia K2700", "user.vehicle=Hilux"),
        ("three runs a week, it keeps us on track", "user.sport=track"),
        ("my lab partner Farah is 97 and kind", "pet:lab.age=97"),
        ("It is codeine I am allergic to, penicillin is fine.", "user.allergy=penicillin"),
        ("i'm allergic to nothing but mornings lol", "user.allergy=nothing"),
        (
            "Had a cheese toastie for lunch and now i've heartburn. Would milk help",
            "user.health_condition=heartburn",
        ),
        ("Will it survive? Mine has a cracked back.", "user.health_condition=cracked back"),
        (
            "I'm trans and I'd like a letter to HR at Aviva. keep it short",
            "user.answer_length=short",
        ),
    ],
)
def test_what_was_once_found_there_is_no_more(text: str, fact: str) -> None:
    assert fact not in found(text)


def test_not_too_long_asks_for_nothing_long() -> None:
    assert "user.answer_length=long" not in found("Please answer politely but not too long.")
