"""A made-up year of memories, to look at and to show."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memoryapp import store
from memoryapp.management import demo


class Command(BaseCommand):
    help = (
        "Make up a year of one person's memories, in an account of its own, by the way that "
        "everybody's conversations take."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--year", action="store_true", required=True, help="twelve months up to yesterday"
        )
        parser.add_argument(
            "--user", help="an e-mail address, of an account made if need be; default: its own"
        )
        parser.add_argument(
            "--reset",
            action="store_true",
            help="erase the account with all its memories first, and make it anew",
        )

    def handle(self, *args: Any, user: str | None, reset: bool, **options: Any) -> None:
        person = demo.load()["person"]
        account = demo.account(user or person["email"], person)
        if reset and demo.occupied(account):
            # What is no demonstration is not so easily lost.
            if account.is_staff:
                raise CommandError("An account that may enter the admin is not reset.")
            try:
                account = demo.renew(account)
            except store.Conflict:
                raise CommandError(
                    "The account owns an application that other people's memories came through."
                ) from None
        try:
            played = demo.play(account, now=timezone.now())
        except demo.Occupied:
            raise CommandError(
                "The account has memories already. Name another one with --user, or erase it "
                "and begin anew with --reset."
            ) from None
        for line in demo.made(account, played):
            self.stdout.write(line)
        self.stdout.write(
            f"Sign in as {account.email}: python manage.py signinlink --email {account.email}"
        )
