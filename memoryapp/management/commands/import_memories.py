"""`manage.py import_memories FILE --user …`: an export from this machine's disk."""

from __future__ import annotations

import contextlib
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.core.management.base import BaseCommand, CommandError
from django.db.models import Q
from tqdm import tqdm

from accounts.models import User
from memoryapp import audit, import_pipeline, importing, uploads
from memoryapp.context import acting_for
from memoryapp.models import Import, Outbox
from memoryapp.web import import_wording


class Command(BaseCommand):
    help = (
        "Bring an export of ChatGPT, Claude, Gemini, mem0, OpenMemory, LibreChat, Open WebUI or "
        "Letta, or a list, into a user's memory. Shows first what would come in. Can be stopped "
        "and started again: nothing comes in twice."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--user", required=True, help="the user's e-mail address or id")
        parser.add_argument("--list", action="store_true", help="the file is a list or plain text")
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--dry-run", action="store_true", help="show what would come in, and end")
        how.add_argument("--yes", action="store_true", help="don't ask")

    def handle(self, *args: Any, file: Path, user: str, **options: Any) -> None:
        owner = _user(user)
        by = audit.Actor.system("import_memories")
        try:
            with file.open("rb") as content:
                import_id = import_pipeline.receive(
                    user_id=owner.pk, content=File(content), by=by, pasted=options["list"],
                    look=True,
                )  # fmt: skip
        except OSError as error:
            raise CommandError(f"The file can't be read ({error.strerror}).") from None
        except uploads.TooLarge:
            raise CommandError("The file is too large; IMPORT_MAX_MB sets the most.") from None
        row = _row(owner, import_id)
        if row.state == Import.State.REFUSED:
            raise CommandError(import_wording.refused(row.error))
        self._preview(row)
        if options["dry_run"] or not (options["yes"] or _agrees()):
            import_pipeline.undo(user_id=owner.pk, import_id=import_id, by=by)
            self.stdout.write("Nothing was kept.")
            return
        try:
            work = import_pipeline.start(user_id=owner.pk, import_id=import_id, by=by)
        except importing.NotNow:
            import_pipeline.undo(user_id=owner.pk, import_id=import_id, by=by)
            raise CommandError("The user has paused the memory.") from None
        self._work(owner, import_id, work)

    def _preview(self, row: Import) -> None:
        held = row.preview
        self.stdout.write(
            f"{import_wording.product(row.format)}: {held['conversations']:,} conversations, "
            f"{held['messages']:,} messages, {held['memories']:,} memories"
        )
        if held["first_at"]:
            self.stdout.write(f"from {held['first_at'][:10]} to {held['last_at'][:10]}")
        for line in import_wording.warnings(held["notes"]):
            self.stdout.write(self.style.WARNING(line))
        for line in import_wording.notes(held["notes"]):
            self.stdout.write(line)
        for line in import_wording.skipped(held["skipped"]):
            self.stdout.write(f"left out: {line}")

    def _work(self, owner: User, import_id: UUID, work: UUID) -> None:
        with tqdm(unit="", disable=None) as bar:
            while (row := _row(owner, import_id)).state in importing.WORKING:
                # A worker that is running may take turns with us.
                if not import_pipeline.step(user_id=owner.pk, outbox_id=work):
                    if _postponed(owner, work):
                        raise CommandError(
                            "The model doesn't answer; the workers go on with it when it does."
                        )
                    time.sleep(0.5)
                progress = _progress(owner, row)
                bar.total = progress.total
                bar.set_postfix(found=progress.found, refresh=False)
                bar.update(progress.read - bar.n)
        progress = _progress(owner, row)
        self.stdout.write(
            f"{row.counts.get('conversations', 0):,} conversations and "
            f"{row.counts.get('memories', 0):,} memories came in; "
            f"{progress.found:,} things found, {progress.to_review:,} of them wait for review."
        )
        self.stdout.write(f"The import's id is {import_id}; the page can undo it.")
        if row.state == Import.State.FAILED:
            raise CommandError(import_wording.refused(row.error))


def _user(text: str) -> User:
    wanted = Q(email__iexact=text)
    with contextlib.suppress(ValueError):
        wanted |= Q(pk=UUID(text))
    try:
        return User.objects.get(wanted)
    except (User.DoesNotExist, ValidationError):
        raise CommandError("There is no such user.") from None


def _agrees() -> bool:
    try:
        return input("Bring it in? [y/N] ").strip().lower() in {"y", "yes"}
    except EOFError:
        return False


def _row(owner: User, import_id: UUID) -> Import:
    with acting_for(owner.pk):
        return importing.get(user_id=owner.pk, import_id=import_id)


def _progress(owner: User, row: Import) -> importing.Progress:
    with acting_for(owner.pk):
        return importing.progress(row=row)


def _postponed(owner: User, work: UUID) -> bool:
    with acting_for(owner.pk):
        return Outbox.objects.filter(user_id=owner.pk, id=work).exclude(error="").exists()
