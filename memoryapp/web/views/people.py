"""People and pets: who is known, everything about one of them, their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from memoryapp import pipeline, store, subjects
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Fact
from memoryapp.web import cards, dates, wording
from memoryapp.web import people as who
from memoryapp.web.views.common import me, missing, page_of, private, show, summary

PER_PAGE = 30
SENTENCES = 3
OWN = 20
FACTS_PER_PAGE = 50
_WHO = ("about", "people")
_PAST = (Fact.Status.RETRACTED, Fact.Status.EXPIRED, Fact.Status.ARCHIVED)


@private
@require_GET
def people(request: HttpRequest) -> HttpResponse:
    user = me(request)
    with acting_for(user.pk):
        known = cards.registry()
        everybody = who.everybody(user)
        page = page_of(request, everybody, PER_PAGE)
        said = who.newest(user.pk, [one.subject for one in page], known, most=SENTENCES)
        own = _own(user.pk, known)
        context: dict[str, Any] = {
            **summary(user.pk).context(),
            "page": page,
            "people": [(one, said.get(one.subject, ())) for one in page],
            "cards": cards.cards(user.pk, own[:OWN]),
            "more": len(own) > OWN,
        }
    context["lede"] = _lede(everybody) if everybody else ""
    return show(request, "web/people.html", context)


def _lede(everybody: list[who.Somebody]) -> str:
    return ngettext(
        "You have told me about one person or pet.",
        "You have told me about %(n)s people and pets.",
        len(everybody),
    ) % {"n": intcomma(len(everybody))}


def _own(user_id: UUID, known: wording.Registry) -> list[UUID]:
    """What is said of the user's people without being about one of them: "a friend of
    yours: Mira". One more than is shown, which says that there is more."""
    return list(
        Fact.objects.filter(
            user_id=user_id,
            subject=subjects.USER,
            status=Fact.Status.CURRENT,
            operation="state",
            attribute__in=[key for key, one in known.items() if one.group == "people"],
        )
        .order_by("-last_stated_at", "-id")
        .values_list("id", flat=True)[: OWN + 1]
    )


@private
@require_GET
def person(request: HttpRequest, key: str) -> HttpResponse:
    user = me(request)
    with acting_for(user.pk):
        everybody = who.everybody(user)
        subject = next((one.subject for one in everybody if one.key == key), "")
        subject = subject or who.meant_by(user, key)
        found = next((one for one in everybody if one.subject == subject), None)
        if found is not None:
            areas = who.ids_by_area(user.pk, subject, cards.registry())
            page = page_of(request, _in_order(areas), FACTS_PER_PAGE)
            held = {card.id: card for card in cards.cards(user.pk, list(page))}
            past = Fact.objects.filter(
                user_id=user.pk, subject=subject, operation="state", status__in=_PAST
            ).order_by("-last_stated_at", "-id")
            context: dict[str, Any] = {
                **summary(user.pk).context(),
                "person": found,
                "page": page,
                "sections": _sections(areas, held),
                "past": cards.cards(user.pk, list(past.values_list("id", flat=True)[:100])),
                "names": who.other_names(user.pk, subject),
                "others": [one for one in everybody if one.subject != subject],
            }
    if found is None:
        missing(request, "subject")
    if found.key != key:
        return redirect("person", key=found.key)
    context["lede"] = _about(found)
    return show(request, "web/person.html", context)


def _in_order(areas: Mapping[str, Sequence[UUID]]) -> list[UUID]:
    """Who they are first, then the parts of their life."""
    first = sorted(areas, key=lambda area: area not in _WHO)
    return [id for area in first for id in areas[area]]


def _sections(
    areas: Mapping[str, Sequence[UUID]], held: Mapping[UUID, cards.Card]
) -> list[tuple[str, str, list[cards.Card]]]:
    """Key, name and those of the cards that belong to it, of each part."""
    rows: dict[str, list[cards.Card]] = {"who": []}
    for area, ids in areas.items():
        key = "who" if area in _WHO else area
        rows.setdefault(key, []).extend(held[id] for id in ids if id in held)
    names = {**wording.GROUPS, "who": _("Who they are")}
    return [(key, str(names[key]), found) for key, found in rows.items() if found]


def _about(found: who.Somebody) -> str:
    count = ngettext("I remember one thing.", "I remember %(n)s things.", found.facts) % {
        "n": intcomma(found.facts)
    }
    if not found.facts:
        count = _("I remember nothing that holds now.")
    last = _("You last mentioned them %(date)s.") % {"date": dates.on(found.last_at, "day")}
    return f"{count} {last}"


@private
@require_POST
def person_name(request: HttpRequest, key: str) -> HttpResponse:
    """Another name for somebody: first how it will read, then, confirmed, the renaming."""
    subject = _subject(request, key)
    typed = " ".join(request.POST.get("name", "").split())
    name = subjects.subject(subject.partition(":")[0], typed)
    if not store.is_name(name):
        messages.warning(request, _("That is no name that I can use. Nothing was changed."))
        return redirect("person", key=key)
    if name == subject:
        messages.warning(request, _("I call them so already. Nothing was changed."))
        return redirect("person", key=key)
    user = me(request)
    with acting_for(user.pk):
        taken = next((one for one in who.everybody(user) if one.subject == name), None)
    if taken is not None:
        return _same(request, key, subject, taken.subject)
    if "confirmed" in request.POST:
        return _rename(request, subject, name, same=False)
    with acting_for(user.pk):
        context = {
            **summary(user.pk).context(),
            "question": _("Shall I call them %(name)s?") % {"name": wording.who(name)},
            "facts": who.sentences(user.pk, subject, name=name),
            "fields": [("name", typed)],
            "action": request.path,
            "key": key,
            "old": wording.who(subject),
        }
    return show(request, "web/person_name.html", context)


@private
@require_POST
def person_same(request: HttpRequest, key: str) -> HttpResponse:
    """Two who are one: first what comes together, then, confirmed, the merging."""
    return _same(
        request, key, _subject(request, key), _subject(request, request.POST.get("other", ""))
    )


def _same(request: HttpRequest, key: str, subject: str, other: str) -> HttpResponse:
    if subject == other:
        messages.warning(request, _("Choose somebody else. Nothing was changed."))
        return redirect("person", key=key)
    user = me(request)
    with acting_for(user.pk):
        found = {one.subject: one for one in who.everybody(user)}
        both = [found[one] for one in (subject, other) if one in found]
    if len(both) < 2:
        missing(request, "subject")
    kept = request.POST.get("keep", "")
    if "confirmed" in request.POST and kept in {one.key for one in both}:
        goes, stays = sorted(both, key=lambda one: one.key == kept)
        return _rename(request, goes.subject, stays.subject, same=True)
    with acting_for(user.pk):
        context = {
            **summary(user.pk).context(),
            "question": _("Are these two the same?"),
            "both": [(one, who.sentences(user.pk, one.subject)) for one in both],
            # A name rather than "your sister", and else the one that was chosen.
            "keep": next((one.key for one in reversed(both) if not one.nameless), both[1].key),
            "fields": [("other", both[1].key)],
            "key": key,
        }
    return show(request, "web/person_same.html", context)


def _rename(request: HttpRequest, subject: str, name: str, *, same: bool) -> HttpResponse:
    user = me(request)
    try:
        pipeline.rename(user_id=user.pk, subject=subject, name=name, by=Actor.user(user))
    except (store.NotFound, store.Conflict):
        messages.warning(request, _("This changed meanwhile. Nothing was changed now."))
        return redirect("people")
    messages.success(
        request,
        _("Noted: they are one. You can tell them apart again at the end of this page.")
        if same
        else _("Noted. The old name still means them."),
    )
    return redirect("person", key=who.key_of(user, name))


@private
@require_POST
def person_part(request: HttpRequest, alias_id: UUID) -> HttpResponse:
    """Take back that another name means somebody."""
    user = me(request)
    try:
        parted = pipeline.part(user_id=user.pk, alias_id=alias_id, by=Actor.user(user))
    except store.NotFound:
        missing(request, f"name:{alias_id}")
    messages.success(request, _("Taken back. What was said under each name is apart again."))
    with acting_for(user.pk):
        there = who.meant_by(user, who.key_of(user, parted.subject))
    return redirect("person", key=who.key_of(user, there)) if there else redirect("people")


def _subject(request: HttpRequest, key: str) -> str:
    """Whom the address means; 404 when there is nobody such."""
    user = me(request)
    with acting_for(user.pk):
        subject = who.meant_by(user, key)
    if not subject:
        missing(request, "subject")
    return subject
