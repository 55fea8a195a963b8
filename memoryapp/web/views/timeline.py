"""The timeline, what changed when; and the same in figures."""

from __future__ import annotations

from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from memoryapp.context import acting_for
from memoryapp.web.figures import charts
from memoryapp.web.timeline import KINDS, ORDERS, Asked, Shown, page_at
from memoryapp.web.views.common import is_fragment, me, number_of, private, show, summary
from memoryapp.web.wording import GROUPS

PER_PAGE = 50


@private
@require_GET
def timeline(request: HttpRequest) -> HttpResponse:
    """The whole page, or the list alone when htmx asks for other filters."""
    asked = Asked.read(request.GET)
    user_id = me(request).pk
    with acting_for(user_id):
        shown = page_at(user_id, asked, number=number_of(request.GET.get("page")), size=PER_PAGE)
        context: dict[str, Any] = {} if is_fragment(request) else summary(user_id).context()
    context |= {"asked": asked, "shown": shown, "lede": _lede(asked, shown)}
    if is_fragment(request):
        return show(request, "web/_timeline.html", context)
    context |= {"groups": GROUPS, "kinds": KINDS, "orders": ORDERS}
    return show(request, "web/timeline.html", context)


def _lede(asked: Asked, shown: Shown) -> str:
    if not shown.total:
        return "" if asked.area or asked.kind else _("Nothing has begun or changed yet.")
    if asked.area or asked.kind:
        return ngettext(
            "One entry fits, out of everything that began, changed or ended.",
            "%(n)s entries fit, out of everything that began, changed or ended.",
            shown.total,
        ) % {"n": intcomma(shown.total)}
    return ngettext(
        "One thing that began, changed or ended, in %(year)s.",
        "%(n)s things that began, changed or ended, the earliest in %(year)s.",
        shown.total,
    ) % {"n": intcomma(shown.total), "year": shown.first_year}


@private
@require_GET
def figures(request: HttpRequest) -> HttpResponse:
    user_id = me(request).pk
    with acting_for(user_id):
        # The lede counts as every page does.
        context: dict[str, Any] = summary(user_id).context()
        context["charts"] = charts(user_id, now=timezone.now())
    return show(request, "web/figures.html", context)
