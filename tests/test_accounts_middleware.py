from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.utils import timezone, translation

from accounts.middleware import UserTimeZoneMiddleware
from accounts.models import User


def _seen(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"{timezone.get_current_timezone_name()} {translation.get_language()}")


@pytest.fixture
def answer(rf: RequestFactory) -> Callable[[User | AnonymousUser], HttpResponse]:
    def respond(user: User | AnonymousUser) -> HttpResponse:
        request = rf.get("/")
        request.user = user
        return UserTimeZoneMiddleware(_seen)(request)

    return respond


def test_a_request_runs_in_its_users_zone_and_language(
    answer: Callable[[User | AnonymousUser], HttpResponse],
) -> None:
    with translation.override("fr"):
        response = answer(User(time_zone="Asia/Tokyo", language="de"))

        assert response.text == "Asia/Tokyo de"
        assert response.headers["Content-Language"] == "de"
        assert _seen(HttpRequest()).text == "UTC fr"


def test_a_strangers_request_runs_in_the_browsers_language(
    answer: Callable[[User | AnonymousUser], HttpResponse],
) -> None:
    with translation.override("fr"):
        assert answer(AnonymousUser()).text == "UTC fr"


def test_a_zone_that_the_system_no_longer_knows_is_utc(
    answer: Callable[[User | AnonymousUser], HttpResponse],
) -> None:
    assert answer(User(time_zone="Atlantis/Capital")).text == "UTC en"


def test_zone_and_language_are_put_back_after_an_error(rf: RequestFactory) -> None:
    def fail(request: HttpRequest) -> HttpResponse:
        raise RuntimeError

    request = rf.get("/")
    request.user = User(time_zone="Asia/Tokyo", language="de")
    with translation.override("fr"):
        with pytest.raises(RuntimeError):
            UserTimeZoneMiddleware(fail)(request)
        assert _seen(request).text == "UTC fr"
