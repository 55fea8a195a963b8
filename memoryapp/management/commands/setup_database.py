"""`manage.py setup_database`: makes a real Postgres ready for memoryapp."""

from __future__ import annotations

import os
import secrets
from argparse import ArgumentParser
from typing import Any
from urllib.parse import quote, urlencode

from django.core.management import BaseCommand, CommandError
from django.utils.translation import gettext as _
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from memoryapp import database


class Command(BaseCommand):
    help = (
        "Make the two roles, the database and its extension on a Postgres server, and print "
        "the addresses for the environment."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--admin-url",
            default=os.environ.get("ADMIN_DATABASE_URL"),
            help="an administrator's address; better in ADMIN_DATABASE_URL, where no process "
            "list shows it",
        )
        parser.add_argument("--database", default="memoryapp")
        parser.add_argument("--owner", default="memoryapp_owner")
        parser.add_argument("--app", default="memoryapp_app")
        parser.add_argument(
            "--new-passwords",
            action="store_true",
            help="give the roles new passwords if they exist already",
        )

    def handle(self, **options: Any) -> None:
        admin_url = options["admin_url"]
        if not admin_url:
            raise CommandError(
                _("Give an administrator's address: --admin-url, or ADMIN_DATABASE_URL.")
            )
        names = {key: options[key] for key in ("database", "owner", "app")}
        passwords = {name: secrets.token_urlsafe(24) for name in ("owner", "app")}
        target = _parts(admin_url)
        try:
            made = database.prepare(
                admin_url,
                **names,
                owner_password=passwords["owner"],
                app_password=passwords["app"],
                keep_passwords=not options["new_passwords"],
            )
        except database.PrepareError as error:
            raise CommandError(str(error)) from None
        for variable, role in (("DATABASE_URL", "app"), ("DATABASE_OWNER_URL", "owner")):
            known = options["new_passwords"] or names[role] in made
            password = passwords[role] if known else _("THE-PASSWORD-IT-HAS")
            address = _address(target, names[role], password, names["database"])
            self.stdout.write(f"{variable}={address}")
        if names["app"] != "memoryapp_app":
            self.stdout.write(f"DATABASE_APP_ROLE={names['app']}")
        self.stderr.write(_("Next: set these, then run `manage.py migrate --database owner`."))


def _parts(url: str) -> dict[str, Any]:
    try:
        return dict(conninfo_to_dict(url))
    except ProgrammingError:
        raise CommandError(
            _("That is not a Postgres address. It looks like {example}").format(
                example="postgresql://user:password@host:5432/postgres"
            )
        ) from None


def _address(target: dict[str, Any], role: str, password: str, name: str) -> str:
    """The administrator's address, for another role and database."""
    rest = {
        key: value
        for key, value in target.items()
        if key not in {"user", "password", "dbname", "host", "port"} and value
    }
    host = str(target.get("host") or "")
    place = host
    if host.startswith("/") or "," in host:
        rest["host"], place = host, ""
    elif ":" in host:
        place = f"[{host}]"
    if port := target.get("port"):
        if place:
            place += f":{port}"
        else:
            rest["port"] = port
    query = f"?{urlencode(rest)}" if rest else ""
    return f"postgresql://{quote(role)}:{quote(password, safe='')}@{place}/{quote(name)}{query}"
