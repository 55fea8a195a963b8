"""The review without scripts, and the fragments that scripts get."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memoryapp import audit, pipeline
from memoryapp.context import acting_for
from memoryapp.models import Fact, HandAct, MemorySettings, Tombstone
from memoryapp.pipeline import review as answers
from memoryapp.web import asking
from tests.memory import day, heard
from tests.notebook import delicate, facts, text
from tests.waiting import both, note, notes

HTMX: Any = {"HX-Request": "true"}


@pytest.fixture
def me(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def status(user: User, fact_id: Any) -> str:
    with acting_for(user.pk):
        return Fact.objects.get(user_id=user.pk, id=fact_id).status


def act_of(user: User) -> Any:
    with acting_for(user.pk):
        return HandAct.objects.filter(user_id=user.pk).latest("id").act


def test_each_sort_has_its_place_and_its_filter(owner: User, me: Client) -> None:
    waits, _held = both(owner)
    health, remark = delicate(owner), note(owner, "A remark.")
    page = text(me.get(reverse("review")))
    places = [page.index(f'id="fact-{one}"') for one in (waits, health, remark)]
    assert places == sorted(places)
    for sort, one in (("both", waits), ("delicate", health), ("unclear", remark)):
        page = text(me.get(reverse("review"), {"sort": sort}))
        assert page.count("data-question") == 1
        assert f'id="fact-{one}"' in page
    assert text(me.get(reverse("review"), {"sort": "x"})).count("data-question") == 3
    assert "Nothing of this sort" in text(me.get(reverse("review"), {"sort": "imported"}))


def test_pages_follow_each_other_without_gaps(
    owner: User, me: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "PER_PAGE", 2)
    waiting = {str(one) for one in (*notes(owner, 4), both(owner)[0], delicate(owner))}
    seen: list[str] = []
    after = ""
    while True:
        with acting_for(owner.pk):
            inbox = asking.inbox(owner.pk, "", after)
        seen += [str(card.id) for part in inbox.parts for card in part.cards]
        after = inbox.after
        if not after:
            break
    assert len(seen) == len(set(seen))
    assert set(seen) == waiting
    assert "data-question" in text(me.get(reverse("review"), {"after": "not a place"}))


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
@pytest.mark.parametrize(
    ("name", "becomes"), [("approve", "current"), ("reject", "rejected"), ("never", "rejected")]
)
def test_an_answer_and_its_taking_back(
    owner: User, me: Client, headers: Any, name: str, becomes: str
) -> None:
    fact_id = note(owner, "A remark.")
    response = me.post(reverse(f"fact_{name}", args=[fact_id]), headers=headers, follow=True)
    assert reverse("undo", args=[act_of(owner)]) in text(response)
    assert status(owner, fact_id) == becomes
    me.post(reverse("undo", args=[act_of(owner)]))
    assert status(owner, fact_id) == "pending"
    with acting_for(owner.pk):
        assert not Tombstone.objects.filter(user_id=owner.pk).exists()


def test_never_is_for_ever(owner: User, me: Client) -> None:
    me.post(reverse("fact_never", args=[note(owner, "A remark.")]))
    with acting_for(owner.pk):
        graves = Tombstone.objects.filter(user_id=owner.pk)
        assert set(graves.values_list("forever", flat=True)) == {True}
        # Not even the refused row is found again: the words are known as buried.
        Fact.objects.filter(user_id=owner.pk).delete()
    with pytest.raises(AssertionError):
        note(owner, "A remark.", on=5)


def test_settled_twice_is_said_and_changes_nothing(owner: User, me: Client) -> None:
    fact_id = note(owner, "A remark.")
    me.post(reverse("fact_reject", args=[fact_id]), headers=HTMX)
    for name in ("approve", "never"):
        page = text(me.post(reverse(f"fact_{name}", args=[fact_id]), headers=HTMX))
        assert "That was settled already" in page
        assert "/undo/" not in page
    assert status(owner, fact_id) == "rejected"


def test_the_review_moves_the_focus_by_itself(owner: User, me: Client) -> None:
    for more, focused in (({}, True), ({"Review-Goes-On": "1"}, False)):
        fact_id = note(owner, f"A remark, {focused}.")
        page = text(me.post(reverse("fact_approve", args=[fact_id]), headers={**HTMX, **more}))
        assert ("data-focus" in page) == focused


@pytest.mark.parametrize(
    ("name", "holds", "waited", "had"),
    [
        ("fact_approve", "this", "current", "superseded"),
        ("fact_reject", "that", "rejected", "current"),
        ("fact_approve", "both", "current", "current"),
    ],
)
def test_which_of_two_holds(
    owner: User, me: Client, name: str, holds: str, waited: str, had: str
) -> None:
    waits, other = both(owner)
    page = text(me.get(reverse("review")))
    assert "You said both. Which holds?" in page
    assert "You also said: You like rice." in page
    me.post(reverse(name, args=[waits]), {"holds": holds})
    assert (status(owner, waits), status(owner, other)) == (waited, had)
    me.post(reverse("undo", args=[act_of(owner)]))
    assert (status(owner, waits), status(owner, other)) == ("pending", "current")
    [held] = [one for one in facts(owner) if one.id == other]
    assert (held.superseded_by_id, held.valid_to) == (None, None)


def test_what_held_is_the_past_of_what_was_chosen(owner: User, me: Client) -> None:
    waits, other = both(owner)
    me.post(reverse("fact_approve", args=[waits]), {"holds": "this"})
    [past] = [one for one in facts(owner) if one.id == other]
    assert past.superseded_by_id == waits
    assert past.valid_to is not None


def test_the_other_may_be_gone_meanwhile(owner: User) -> None:
    waits, other = both(owner)
    by = audit.Actor.user(owner)
    pipeline.erase_facts(user_id=owner.pk, fact_ids=[other], by=by)
    answers.prefer(user_id=owner.pk, fact_id=waits, by=by, act=uuid4())
    assert status(owner, waits) == "current"


def test_all_at_once_leaves_out_what_needs_an_eye(owner: User, me: Client) -> None:
    plain = notes(owner, 3)
    health, (waits, _other) = delicate(owner), both(owner)
    url = reverse("review_all")
    page = text(me.get(url))
    assert "3 things would be kept" in page
    meant = [str(one) for one in (*plain[:2], health, waits, uuid4())]
    page = text(me.post(url, {"fact": meant}, follow=True))
    assert "Kept 2 things." in page
    assert [status(owner, one) for one in plain] == ["current", "current", "pending"]
    assert (status(owner, health), status(owner, waits)) == ("pending", "pending")
    me.post(reverse("undo", args=[act_of(owner)]))
    assert {status(owner, one) for one in plain} == {"pending"}


def test_nothing_chosen_keeps_nothing(owner: User, me: Client) -> None:
    notes(owner, 2)
    page = text(me.post(reverse("review_all"), follow=True))
    assert "nothing was kept" in page
    assert {one.status for one in facts(owner)} == {"pending"}


def test_keys_can_be_switched_off(owner: User, me: Client) -> None:
    note(owner, "A remark.")
    assert "data-keys" in text(me.get(reverse("review")))
    page = text(me.post(reverse("settings_save", args=["keys"]), follow=True))
    assert "data-keys" not in page
    assert "Switch the keys on" in page
    me.post(reverse("settings_save", args=["keys"]), {"review_keys": "1"})
    with acting_for(owner.pk):
        assert MemorySettings.objects.get(user_id=owner.pk).review_keys


def test_somebody_elses_question_is_not_there(owner: User, other: User, me: Client) -> None:
    theirs = note(other, "A remark.")
    for name in ("fact_approve", "fact_reject", "fact_never"):
        assert me.post(reverse(name, args=[theirs])).status_code == 404
    assert "A remark." not in text(me.get(reverse("review")))
    me.post(reverse("review_all"), {"fact": [str(theirs)]})
    assert status(other, theirs) == "pending"


def test_what_was_said_again_waits_once(owner: User, me: Client) -> None:
    heard(owner, "Something else.", on=1)
    note(owner, "A remark.")
    note(owner, "A remark.", on=2)
    assert day(2) > day(1)
    assert text(me.get(reverse("review"))).count("data-question") == 1
