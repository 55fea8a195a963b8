"""The page in a frame: who may show it, what it is apart from, how it looks."""

from __future__ import annotations

import re
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.test import Client
from django.urls import get_script_prefix, reverse
from django.utils import timezone

from accounts.embedding import COOKIES, embedded_path
from accounts.models import ApiKey, Application, EndUser, PageLink, User
from accounts.theming import LEAST_CONTRAST, Theme, Unreadable, contrast, worst_contrast
from memoryapp.context import acting_for
from memoryapp.models import Extraction
from tests.api import Frontend, errors
from tests.chat import said, tell
from tests.notebook import facts, moved, text

SITES = ["https://chat.example.com", "http://localhost:3000"]


@pytest.fixture
def application(other: User) -> Application:
    return Application.objects.create(owner=other, name="Chat", embed_origins=SITES)


@pytest.fixture
def end_user(application: Application) -> User:
    return EndUser.objects.resolve(application=application, external_id="u1")


def at(application: Application, path: str = "/") -> str:
    return embedded_path(application.pk, path)


def link(application: Application, user: User, **options: Any) -> str:
    _link, token = PageLink.objects.issue(
        user=user, application=application, **{"embed": True, **options}
    )
    return reverse("accounts:enter", args=[token])


def opened(application: Application, user: User, **options: Any) -> Client:
    """A browser in whose frame the user's page is open."""
    client = Client()
    answer = client.post(at(application, link(application, user, **options)))
    assert (answer.status_code, answer.headers["Location"]) == (302, at(application))
    return client


def confirmation(page: Any) -> dict[str, str]:
    """What the form sends that forgets what the page shows."""
    [form] = re.findall(r'<form[^>]*class="[^"]*panel.*?</form>', text(page), re.DOTALL)
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))


def ancestors(answer: Any) -> str:
    [found] = re.findall(r"frame-ancestors ([^;]+)", answer.headers["Content-Security-Policy"])
    return str(found)


# -- Who may show it ------------------------------------------------------------------------------


def test_only_the_allowed_sites_may_show_it(application: Application, end_user: User) -> None:
    client = opened(application, end_user)
    page = client.get(at(application))
    assert page.status_code == 200
    assert ancestors(page) == " ".join(SITES)
    assert "X-Frame-Options" not in page.headers
    assert f'href="{at(application, reverse("review"))}"' in text(page)
    assert get_script_prefix() == "/"


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/settings/", "/admin/login/", "/none"])
def test_nothing_else_may_be_framed(client: Client, application: Application, path: str) -> None:
    answer = client.get(path)
    assert ancestors(answer) == "'none'"
    assert answer.headers["X-Frame-Options"] == "DENY"


def test_without_allowed_sites_there_is_no_frame(application: Application, end_user: User) -> None:
    client = opened(application, end_user)
    changes: list[dict[str, Any]] = [
        {"embed_origins": []},
        {"embed_origins": SITES, "revoked_at": timezone.now()},
    ]
    for change in changes:
        Application.objects.filter(pk=application.pk).update(**change)
        answer = client.get(at(application))
        assert (answer.status_code, ancestors(answer)) == (404, "'none'")
    application.embed_origins = []
    with pytest.raises(ValueError, match="no site"):
        link(application, end_user)


def test_a_site_that_slipped_in_malformed_never_reaches_the_header(
    application: Application, end_user: User
) -> None:
    Application.objects.filter(pk=application.pk).update(
        embed_origins=["https://ok.example", "*", "https://a.example; script-src *"]
    )
    assert ancestors(Client().get(at(application))) == "https://ok.example"


# -- What it is apart from ------------------------------------------------------------------------


def test_its_cookies_are_its_own_and_kept_apart_by_the_framing_site(
    application: Application, end_user: User
) -> None:
    answer = Client().post(at(application, link(application, end_user)))
    assert set(answer.cookies) == {f"{COOKIES}sessionid", f"{COOKIES}csrftoken"}
    for given in answer.cookies.values():
        assert {part.strip() for part in given.OutputString().split(";")} >= {
            f"Path={at(application)}", "SameSite=None", "Secure", "HttpOnly", "Partitioned",
        }  # fmt: skip
    plain = Client().post(link(application, end_user))
    assert "Partitioned" not in plain.cookies["sessionid"].OutputString()


def test_a_frame_knows_nobody_who_is_signed_in_outside(
    application: Application, owner: User
) -> None:
    client = Client()
    client.force_login(owner)
    answer = client.get(at(application), follow=True)
    assert answer.status_code == 403
    assert "This page is closed" in text(answer)
    assert ancestors(answer) == " ".join(SITES)
    assert client.get("/").status_code == 200


def test_nobody_outside_is_known_by_a_frames_session(
    application: Application, end_user: User
) -> None:
    client = opened(application, end_user)
    assert client.get("/").status_code == 302
    session = client.cookies[f"{COOKIES}sessionid"].value
    elsewhere = Application.objects.create(
        owner=application.owner, name="Another", embed_origins=SITES
    )
    assert client.get(at(application)).status_code == 200
    # Browsers send the cookie below its path alone. Whoever sends it elsewhere gains nothing.
    assert client.get(at(elsewhere)).status_code == 302
    for name in ("sessionid", f"{COOKIES}sessionid"):
        client.cookies = SimpleCookie({name: session})
        assert client.get("/").status_code == 302
        assert client.get(at(elsewhere)).status_code == 302


def test_a_link_that_is_for_no_frame_or_another_opens_none_and_stays_unused(
    application: Application, end_user: User
) -> None:
    elsewhere = Application.objects.create(
        owner=application.owner, name="Another", embed_origins=SITES
    )
    for path, frame in (
        (link(application, end_user, embed=False), application),
        (link(application, end_user), elsewhere),
    ):
        assert Client().post(at(frame, path)).status_code == 410
        assert Client().post(path).status_code == 302


@pytest.mark.parametrize(
    "path", ["/accounts/email/", "/accounts/2fa/", "/admin/", "/api/v1/facts", "/apps/keys/new/"]
)
def test_accounts_admin_and_api_are_not_in_the_frame(
    application: Application, end_user: User, path: str
) -> None:
    client = opened(application, end_user)
    assert client.get(at(application, path), follow=True).status_code == 404
    assert Client().get(at(application, path), follow=True).status_code in (403, 404)


def test_signing_out_in_the_frame_closes_it(application: Application, end_user: User) -> None:
    client = opened(application, end_user)
    answer = client.post(at(application, reverse("account_logout")), follow=True)
    assert "This page is closed" in text(answer)
    assert client.get(at(application)).status_code == 302


def test_forgetting_takes_a_typed_number(application: Application, end_user: User) -> None:
    fact_id = moved(end_user)
    client = opened(application, end_user)
    forget = at(application, reverse("fact_forget", args=[fact_id]))
    referer = {"referer": f"http://testserver{forget}"}
    sure = at(application, reverse("accounts:embed_confirm"))

    sent = confirmation(client.get(forget))
    asked = client.post(forget, sent, headers=referer)
    assert (asked.status_code, asked.headers["Location"]) == (302, sure)
    fragment = client.post(forget, headers={**referer, "hx-request": "true"})
    assert fragment.headers["HX-Redirect"] == sure
    assert facts(end_user, status="current")

    assert re.search(r"Type \d{4}", text(client.get(sure)))
    wrong = client.post(sure, {"number": "12"})
    assert wrong.status_code == 422
    [another] = re.findall(r"Type (\d{4})", text(wrong))
    assert client.post(sure, {"number": another}).headers["Location"] == forget
    client.post(forget, sent)
    assert not facts(end_user, status="current")


def test_taking_back_what_was_learned_makes_the_overview_anew(
    application: Application, end_user: User
) -> None:
    tell(end_user, said("2026-03-01", "I play the oud."))
    with acting_for(end_user.pk):
        [extraction] = Extraction.objects.filter(user_id=end_user.pk)
    client = opened(application, end_user)
    answer = client.post(
        at(application, reverse("learned_undo", args=[extraction.pk])),
        headers={
            "hx-request": "true",
            "hx-current-url": f"http://testserver{at(application)}",
        },
    )
    assert answer.status_code == 200
    assert "Taken back." in text(answer)
    assert 'id="list"' in text(answer)
    assert not facts(end_user, status="current")


def test_outside_of_frames_no_number_is_asked(owner: User) -> None:
    fact_id = moved(owner)
    client = Client()
    client.force_login(owner)
    forget = reverse("fact_forget", args=[fact_id])
    client.post(forget, confirmation(client.get(forget)))
    assert not facts(owner, status="current")
    for name in ("embed_confirm", "embed_theme"):
        assert client.get(reverse(f"accounts:{name}")).status_code == 404


# -- How it looks ---------------------------------------------------------------------------------


def test_a_theme_sets_our_tokens(application: Application, end_user: User) -> None:
    theme = Theme(accent="#7a1f5c", radius=12, font="sans", density="compact")
    client = opened(application, end_user, theme=theme)
    answer = client.get(at(application, reverse("accounts:embed_theme")))
    css = text(answer)
    assert answer.headers["Content-Type"] == "text/css; charset=utf-8"
    assert "--action: #7a1f5c;" in css
    assert "--round: 12px;" in css
    # The dark page keeps its own accent.
    assert css.index("#7a1f5c") < css.index("prefers-color-scheme: dark") < css.index("#9cc0e6")
    assert f'href="{at(application, "/theme.css")}"' in text(client.get(at(application)))
    plain = opened(application, end_user)
    assert text(plain.get(at(application, "/theme.css"))) == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_chosen_scheme_holds_whatever_the_system_says(scheme: Any) -> None:
    css = Theme(scheme=scheme).css()
    assert f"color-scheme: {scheme};" in css
    assert "@media" not in css
    assert {"light": "--paper: #faf8f3;", "dark": "--paper: #1a1916;"}[scheme] in css


@pytest.mark.parametrize(
    "values",
    [
        {"accent": "red"},
        {"accent": "#24476B"},
        {"accent": "#24476b;} body{display:none"},
        {"accent": "#24476b\n"},
        {"accent_dark": "url(https://evil.example)"},
        {"radius": "12px"},
        {"radius": 17},
        {"radius": -1},
        {"radius": True},
        {"font": "Comic Sans"},
        {"scheme": "light;"},
        {"density": None},
        {"background": "#ffffff"},
    ],
)
def test_nothing_else_gets_into_the_stylesheet(values: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        Theme.load(values)


@pytest.mark.parametrize(
    ("values", "field"),
    [({"accent": "#ffcc00"}, "accent"), ({"accent_dark": "#24476b"}, "accent_dark")],
)
def test_an_accent_that_cannot_be_read_is_refused(values: dict[str, str], field: str) -> None:
    with pytest.raises(Unreadable) as refused:
        Theme.load(values)
    assert refused.value.field == field
    assert refused.value.contrast < LEAST_CONTRAST


def test_our_own_accents_pass_and_contrast_is_wcags() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)
    assert worst_contrast("#24476b", dark=False) >= LEAST_CONTRAST
    assert worst_contrast("#9cc0e6", dark=True) >= LEAST_CONTRAST


# -- Asking for it --------------------------------------------------------------------------------


@pytest.fixture
def frontend(application: Application) -> Frontend:
    _key, secret = ApiKey.objects.issue(
        owner=application.owner, name="server", application=application
    )
    return Frontend(secret)


def test_the_api_makes_a_link_for_a_frame(frontend: Frontend, application: Application) -> None:
    made = frontend.post(
        "/links",
        {"user": "u1", "embed": True, "theme": {"accent": "#7a1f5c", "scheme": "light"}},
    )
    assert made.status_code == 201
    url = made.json()["url"]
    assert url.startswith(f"http://testserver{at(application)}enter/")
    client = Client()
    path = url.removeprefix("http://testserver")
    assert "Open it in a window of its own" in text(client.get(path))
    client.post(path)
    assert "#7a1f5c" in text(client.get(at(application, "/theme.css")))


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"theme": {}}, "theme"),
        ({"embed": True, "theme": {"accent": "#ffcc00"}}, "theme.accent"),
        ({"embed": True, "theme": {"accent": "red"}}, "theme.accent"),
        ({"embed": True, "theme": {"radius": 99}}, "theme.radius"),
        ({"embed": True, "theme": {"font": "Comic Sans"}}, "theme.font"),
        ({"embed": True, "theme": {"css": "*{}"}}, "theme.css"),
    ],
)
def test_the_api_says_what_is_wrong_with_a_theme(
    frontend: Frontend, sent: dict[str, Any], field: str
) -> None:
    assert list(errors(frontend.post("/links", {"user": "u1", **sent}))) == [field]


def test_the_api_makes_no_link_that_no_site_may_show(
    frontend: Frontend, application: Application
) -> None:
    Application.objects.update(embed_origins=[])
    assert errors(frontend.post("/links", {"user": "u1", "embed": True})) == {"embed": "no_site"}
