"""Plain statements in Spanish, German, French, Hindi and Chinese: whole values or none."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from memoryapp.extract import extract
from memoryapp.providers.local_extractor import LocalExtractor
from memoryapp.records import Batch, Turn

AT = datetime(2026, 3, 3, 10, tzinfo=UTC)


def found(message: str) -> set[str]:
    turn = Turn(UUID(int=1), "user", message, AT)
    return {
        ("NOT " if c.polarity == "negated" else "")
        + ("" if c.subject == "user" else f"{c.subject}.")
        + f"{c.attribute}={c.value}"
        for c in extract(Batch([turn]), LocalExtractor()).candidates
    }


STATED = {
    # Spanish
    "Mi comida favorita es la tortilla.": {"favourite_food=tortilla"},
    "Me gusta también el ajedrez pero no el póker.": {"likes=ajedrez"},
    "También me gustan los gatos y los caballos.": {"likes=gatos", "likes=caballos"},
    "Me encanta leer novelas y cómics viejos.": {"likes=leer novelas y cómics viejos"},
    "No como queso ni huevos.": {"NOT eats=queso", "NOT eats=huevos"},
    "Vivo con mi hermana en Bilbao.": {"home=Bilbao"},
    "Soy una arquitecta.": {"job_title=arquitecta"},
    # German
    "Ich mag auch Birnen sehr.": {"likes=Birnen"},
    "Ich esse gerne Klöße und Kraut, aber keine Wurst.": {"likes=Klöße", "likes=Kraut"},
    "Meine Lieblingsfarbe ist Grün.": {"favourite_colour=Grün"},
    "Ich bin Tischlerin.": {"job_title=Tischlerin"},
    "Ich arbeite als Koch in einem Hotel.": {"job_title=Koch"},
    "Ich wohne mit meinem Bruder in Graz.": {"home=Graz"},
    # French
    "J'aime aussi les bandes dessinées.": {"likes=bandes dessinées"},
    "J'aime vraiment nager.": {"likes=nager"},
    "J'aime jardiner mais j'aime aussi la mer.": {"likes=jardiner"},
    "J'aime le thé mais pas le café.": {"likes=thé"},
    "J'aime manger des figues et des noix.": {"likes=manger des figues et des noix"},
    "Mon plat préféré est la raclette.": {"favourite_food=raclette"},
    "Le thé est ma boisson préférée.": {"favourite_drink=thé"},
    "Je suis professeur de piano à côté.": {"job_title=professeur de piano"},
    "Je travaille également comme gardien pour payer le loyer.": {"job_title=gardien"},
    "J'ai une allergie à l'arachide.": {"allergy=arachide"},
    # Hindi
    "मुझे शतरंज भी पसंद है।": {"likes=शतरंज"},
    "मुझे चाय और दूध पीना पसंद है।": {"likes=चाय और दूध पीना"},
    "मेरा पसंदीदा रंग हरा है।": {"favourite_colour=हरा"},
    "मैं एक सिविल इंजीनियर हूँ।": {"job_title=सिविल इंजीनियर"},
    # Chinese
    "我最喜欢的食物是饺子。": {"favourite_food=饺子"},
    "我最喜欢的颜色是绿色的。": {"favourite_colour=绿色"},
    "我最喜欢的活动是登山。": {"favourite=登山 (活动)"},
    "面条是我最喜欢的食物。": {"favourite_food=面条"},
    "我是小学老师。": {"job_title=小学老师"},
    "我是一家书店经理。": {"job_title=书店经理"},
    "我是一个素食者。": {"diet=素食者"},
    "我和我太太住在杭州。": {"home=杭州"},
    "我不喝牛奶。": {"NOT drinks=牛奶"},
    "我喜欢吃面条和包子。": {"likes=吃面条和包子"},
    "我喜欢和家人散步。": {"likes=和家人散步"},
    "我真的很喜欢游泳。": {"likes=游泳"},
    "我的老板是李明。": {"person:李明.relation=老板"},
}


@pytest.mark.parametrize("message", STATED)
def test_the_whole_value(message: str) -> None:
    assert found(message) == STATED[message]


@pytest.mark.parametrize(
    "message",
    [
        "Me gusta mucho cuando nieva.",
        "Soy un médico jubilado.",
        "Ich mag Katzen nicht besonders.",
        "Ich bin ein Junge.",
        "J'aime pas le chou.",
        "J'aime bien.",
        "Je suis une fille.",
        "Je suis professeur de chant à la retraite.",
        "C'est une comédie qui est mon type de film préféré.",
        "Mon groupe préféré est en tournée.",
        "मैं एक लड़का हूँ।",
        "मैं घर में रहता हूँ।",
        "我是一个男孩。",
        "我是一名会员。",
        "我住在房子里。",
        "我来自一个小镇。",
        "我叫外卖了。",
        "我的女儿是神童。",
        "我最喜欢的乐队来了。",
        "我想我会在几年内退休。",
        "我喜欢的人在巴黎。",
    ],
)
def test_half_a_statement_and_no_job_give_nothing(message: str) -> None:
    assert found(message) == set()
