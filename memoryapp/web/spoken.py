"""Answers written piece by piece, after the request's language and time zone are gone, and the
files that they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.http import StreamingHttpResponse
from django.utils import timezone, translation


def spoken(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces, each made in the language and the time zone of this call, which holds
    nothing while the reader waits."""
    return _each(iter(pieces), translation.get_language(), timezone.get_current_timezone())


def _each(pieces: Iterator[str], language: str | None, zone: object) -> Iterator[str]:
    while True:
        with translation.override(language), timezone.override(zone):  # type: ignore[arg-type]
            piece = next(pieces, None)
        if piece is None:
            return
        yield piece


def download(pieces: Iterator[str], kind: str, name: str) -> StreamingHttpResponse:
    """A file to keep, never a page of this site: what it holds is not ours to run."""
    return StreamingHttpResponse(
        pieces,
        content_type=kind,
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "X-Content-Type-Options": "nosniff",
        },
    )
