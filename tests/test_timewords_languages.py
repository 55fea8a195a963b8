"""Time words in each language, against one Wednesday afternoon in Amsterdam."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memoryapp.timewords import find

NOW = datetime(2026, 3, 11, 14, 30, tzinfo=UTC)  # 15:30 in Amsterdam

# language, text, what is found, from and to on the user's clock ("" when open), precision
CASES = [
    ("en", "I moved here on 4 May 2019", "4 May 2019", "2019-05-04", "2019-05-05", "day"),
    ("en", "we met on June 3rd", "June 3rd", "2025-06-03", "2025-06-04", "day"),
    ("en", "I've lived here since 2015", "since 2015", "2015-01-01", "", "year"),
    ("en", "I got the job three years ago", "three years ago", "2023-01-01", "2024-01-01", "year"),
    ("en", "it broke two weeks ago", "two weeks ago", "2026-02-25", "2026-02-26", "day"),
    ("en", "what did I do last spring", "last spring", "2025-03-01", "2025-06-01", "month"),
    ("en", "I was ill last week", "last week", "2026-03-02", "2026-03-09", "day"),
    ("en", "dinner tomorrow at 7:30pm", "tomorrow at 7:30pm", "2026-03-12T19:30", "", "instant"),
    (
        "en",
        "away from 3 to 12 June 2026",
        "from 3 to 12 June 2026",
        "2026-06-03",
        "2026-06-13",
        "day",
    ),
    ("en", "before March 2020", "before March 2020", "", "2020-03-01", "month"),
    ("en", "after 2021", "after 2021", "2022-01-01", "", "year"),
    (
        "en",
        "the first Monday of May 2026",
        "first Monday of May 2026",
        "2026-05-04",
        "2026-05-05",
        "day",
    ),
    ("en", "in the 1990s", "1990s", "1990-01-01", "2000-01-01", "year"),
    ("en", "due 2026-04-01", "2026-04-01", "2026-04-01", "2026-04-02", "day"),
    (
        "es",
        "Me mudé a Sevilla hace tres años",
        "hace tres años",
        "2023-01-01",
        "2024-01-01",
        "year",
    ),
    ("es", "vivo aquí desde marzo de 2019", "desde marzo de 2019", "2019-03-01", "", "month"),
    ("es", "la semana pasada fui al médico", "semana pasada", "2026-03-02", "2026-03-09", "day"),
    ("es", "nos vemos mañana a las 8", "mañana a las 8", "2026-03-12T08:00", "", "instant"),
    ("es", "nací el 7 de agosto de 1990", "7 de agosto de 1990", "1990-08-07", "1990-08-08", "day"),
    ("fr", "j'habite ici depuis deux ans", "depuis deux ans", "2024-01-01", "", "year"),
    ("fr", "il y a trois jours", "il y a trois jours", "2026-03-08", "2026-03-09", "day"),
    ("fr", "on part la semaine prochaine", "semaine prochaine", "2026-03-16", "2026-03-23", "day"),
    ("fr", "né le 2 février 1988", "2 février 1988", "1988-02-02", "1988-02-03", "day"),
    ("fr", "après-demain à 18h30", "après-demain à 18h30", "2026-03-13T18:30", "", "instant"),
    ("de", "ich wohne seit drei Jahren hier", "seit drei Jahren", "2023-01-01", "", "year"),
    ("de", "vor zwei Monaten", "vor zwei Monaten", "2026-01-01", "2026-02-01", "month"),
    ("de", "am 3. Oktober 2024", "3. Oktober 2024", "2024-10-03", "2024-10-04", "day"),
    ("de", "letzten Sommer", "letzten Sommer", "2025-06-01", "2025-09-01", "month"),
    ("de", "übermorgen um 9 Uhr", "übermorgen um 9 Uhr", "2026-03-13T09:00", "", "instant"),
    ("nl", "ik woon hier sinds 2018", "sinds 2018", "2018-01-01", "", "year"),
    ("nl", "drie dagen geleden", "drie dagen geleden", "2026-03-08", "2026-03-09", "day"),
    ("nl", "volgende maand", "volgende maand", "2026-04-01", "2026-05-01", "month"),
    ("it", "due settimane fa", "due settimane fa", "2026-02-25", "2026-02-26", "day"),
    ("it", "il 25 aprile 2020", "25 aprile 2020", "2020-04-25", "2020-04-26", "day"),
    ("it", "il mese scorso", "mese scorso", "2026-02-01", "2026-03-01", "month"),
    ("pt", "há cinco anos", "há cinco anos", "2021-01-01", "2022-01-01", "year"),
    ("pt", "na próxima semana", "próxima semana", "2026-03-16", "2026-03-23", "day"),
    ("pt", "15 de novembro de 2022", "15 de novembro de 2022", "2022-11-15", "2022-11-16", "day"),
    ("tr", "üç gün önce", "üç gün önce", "2026-03-08", "2026-03-09", "day"),
    ("tr", "geçen hafta oradaydım", "geçen hafta", "2026-03-02", "2026-03-09", "day"),
    ("tr", "5 Mayıs 2021'de taşındım", "5 Mayıs 2021", "2021-05-05", "2021-05-06", "day"),
    ("ja", "2019年4月1日に入社しました", "2019年4月1日", "2019-04-01", "2019-04-02", "day"),
    ("ja", "先週引っ越した", "先週", "2026-03-02", "2026-03-09", "day"),
    ("ja", "三年前に結婚した", "三年前に", "2023-01-01", "2024-01-01", "year"),
    ("zh", "我去年搬到了上海", "去年", "2025-01-01", "2026-01-01", "year"),
    ("zh", "明天下午三点开会", "明天下午三点", "2026-03-12T15:00", "", "instant"),
    ("zh", "二〇一九年五月四日", "二〇一九年五月四日", "2019-05-04", "2019-05-05", "day"),
    ("zh", "上周三见面", "上周三", "2026-03-04", "2026-03-05", "day"),
    ("ko", "지난주에 이사했어요", "지난주", "2026-03-02", "2026-03-09", "day"),
    ("ko", "2020년 3월에 입사했습니다", "2020년 3월", "2020-03-01", "2020-04-01", "month"),
    ("ko", "이틀 전에", "이틀 전에", "2026-03-09", "2026-03-10", "day"),
    ("hi", "मैं तीन साल पहले आया", "तीन साल पहले", "2023-01-01", "2024-01-01", "year"),
    ("hi", "5 मार्च 2020 को", "5 मार्च 2020", "2020-03-05", "2020-03-06", "day"),
    ("hi", "मैं कल आऊंगा", "कल", "2026-03-12", "2026-03-13", "day"),
    ("hi", "मैं कल आया था", "कल", "2026-03-10", "2026-03-11", "day"),
    ("ar", "قبل ثلاثة أيام", "قبل ثلاثة أيام", "2026-03-08", "2026-03-09", "day"),
    ("ar", "الأسبوع الماضي", "الأسبوع الماضي", "2026-03-02", "2026-03-09", "day"),
    ("ar", "في 5 مايو 2020", "5 مايو 2020", "2020-05-05", "2020-05-06", "day"),
]


@pytest.mark.parametrize(("language", "text", "words", "begin", "finish", "precision"), CASES)
def test_found(
    language: str, text: str, words: str, begin: str, finish: str, precision: str
) -> None:
    (found,) = find(text, now=NOW, time_zone="Europe/Amsterdam", language=language)
    clock = [
        "" if moment is None else moment.replace(tzinfo=None).isoformat(timespec="minutes")
        for moment in (found.from_, found.to)
    ]
    assert found.text == text[found.start : found.end] == words
    assert [moment.removesuffix("T00:00") for moment in clock] == [begin, finish]
    assert found.precision == precision


@pytest.mark.parametrize("hint", ["", "en", "de"])
@pytest.mark.parametrize(
    "text", ["vivo en Madrid desde hace dos años", "j'habite ici depuis deux ans", "我两年前搬家了"]
)
def test_the_text_says_its_language(text: str, hint: str) -> None:
    (found,) = find(text, now=NOW, time_zone="UTC", language=hint)
    assert found.from_ == datetime(2024, 1, 1, tzinfo=UTC)
