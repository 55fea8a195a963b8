"""How suites judge, on facts put before them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memoryapp.evaluation.datasets import Case, Choice, Snippet, Update, Utterance
from memoryapp.evaluation.gold import Gold
from memoryapp.evaluation.memory import Answer, Seen, Turn
from memoryapp.evaluation.suites_data import choose, judge_snippet, judge_update, sign_of_error
from memoryapp.evaluation.suites_statements import holds_answer, judge_case, judge_utterance

AT = datetime(2026, 1, 5, tzinfo=UTC)


def fact(attribute: str, value: str, status: str = "current", **more: object) -> Seen:
    return Seen("user", attribute, value, status=status, **more)  # type: ignore[arg-type]


def case(text: str = "x", **expect: object) -> Case:
    return Case("c", "fact", [Turn("user", text, AT)], **expect)  # type: ignore[arg-type]


def test_a_case_that_holds() -> None:
    one = case(
        current=[{"attribute": "home", "value": "Riga"}],
        superseded=[{"attribute": "home", "value": "Ghent"}],
        absent=["home=Ghent as current"],
    )
    facts = [fact("home", "Riga"), fact("home", "Ghent", "superseded")]
    outcome = judge_case(one, facts, ["x"], 0)
    assert not outcome.failures
    assert outcome.held["current"] == (1, 1)


def test_an_old_value_that_is_still_current_fails_three_checks() -> None:
    one = case(
        current=[{"attribute": "home", "value": "Riga"}], absent=["home=Ghent as current"],
        superseded=[{"attribute": "home", "value": "Ghent"}],
    )  # fmt: skip
    outcome = judge_case(one, [fact("home", "Riga"), fact("home", "Ghent")], ["x"], 0)
    names = {failure.key.split(": ")[0] for failure in outcome.failures}
    assert names == {"c superseded", "c absent", "c stored facts expected"}


def test_where_nothing_may_be_stored_anything_breaks_the_first_absence() -> None:
    one = case(absent=["uses NoteHive", "vault path"])
    assert judge_case(one, [fact("uses", "Obsidian")], ["x"], 0).held["absent"] == (1, 2)
    assert judge_case(one, [fact("uses", "x", "pending")], ["x"], 0).held["absent"] == (2, 2)


def test_what_is_true_of_another_is_not_held_against_the_user() -> None:
    one = case(
        current=[{"attribute": "person:jo.likes", "value": "jazz"}], absent=["user likes chess"]
    )
    others = [Seen("person:jo", "likes", value, status="current") for value in ("jazz", "chess")]
    assert judge_case(one, others, ["x"], 0).held["absent"] == (1, 1)
    assert judge_case(one, [fact("likes", "chess")], ["x"], 0).held["absent"] == (0, 1)


def test_a_secret_must_be_gone_from_every_text() -> None:
    one = case("it is Gull%88", absent=["Gull%88 anywhere"], redacted=["password"])
    kept = judge_case(one, [], ["it is Gull%88"], 0)
    assert (kept.held["absent"], kept.held["redacted"]) == ((0, 1), (0, 1))
    gone = judge_case(one, [], ["it is [redacted: password]"], 0)
    assert not gone.failures


def test_review_wants_the_right_sensitivity_or_a_conflict() -> None:
    one = case(review=["health: medication"])
    pending = fact("medication", "sertraline", "pending", sensitivity="health")
    assert not judge_case(one, [pending], ["x"], 0).failures
    assert judge_case(one, [fact("religion", "x", "pending")], ["x"], 0).failures
    assert not judge_case(case(review=["conflict between a and b"]), [], ["x"], 1).failures
    assert judge_case(case(review=["conflict between a and b"]), [], ["x"], 0).failures


def test_an_utterance_counts_wrong_missed_and_optional() -> None:
    one = Utterance(
        "u", "home", "…", [Gold(["location"], "Riga")], [Gold(["likes"], "fog")]
    )  # fmt: skip
    facts = [fact("likes", "fog", ""), fact("name", "Riga", "")]
    tally, failures = judge_utterance(one, facts, ["fog"])
    assert (tally.right, tally.stored, tally.found, tally.wanted) == (1, 3, 0, 1)
    assert [failure.what.split(":")[0] for failure in failures] == ["wrong", "wrong", "missed"]


def test_an_answer_is_in_one_hit_whole() -> None:
    answer = Answer([fact("home", "Riga"), fact("vehicle", "Citroën Ami")], abstained=False)
    assert holds_answer("Citroën Ami", answer, first=False)
    assert not holds_answer("Citroën Ami", answer, first=True)
    assert not holds_answer("Riga Ami", answer, first=False)


@pytest.mark.parametrize(
    ("one", "text", "language", "why"),
    [
        (fact("likes", "tea"), "i like tea.", "en", ""),
        (fact("likes", "coffee"), "i like tea.", "en", "value not in the sentence"),
        (fact("dislikes", "tea"), "i like tea.", "en", "negated without a negation"),
        (fact("dislikes", "tea"), "i don't like tea.", "en", ""),
        (fact("dislikes", "thé"), "je n'aime pas le thé.", "fr", ""),
        (fact("likes", "to"), "i like to.", "en", "a piece of a sentence as value"),
        (fact("likes", "的食物"), "我最喜欢的食物。", "zh", "a piece of a sentence as value"),
    ],
)
def test_signs_of_error(one: Seen, text: str, language: str, why: str) -> None:
    assert sign_of_error(one, text, language) == why


def test_a_snippets_facts_meet_its_labels() -> None:
    snippet = Snippet("s", "…", [("preference", "Prefers LaTeX"), ("fact", "The room is cold")])
    facts = [fact("prefers", "LaTeX"), fact("likes", "opera")]
    assert judge_snippet(snippet, facts) == (1, 1)


def test_an_update_wants_the_newest_session_first() -> None:
    update = Update("q", "How many?", "25 pages", AT, [
        [Turn("user", "20 pages", AT)], [Turn("user", "25 pages", AT + timedelta(days=9))],
    ])  # fmt: skip
    old = fact("goal", "20 pages", sent_at=AT)
    new = fact("goal", "25 pages", sent_at=AT + timedelta(days=9))
    assert judge_update(update, Answer([new, old], False)) == (True, True)
    assert judge_update(update, Answer([old, new], False)) == (False, False)
    assert judge_update(update, Answer([], True)) == (False, False)


def test_an_option_must_stand_out() -> None:
    options = {"a": "You love oboes in concert", "b": "You love drums in concert"}
    choice = Choice("q", "k", "?", options, "a", 0)
    assert choose(choice, Answer([fact("likes", "oboes")], False)) == "a"
    assert choose(choice, Answer([fact("likes", "concert")], False)) == ""
    assert choose(choice, Answer([], True)) == ""
