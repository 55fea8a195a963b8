"""The gallery's pages are there, and what is committed of it is all of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from accounts.models import User
from benchmarks import gallery
from memoryapp.context import acting_for

DOCS = Path(__file__).parent.parent / "docs"


def test_every_page_has_its_own_name() -> None:
    names = [picture.name for picture in gallery.PICTURES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "picture",
    [one for one in gallery.PICTURES if one.ids is None and one.language == "en"],
    ids=lambda picture: picture.name,
)
def test_every_page_answers(owner: User, picture: gallery.Picture) -> None:
    client = Client()
    if picture.signed_in:
        client.force_login(owner)
    with acting_for(owner.pk):
        address = picture.address(owner)
    assert client.get(address).status_code == 200


def test_the_committed_gallery_is_whole_and_small() -> None:
    files = list((DOCS / "gallery").iterdir())
    assert {file.name for file in files} == {
        gallery.file_of(picture, size, theme)
        for picture in gallery.PICTURES
        for size in gallery.SIZES
        for theme in gallery.THEMES
    }
    assert max(file.stat().st_size for file in files) <= gallery.MOST_BYTES
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == gallery.index()
