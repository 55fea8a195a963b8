"""Words of every language find each other: stems, letters in pairs, accents."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection


def one(query: str, *values: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchone()[0]


def shared(text: str, question: str) -> set[str]:
    """The lexemes that a text and a question have in common."""
    query = "SELECT tsvector_to_array(memoryapp_terms(%s))"
    return set(one(query, text)) & set(one(query, question))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("I adopted two cats.", "Did I adopt a cat?"),
        ("Ich mag lange Wanderungen in den Alpen.", "Mag ich eine Wanderung?"),
        ("J'ai acheté des chaussures de randonnée.", "Quelle chaussure est pour la randonnée ?"),
        ("Vivo en una ciudad pequeña de la costa.", "¿En qué ciudades vivo?"),
        ("У меня есть рыжая кошка.", "Где я видел рыжую кошку?"),
        ("我住在东京，喜欢寿司和拉面。", "我喜欢什么食物？寿司"),
        ("私はコーヒーが好きです。", "コーヒー"),
        ("제 고양이 이름은 미소입니다.", "고양이 이름이 뭐예요?"),
        ("ฉันชอบกินผัดไทยและต้มยำกุ้ง", "ผัดไทยอร่อยไหม"),
        ("ຂ້ອຍມັກກິນເຂົ້າໜຽວ", "ເຂົ້າໜຽວ"),
        ("ﾗｰﾒﾝが好き", "ラーメン"),
        ("My café is called Zoë.", "the cafe of zoe"),
    ],
)
def test_other_forms_of_a_word_are_found(db: None, text: str, question: str) -> None:
    assert shared(text, question)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("我住在东京，喜欢寿司和拉面。", "天气怎么样"),
        ("ฉันชอบกินผัดไทย", "อากาศ"),
        ("Ich habe das nicht mit dem Zug gemacht.", "Was ist das und wie mag ich es mit dem?"),
        ("The cat is on the mat.", "What is the weather?"),
    ],
)
def test_other_words_and_small_words_are_not(db: None, text: str, question: str) -> None:
    assert not shared(text, question)


@pytest.mark.parametrize(
    "text",
    ["", " ", "'", "\\ ' :1A", "漢" * 30_000, "ภ" * 30_000, "Ä" * 30_000, "a\u0301" * 9_000, "🏳️‍🌈"],
)
def test_any_text_has_terms(db: None, text: str) -> None:
    assert one("SELECT length(memoryapp_terms(%s)) >= 0", text)


def test_a_word_of_two_letters_of_chinese_is_found_within_a_sentence(db: None) -> None:
    assert shared("我昨天在京都看了红叶", "京都") == {"京都"}
