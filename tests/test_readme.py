"""What the README says is held against the thing itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SETTINGS = (ROOT / "memoryapp" / "settings.py").read_text(encoding="utf-8")

# Where collected static files go: only for servers that want them collected.
NOT_FOR_READERS = {"STATIC_ROOT"}


def test_every_setting_is_in_the_table_and_every_row_is_a_setting() -> None:
    read = set(re.findall(r'_(?:env|number|flag|choice|json)\(\s*"([A-Z_]+)"', SETTINGS))
    table = README.split("## Settings")[1].split("\n## ")[0]
    told = {
        name
        for row in re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE)
        for name in re.findall(r"`([A-Z_]+)`", row)
    }
    assert read - told - NOT_FOR_READERS == set()
    # HOST and PORT are read by the command line itself.
    assert told - read - {"HOST", "PORT"} == set()


@pytest.mark.parametrize("command", sorted(set(re.findall(r"manage\.py ([a-z_]+)", README))))
def test_every_command_it_names_is_there(command: str) -> None:
    assert command in get_commands()


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINKS = [
    (page, path)
    for page in PAGES
    for path in sorted(
        set(re.findall(r"\]\(((?!http)[^)#]+)[)#]", page.read_text(encoding="utf-8")))
    )
]


@pytest.mark.parametrize(
    ("page", "path"), LINKS, ids=[f"{page.name}-{path}" for page, path in LINKS]
)
def test_every_file_that_it_or_a_page_of_docs_links_is_there(page: Path, path: str) -> None:
    assert (page.parent / path).is_file()
