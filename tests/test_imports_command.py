"""`manage.py import_memories`."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from memoryapp.context import acting_for
from memoryapp.models import Import, Message
from tests import chat
from tests.test_imports_pipeline import TALKS

pytestmark = pytest.mark.usefixtures("uploads_folder")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(TALKS))
    return path


def run(file: Path, user: User, *arguments: str) -> str:
    out = StringIO()
    call_command("import_memories", str(file), "--user", str(user.email), *arguments, stdout=out)
    return out.getvalue()


def test_it_shows_what_would_come_and_keeps_nothing(owner: User, file: Path) -> None:
    said = run(file, owner, "--dry-run")
    assert "Claude: 3 conversations, 6 messages, 0 memories" in said
    assert "from 2025-03-01 to 2025-05-01" in said
    assert "Nothing was kept." in said
    with acting_for(owner.pk):
        assert not Import.objects.exists()
        assert not Message.objects.exists()


def test_it_brings_all_in(owner: User, file: Path) -> None:
    said = run(file, owner, "--yes")
    assert "3 conversations and 0 memories came in; 1 things found" in said
    assert chat.current(owner, "home") == ["Lisbon"]


def test_nothing_comes_in_without_a_yes(
    owner: User, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.input", lambda _: "")
    assert "Nothing was kept." in run(file, owner)
    monkeypatch.setattr("builtins.input", lambda _: "y")
    assert "came in" in run(file, owner)


def test_a_list_of_plain_words(owner: User, tmp_path: Path) -> None:
    path = tmp_path / "about me.txt"
    path.write_text("I moved to Lisbon last year. I work as a nurse.")
    with pytest.raises(CommandError, match="don’t know this kind of file"):
        run(path, owner, "--yes")
    run(path, owner, "--yes", "--list")
    assert chat.current(owner, "job_title") == ["nurse"]


@pytest.mark.parametrize("user", ["nobody@example.com", "not an address", "0" * 32])
def test_an_unknown_user_is_told(owner: User, file: Path, user: str) -> None:
    with pytest.raises(CommandError, match="no such user"):
        call_command("import_memories", str(file), "--user", user)


def test_a_file_that_is_not_there_is_told(owner: User, tmp_path: Path, settings: Any) -> None:
    with pytest.raises(CommandError, match="can't be read"):
        run(tmp_path / "missing.json", owner, "--yes")
