"""What no process of ours runs without: a database whose rules bind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from memoryapp import database


@register(Tags.database)
def database_is_fit(
    app_configs: Sequence[AppConfig] | None,
    databases: Sequence[str] | None = None,
    **kwargs: Any,
) -> list[CheckMessage]:
    """For `manage.py check --database default`."""
    if DEFAULT_DB_ALIAS not in (databases or ()):
        return []
    connection = connections[DEFAULT_DB_ALIAS]
    found = database.server_problems(connection) + database.role_problems(connection)
    return [Error(problem, id="memoryapp.E001") for problem in found]


class _Guard:
    """Refuses a role that could see every user's rows at a process's first connection,
    however the process was started."""

    def __init__(self) -> None:
        self.passed = False

    def __call__(self, connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
        if self.passed or connection.alias != DEFAULT_DB_ALIAS:
            return
        try:
            if problems := database.role_problems(connection):
                raise ImproperlyConfigured("\n".join(problems))
        except BaseException:
            # Open, it would serve the next query.
            connection.close()
            raise
        self.passed = True


guard = _Guard()
connection_created.connect(guard, dispatch_uid="memoryapp.checks.guard")
