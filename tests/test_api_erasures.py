"""Several things erased at once: what is shown is what goes."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest

from accounts.models import EndUser, User
from memoryapp.context import acting_for
from memoryapp.models import ErasureReceipt, Fact, IdempotencyKey, Message
from tests.api import Frontend, application, errors, log, personal, problem
from tests.remember import remember, spoke


@pytest.fixture
def frontend(owner: User) -> Frontend:
    return personal(owner)


@pytest.fixture
def facts(owner: User) -> dict[str, UUID]:
    """Vim and then VS Code; cricket and jazz; a job."""
    return {
        "vim": remember(owner, "editor", "Vim", "2026-01-01", words="I use Vim."),
        "code": remember(owner, "editor", "VS Code", "2026-03-01", words="Now VS Code."),
        "cricket": remember(owner, "likes", "cricket", "2026-02-01", words="I like cricket."),
        "jazz": remember(owner, "likes", "jazz", "2026-04-01", conversation="other"),
        "job": remember(owner, "employer", "Initech", words="I work for Initech."),
    }


def values(frontend: Frontend) -> set[str]:
    return {item["value"] for item in frontend.get("/facts").json()["items"]}


def preview(frontend: Frontend, body: dict[str, Any]) -> dict[str, Any]:
    response = frontend.post("/erasures", {**body, "dry_run": True})
    assert response.status_code == 200, response.content
    answer: dict[str, Any] = response.json()
    return answer


def shown(answer: dict[str, Any]) -> list[str]:
    return [fact["value"] for fact in answer["facts"]]


def test_a_look_before_erases_nothing(
    owner: User, frontend: Frontend, facts: dict[str, UUID]
) -> None:
    answer = preview(frontend, {"facts": [str(facts["code"])]})
    assert shown(answer) == ["Vim", "VS Code"]
    assert [fact["value"] for fact in answer["restorable"]] == ["Vim"]
    assert answer["counts"] == {
        **{"facts": 2, "evidence": 2, "quotes": 2, "decisions": 2},
        **{"embeddings": 2, "usage": 0, "uses": 0},
    }
    assert shown(preview(frontend, {"facts": [str(facts["code"])], "restore_previous": True})) == [
        "VS Code"
    ]
    assert values(frontend) == {"VS Code", "cricket", "jazz", "Initech"}
    with acting_for(owner.pk):
        assert not ErasureReceipt.objects.exists()


def test_several_facts_go(owner: User, frontend: Frontend, facts: dict[str, UUID]) -> None:
    ids = [str(facts["code"]), str(facts["jazz"])]
    response = frontend.post("/erasures", {"facts": ids})
    assert response.status_code == 201
    assert response.json()["counts"]["facts"] == 3
    assert values(frontend) == {"cricket", "Initech"}
    assert b"jazz" not in response.content


def test_what_goes_is_what_was_shown(
    owner: User, frontend: Frontend, facts: dict[str, UUID]
) -> None:
    body = {"search": {"attribute": "likes"}}
    problem(frontend.post("/erasures", body), 428, "precondition-required")
    answer = preview(frontend, body)
    assert shown(answer) == ["cricket", "jazz"]
    remember(owner, "likes", "chess", vector=False)
    confirmed = {**body, "confirm": answer["confirm"]}
    problem(frontend.post("/erasures", confirmed), 412, "precondition-failed")
    assert {"cricket", "jazz", "chess"} <= values(frontend)
    confirmed["confirm"] = preview(frontend, body)["confirm"]
    problem(frontend.post("/erasures", {**confirmed, "forever": True}), 412, "precondition-failed")
    assert frontend.post("/erasures", confirmed).json()["counts"]["facts"] == 3
    assert values(frontend) == {"VS Code", "Initech"}


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ({"query": "Where do I work?"}, ["Initech"]),
        ({"query": "What is the capital of Peru?"}, []),
        ({"kind": "personal"}, ["Initech"]),
        ({"subject": "user", "attribute": "editor"}, ["Vim", "VS Code"]),
        ({"conversation": "other"}, ["jazz"]),
        ({"attribute": "likes", "said_from": "2026-03-15T00:00:00Z"}, ["jazz"]),
        ({"attribute": "likes", "said_to": "2026-03-15T00:00:00Z"}, ["cricket"]),
        ({"scope": "ide"}, []),
    ],
)
def test_what_a_search_finds(
    frontend: Frontend, facts: dict[str, UUID], search: dict[str, Any], found: list[str]
) -> None:
    assert shown(preview(frontend, {"search": search})) == found


def test_nothing_found_is_not_an_erasure(frontend: Frontend, facts: dict[str, UUID]) -> None:
    body = {"search": {"scope": "ide"}}
    confirmed = {**body, "confirm": preview(frontend, body)["confirm"]}
    problem(frontend.post("/erasures", confirmed), 404, "not-found")


def test_forever(owner: User, frontend: Frontend, facts: dict[str, UUID]) -> None:
    frontend.post("/erasures", {"facts": [str(facts["jazz"])], "forever": True})
    with pytest.raises(AssertionError):
        remember(owner, "likes", "jazz", "2026-05-01", words="I do like jazz.")
    assert "jazz" not in values(frontend)


def test_messages_go_with_what_they_alone_taught(
    owner: User, frontend: Frontend, facts: dict[str, UUID]
) -> None:
    items = frontend.get("/conversations/talk/messages").json()["items"]
    ids = [item["id"] for item in items if "cricket" in item["content"]]
    body = {"messages": ids}
    answer = preview(frontend, body)
    assert shown(answer) == ["cricket"]
    assert answer["counts"] == {
        **{"messages": 1, "facts": 1, "evidence": 1},
        **{"embeddings": 1, "usage": 0, "uses": 0},
    }
    receipt = frontend.post("/erasures", {**body, "confirm": answer["confirm"]}).json()
    assert (receipt["target"], receipt["counts"]["facts"]) == ("messages", 1)
    assert "cricket" not in values(frontend)
    with acting_for(owner.pk):
        assert Message.objects.get(pk=ids[0]).content == ""


def test_once(owner: User, frontend: Frontend, facts: dict[str, UUID]) -> None:
    key = {"Idempotency-Key": "k1"}
    body = {"facts": [str(facts["jazz"])]}
    first = frontend.post("/erasures", body, **key)
    again = frontend.post("/erasures", body, **key)
    assert (again.status_code, again.json()) == (201, first.json())
    assert again["Idempotency-Replayed"] == "true"
    problem(frontend.post("/erasures", body), 404, "not-found")
    with acting_for(owner.pk):
        assert ErasureReceipt.objects.count() == 1
        assert IdempotencyKey.objects.get().body == {"receipt": first.json()["id"]}


def test_receipts_are_listed(owner: User, frontend: Frontend, facts: dict[str, UUID]) -> None:
    for name in ("jazz", "cricket", "job"):
        frontend.post("/erasures", {"facts": [str(facts[name])]})
    page = frontend.get("/erasures?limit=2").json()
    rest = frontend.get(f"/erasures?limit=2&cursor={page['next_cursor']}").json()
    told = [item["fact_ids"] for item in [*page["items"], *rest["items"]]]
    assert told == [[str(facts[name])] for name in ("job", "cricket", "jazz")]
    [receipt] = rest["items"]
    assert frontend.get(f"/erasures/{receipt['id']}").json() == receipt


def test_anothers_are_not_there(
    owner: User, other: User, frontend: Frontend, facts: dict[str, UUID]
) -> None:
    stranger = personal(other)
    for ids in ([str(facts["jazz"])], [str(uuid4())]):
        for dry_run in (True, False):
            body = {"facts": ids, "dry_run": dry_run}
            problem(stranger.post("/erasures", body), 404, "not-found")
    receipt = frontend.post("/erasures", {"facts": [str(facts["job"])]}).json()
    problem(stranger.get(f"/erasures/{receipt['id']}"), 404, "not-found")
    assert [event[1] for event in log(other)] == ["access.refused"] * 5
    # Half of them somebody else's: nothing goes.
    mine = remember(other, "home", "Oslo", vector=False)
    body = {"facts": [str(mine), str(facts["jazz"])]}
    problem(stranger.post("/erasures", body), 404, "not-found")
    assert values(stranger) == {"Oslo"}


def test_everything_of_an_applications_user(owner: User) -> None:
    app, frontend = application(owner)
    user = EndUser.objects.resolve(application=app, external_id="u1")
    remember(user, "editor", "Vim", words="I use Vim.", vector=False)
    body = {"user": "u1", "everything": True}
    problem(frontend.post("/erasures", body), 428, "precondition-required")
    answer = preview(frontend, body)
    assert answer["counts"]["fact"] == 1
    key = {"Idempotency-Key": "k1"}
    done = frontend.post("/erasures", {**body, "confirm": answer["confirm"]}, **key)
    assert done.status_code == 201
    assert done.json()["target"] == "account"
    assert not User.objects.filter(pk=user.pk).exists()
    with acting_for(user.pk):
        assert not Fact.objects.exists()
    # The id means somebody new by now.
    again = frontend.post("/erasures", {**body, "confirm": answer["confirm"]}, **key)
    problem(again, 412, "precondition-failed")


def test_a_look_is_for_who_may_read(owner: User, facts: dict[str, UUID]) -> None:
    topic, memory = {"topic": {"words": "Initech"}}, {"memory": True}
    for scopes, body, missing in (
        (("facts:write", "messages:write"), memory, "facts:read"),
        (("facts:write", "messages:write"), topic, "facts:read"),
        (("facts:write", "messages:write", "facts:read"), topic, "messages:read"),
    ):
        answer = personal(owner, *scopes).post("/erasures", {**body, "dry_run": True})
        assert missing in problem(answer, 403, "forbidden")["detail"]
        assert b"Initech" not in answer.content
    blind = personal(owner, "facts:write", "messages:write")
    assert blind.post("/erasures", {"facts": [str(facts["jazz"])]}).status_code == 201


def test_a_look_of_an_application_is_in_the_log_and_up_to_the_user(owner: User) -> None:
    app, frontend = application(owner)
    user = EndUser.objects.resolve(application=app, external_id="u1")
    remember(user, "employer", "Initech", words="I work for Initech.")
    body: dict[str, Any] = {"user": "u1", "topic": {"words": "Initech"}}
    assert preview(frontend, body)["messages"]
    assert [event[1] for event in log(user)][-2:] == ["facts.read", "messages.read"]
    EndUser.objects.filter(user=user).update(may_read=False)
    for name in ({"memory": True}, {"topic": {"words": "Initech"}}):
        answer = frontend.post("/erasures", {"user": "u1", **name, "dry_run": True})
        problem(answer, 403, "denied-by-user")
        assert b"Initech" not in answer.content
    # The account is counted, not shown: who may only write may close it.
    everything = {"user": "u1", "everything": True}
    assert preview(frontend, everything)["facts"] == []


def test_a_topic_shows_facts_and_messages_and_leaves_what_is_kept(
    owner: User, frontend: Frontend, facts: dict[str, UUID]
) -> None:
    spoke(owner, "assistant", "Initech has a canteen.")
    body: dict[str, Any] = {"topic": {"words": "Initech"}}
    answer = preview(frontend, body)
    assert shown(answer) == ["Initech"]
    told = {message["content"]: message["id"] for message in answer["messages"]}
    assert set(told) == {"I work for Initech.", "Initech has a canteen."}
    assert (answer["counts"]["messages"], answer["counts"]["facts"]) == (2, 1)
    body["topic"]["keep"] = [told["Initech has a canteen."]]
    problem(
        frontend.post("/erasures", {**body, "confirm": answer["confirm"]}),
        412,
        "precondition-failed",
    )
    confirmed = {**body, "confirm": preview(frontend, body)["confirm"], "forever": False}
    receipt = frontend.post("/erasures", confirmed).json()
    assert (receipt["target"], receipt["counts"]["messages"]) == ("topic", 1)
    assert "Initech" not in values(frontend)
    with acting_for(owner.pk):
        left = Message.objects.filter(content__contains="Initech")
        assert [message.role for message in left] == ["assistant"]


def test_what_was_said_in_a_time(owner: User, frontend: Frontend, facts: dict[str, UUID]) -> None:
    body = {"said": {"since": "2026-03-01T00:00:00Z", "until": "2026-04-01T00:00:00Z"}}
    answer = preview(frontend, body)
    assert shown(answer) == ["VS Code"]
    assert [fact["value"] for fact in answer["restorable"]] == ["Vim"]
    receipt = frontend.post("/erasures", {**body, "confirm": answer["confirm"]}).json()
    assert receipt["target"] == "range"
    assert "Vim" in values(frontend)
    assert shown(preview(frontend, {"said": {"since": "2026-05-01T00:00:00Z"}})) == ["Initech"]


def test_what_an_application_brought(owner: User) -> None:
    app, frontend = application(owner)
    _other_app, stranger = application(owner, "Other")
    for name in ("u1", "u2"):
        frontend.post(
            "/messages",
            {
                "user": name,
                "conversation": "c",
                "messages": [
                    {"role": "user", "content": "Hello.", "sent_at": "2026-01-01T00:00:00Z"}
                ],
            },
        )
    body = {"user": "u1", "application": str(app.pk)}
    answer = preview(frontend, body)
    assert answer["counts"]["messages"] == 1
    receipt = frontend.post("/erasures", {**body, "confirm": answer["confirm"]}).json()
    assert receipt["target"] == "application"
    problem(stranger.post("/erasures", {**body, "dry_run": True}), 404, "not-found")
    assert preview(frontend, {**body, "user": "u2"})["counts"]["messages"] == 1


def test_the_whole_memory_goes_and_the_account_stays(
    owner: User, frontend: Frontend, facts: dict[str, UUID]
) -> None:
    body = {"memory": True}
    problem(frontend.post("/erasures", body), 428, "precondition-required")
    answer = preview(frontend, body)
    assert answer["counts"]["facts"] == 5
    receipt = frontend.post("/erasures", {**body, "confirm": answer["confirm"]}).json()
    assert (receipt["target"], receipt["counts"]["facts"]) == ("everything", 5)
    assert values(frontend) == set()


def test_a_personal_key_cannot_close_its_account(frontend: Frontend) -> None:
    problem(frontend.post("/erasures", {"everything": True}), 403, "forbidden")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body"),
        ({"facts": []}, "facts"),
        ({"facts": ["x"]}, "facts[0]"),
        ({"facts": [str(uuid4())], "everything": True}, "body"),
        ({"search": {}}, "search"),
        ({"search": {"colour": "red"}}, "search.colour"),
        ({"everything": False}, "everything"),
        ({"messages": [str(uuid4())], "forever": True}, "body"),
        ({"topic": {"words": "x"}, "restore_previous": True}, "body"),
        ({"topic": {}}, "topic.words"),
        ({"said": {}}, "said"),
        ({"said": {"since": "2026-02-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"}}, "said"),
        ({"application": "mine"}, "application"),
        ({"memory": False}, "memory"),
    ],
)
def test_what_is_not_clear_is_refused(frontend: Frontend, body: Any, field: str) -> None:
    assert list(errors(frontend.post("/erasures", body))) == [field]
