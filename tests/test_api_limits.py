"""How often one may ask."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, connections
from django.db.models import F

from accounts.models import ApiKey, User
from memoryapp import limits
from memoryapp.models import RateBucket
from tests.api import Frontend, application, personal, problem


def later(seconds: float) -> None:
    """As if so much time had passed: the clock is the database's."""
    RateBucket.objects.update(at=F("at") - timedelta(seconds=seconds))


def parts(header: str) -> dict[str, dict[str, int]]:
    """A list of the draft's items: name -> parameters."""
    found = {}
    for item in header.split(", "):
        name, *parameters = item.split(";")
        assert re.fullmatch(r'"\w+"', name)
        found[name.strip('"')] = {key: int(n) for key, n in (p.split("=") for p in parameters)}
    return found


def test_what_is_left_is_told(owner: User, settings: Any) -> None:
    settings.RATE_LIMIT_KEY, settings.RATE_LIMIT_USER = 120, 60
    frontend = personal(owner)
    frontend.get("/facts")
    response = frontend.get("/facts")
    assert response["RateLimit-Policy"] == '"key";q=120;w=60, "user";q=60;w=60'
    told = parts(response["RateLimit"])
    # Two were taken; a little has come back in between.
    assert told["key"]["r"] in {118, 119}
    assert told["user"]["r"] in {58, 59}
    assert 1 <= told["user"]["t"] <= 2


def test_one_too_many_is_refused_with_the_cure(owner: User, settings: Any) -> None:
    settings.RATE_LIMIT_KEY, settings.RATE_LIMIT_USER = 0, 2
    frontend = personal(owner)
    assert [frontend.get("/facts").status_code for _ in range(2)] == [200, 200]
    response = frontend.get("/facts")
    answer = problem(response, 429, "too-many-requests")
    wait = int(response["Retry-After"])
    assert 1 <= wait <= 30
    assert str(wait) in answer["detail"]
    assert parts(response["RateLimit"])["user"]["r"] == 0
    later(wait)
    assert frontend.get("/facts").status_code == 200
    problem(frontend.get("/facts"), 429, "too-many-requests")


def test_asking_on_does_not_make_it_worse(owner: User, settings: Any) -> None:
    settings.RATE_LIMIT_USER = 60
    frontend = personal(owner)
    for _ in range(60):
        frontend.get("/settings")
    for _ in range(5):
        frontend.get("/settings")
    later(1)
    assert frontend.get("/settings").status_code == 200


def test_each_user_and_each_key_has_their_own(owner: User, other: User, settings: Any) -> None:
    settings.RATE_LIMIT_KEY, settings.RATE_LIMIT_USER = 3, 2
    _app, frontend = application(owner)
    assert frontend.get("/facts?user=u1").status_code == 200
    assert frontend.get("/facts?user=u1").status_code == 200
    problem(frontend.get("/facts?user=u1"), 429, "too-many-requests")
    # The key's three are used up, whoever is asked about; another key's are not.
    refused = frontend.get("/facts?user=u2")
    problem(refused, 429, "too-many-requests")
    assert list(parts(refused["RateLimit"])) == ["key"]
    assert personal(other).get("/facts").status_code == 200


def test_a_refused_request_does_nothing(owner: User, settings: Any) -> None:
    settings.RATE_LIMIT_KEY = 1
    frontend = personal(owner)
    frontend.get("/facts")
    problem(frontend.patch("/settings", {"paused": True}, **{"If-Match": "*"}), 429,
            "too-many-requests")  # fmt: skip
    settings.RATE_LIMIT_KEY = 0
    assert not frontend.get("/settings").json()["paused"]


def test_wrong_requests_count_too(owner: User, settings: Any) -> None:
    settings.RATE_LIMIT_KEY = 2
    frontend = personal(owner)
    for _ in range(2):
        assert "RateLimit" in frontend.post("/recall", {})
    problem(frontend.post("/recall", {}), 429, "too-many-requests")


def test_zero_is_no_limit(owner: User, settings: Any) -> None:
    settings.RATE_LIMIT_KEY = settings.RATE_LIMIT_USER = 0
    response = personal(owner).get("/facts")
    assert "RateLimit" not in response
    assert not RateBucket.objects.exists()


def test_no_more_than_the_limit_get_through_at_once(committed_db: Any) -> None:
    bucket = uuid4()

    def ask(_: int) -> bool:
        try:
            return limits.take(name="key", bucket=bucket, limit=5).refused
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as pool:
        refused = list(pool.map(ask, range(12)))
    assert refused.count(False) in {5, 6}  # one more may have come back meanwhile


def test_a_bucket_never_holds_more_than_the_limit(db: None) -> None:
    bucket = uuid4()
    limits.take(name="key", bucket=bucket, limit=10)
    later(3600)
    assert limits.take(name="key", bucket=bucket, limit=10).left == 9
    # A smaller limit holds at once.
    assert limits.take(name="key", bucket=bucket, limit=3).left == 2


def test_idle_buckets_are_swept(db: None) -> None:
    for number in range(1, 4):
        limits.take(name="key", bucket=UUID(int=number), limit=10)
    later(limits.IDLE.total_seconds() + 1)
    limits.take(name="key", bucket=UUID(int=limits.SWEEP), limit=10)
    assert [bucket.pk.int for bucket in RateBucket.objects.all()] == [limits.SWEEP]


def test_a_bucket_names_nobody(owner: User) -> None:
    personal(owner).get("/facts")
    buckets = {bucket.pk for bucket in RateBucket.objects.all()}
    assert len(buckets) == 2
    assert owner.pk not in buckets
    assert ApiKey.objects.get().pk in buckets


def test_buckets_wait_for_no_disk(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'memoryapp_ratebucket'")
        assert cursor.fetchone() == ("u",)


def test_who_is_not_let_in_is_not_counted(db: None) -> None:
    response = Frontend().get("/facts")
    problem(response, 401, "unauthenticated")
    assert "RateLimit" not in response
