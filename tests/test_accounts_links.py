from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.logs import LOGGERS
from accounts.models import Application, EndUser, PageLink, User
from accounts.services import ensure_application, page_link_url
from accounts.sessions import session_application

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture
def application(owner: User) -> Application:
    return ensure_application(owner=owner, name="Chatterbox")


@pytest.fixture
def end_user(application: Application) -> User:
    return EndUser.objects.resolve(application=application, external_id="u1")


def _path(user: User, application: Application | None = None) -> str:
    return page_link_url(user=user, application=application, base_url="")


def _signed_in_as(client: Client) -> str | None:
    return client.session.get("_auth_user_id")


def test_looking_uses_nothing_up_and_posting_signs_in_once(client: Client, owner: User) -> None:
    path = _path(owner)
    for _ in range(2):
        page = client.get(path)
        assert page.status_code == 200
        assert page.headers["Cache-Control"] == "no-store"
        assert page.headers["Referrer-Policy"] == "strict-origin"
        assert _signed_in_as(client) is None
    assert client.head(path).status_code == 200

    entered = client.post(path)

    assert entered.status_code == 302
    assert entered.headers["Location"] == reverse("memories")
    assert entered.headers["Cache-Control"] == "no-store"
    assert _signed_in_as(client) == str(owner.pk)
    for answer in (Client().get(path), Client().post(path)):
        assert answer.status_code == 410
        assert "doesn’t work any more" in answer.text
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cache-Control"] == "no-store"


def test_an_expired_link_and_an_unknown_one_look_the_same(client: Client, owner: User) -> None:
    expired, unknown = _path(owner), reverse("accounts:enter", args=["x" * 43])
    PageLink.objects.update(expires_at=timezone.now())

    answers = [client.post(expired), client.post(unknown)]

    assert [answer.status_code for answer in answers] == [410, 410]
    assert answers[0].content == answers[1].content
    assert _signed_in_as(client) is None


def test_a_link_of_a_closed_account_or_application_is_gone(
    client: Client, application: Application, end_user: User
) -> None:
    path = _path(end_user, application)
    Application.objects.update(revoked_at=timezone.now())
    assert client.post(path).status_code == 410
    Application.objects.update(revoked_at=None)
    User.objects.filter(pk=end_user.pk).update(is_active=False)
    assert client.post(path).status_code == 410
    User.objects.filter(pk=end_user.pk).update(is_active=True)
    assert client.post(path).status_code == 302


def test_an_applications_session_knows_it_and_ends_after_an_hour(
    client: Client, application: Application, end_user: User
) -> None:
    path = _path(end_user, application)
    assert "Chatterbox" in client.get(path).text
    before = timezone.now()

    answer = client.post(path)

    assert session_application(answer.wsgi_request) == application.pk
    end = Session.objects.get().expire_date
    assert before + timedelta(hours=1) <= end <= timezone.now() + timedelta(hours=1)


def test_a_personal_link_takes_the_application_off_the_session(
    client: Client, application: Application, end_user: User
) -> None:
    client.post(_path(end_user, application))
    answer = client.post(_path(end_user))
    assert session_application(answer.wsgi_request) is None
    assert Session.objects.get().expire_date > timezone.now() + timedelta(days=1)


def test_a_link_replaces_another_persons_session(client: Client, owner: User, other: User) -> None:
    client.force_login(other)
    client.session["theirs"] = True
    client.post(_path(owner))
    assert _signed_in_as(client) == str(owner.pk)
    assert "theirs" not in client.session


def test_an_application_opens_the_page_of_its_own_end_users_only(
    application: Application, owner: User, other: User
) -> None:
    for user in (owner, other):
        with pytest.raises(ValueError, match="not an end user"):
            PageLink.objects.issue(user=user, application=application)


def test_an_applications_session_stays_out_of_the_sign_in_settings(
    client: Client, application: Application, end_user: User
) -> None:
    client.post(_path(end_user, application))

    for name in ("account_email", "account_set_password", "account_reauthenticate"):
        assert client.get(reverse(name)).status_code == 404
    posted = client.post(reverse("account_email"), {"action_add": "", "email": "thief@example.com"})
    assert posted.status_code == 404
    assert client.post(reverse("account_logout")).status_code == 302
    assert _signed_in_as(client) is None


def test_of_many_at_once_one_gets_in(committed_db: Any, owner: User) -> None:
    from django.db import connections

    _, token = PageLink.objects.issue(user=owner)

    def consume(_: int) -> bool:
        try:
            return PageLink.objects.consume(token) is not None
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(consume, range(16))) == 1


class _Heard(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def heard() -> Iterator[list[str]]:
    handler, root = _Heard(), logging.getLogger()
    root.addHandler(handler)
    # django.server writes to a handler of its own and passes nothing on.
    quiet = [logging.getLogger(name) for name in LOGGERS if not logging.getLogger(name).propagate]
    for logger in quiet:
        logger.addHandler(handler)
    yield handler.lines
    for logger in [root, *quiet]:
        logger.removeHandler(handler)


def test_the_log_never_shows_a_token(owner: User, heard: list[str]) -> None:
    path = _path(owner)
    token = path.split("/")[2]
    client, strict = Client(), Client(enforce_csrf_checks=True)

    assert strict.post(path).status_code == 403
    assert client.put(path).status_code == 405
    assert client.post(path).status_code == 302
    assert client.post(path).status_code == 410
    assert client.get(f"{path}more").status_code == 404
    assert client.get(path, headers={"host": "elsewhere.example"}).status_code == 400
    logging.getLogger("django.server").info('"%s" %s', f"GET {path} HTTP/1.1", 200)

    assert not [line for line in heard if token in line]
    assert len([line for line in heard if "/enter/[hidden]" in line]) >= 5


def test_a_browser_may_post_the_form(page: Page, owner: User) -> None:
    # `Referrer-Policy: no-referrer` would make it send "Origin: null", which CSRF
    # protection refuses; the test client sends no Origin and wouldn't notice.
    path = _path(owner)
    page.goto(path)
    page.get_by_role("button", name="Open the page").click()
    page.wait_for_url(lambda url: "/enter/" not in url)
    page.goto(path)
    assert "You are signed in already" in page.inner_text("main")
