"""`manage.py up`: all of `make run` once everything is installed.

The embedded services already run when Django calls this (``local_services.bootstrap``);
here come the tables, the web server, the worker and beat.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
import urllib.error
import urllib.request
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

import psycopg
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import BaseCommand, call_command
from django.db import OperationalError, connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryapp import database, registry, static_files, storage
from memoryapp.local_services import bootstrap
from memoryapp.local_services.errors import StartError
from memoryapp.local_services.supervisor import Program

OURS = ("DATABASE_OWNER_URL",)
WEB_SECONDS = 90
# The storage pass comes this long after the nightly work; sooner if it couldn't finish.
AFTER_CONSOLIDATING = timedelta(hours=1)
CLEAN_AGAIN_SECONDS = 3600.0


class Command(BaseCommand):
    help = "Start everything: database, broker, worker, scheduler and web server."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        bootstrap.add_arguments(parser)

    def handle(self, **options: Any) -> None:
        runtime = bootstrap.runtime()
        try:
            self._prepare_database(runtime)
            self._check_broker()
            self._check_embedder()
            static_files.gather()
            for program in self._programs(runtime):
                runtime.supervisor.add(program)
            lines = self._welcome(runtime)
            connections.close_all()
            runtime.announce()
            self._wait_for_web(runtime)
            for line in lines:
                bootstrap.say(line)
            if "owner" in settings.DATABASES:
                threading.Thread(target=_keep_clean, args=[runtime], daemon=True).start()
            runtime.supervisor.watch()
        except KeyboardInterrupt:
            bootstrap.say(_("Stopping …"))

    def _prepare_database(self, runtime: bootstrap.Runtime) -> None:
        try:
            if runtime.admin_url:
                database.prepare(
                    runtime.admin_url,
                    database=bootstrap.DATABASE,
                    owner=bootstrap.OWNER,
                    app=bootstrap.APP,
                )
            else:
                self._refuse(
                    database.server_problems(connection) + database.role_problems(connection)
                )
            if "owner" in settings.DATABASES:
                self._migrate()
            self._refuse(database.problems(connection))
        except OperationalError as error:
            reason = (str(error).strip().splitlines() or ["no reason given"])[0]
            raise StartError(
                _("The database at DATABASE_URL doesn't answer ({reason}).").format(reason=reason)
            ) from None
        except database.PrepareError as error:
            raise StartError(str(error)) from None

    def _refuse(self, problems: list[str]) -> None:
        if problems:
            raise StartError("\n".join(problems))

    def _migrate(self) -> None:
        executor = MigrationExecutor(connections["owner"])
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if not plan:
            # The one thing besides tables that a new version of the code may bring.
            registry.seed(using="owner")
            return
        bootstrap.say(_("Bringing the tables up to date ({count} steps) …").format(count=len(plan)))
        call_command("migrate", database="owner", verbosity=0, interactive=False)

    def _check_broker(self) -> None:
        from kombu.exceptions import OperationalError as BrokerError

        from memoryapp.celery import app

        try:
            with app.connection_for_write(connect_timeout=5) as broker:
                broker.ensure_connection(max_retries=1, timeout=5)
        except (BrokerError, OSError, KeyError, ValueError):  # the latter two: no address
            raise StartError(
                _(
                    "The broker at BROKER_URL doesn't answer. Start it, or unset BROKER_URL to use "
                    "the embedded one."
                )
            ) from None

    def _check_embedder(self) -> None:
        """A wrong dimension or a missing package is refused here. A model server that is
        down isn't: memories are kept meanwhile, and found by their words."""
        if settings.EMBEDDER == "local":
            return
        from memoryapp import providers
        from memoryapp.ports import ProviderError

        try:
            providers.embedder().query("check")
        except ImproperlyConfigured as error:
            raise StartError(str(error)) from None
        except ProviderError as error:
            bootstrap.say(
                _("The embedder doesn't answer now ({code}); starting all the same.").format(
                    code=error.code
                )
            )
        finally:
            providers.reset()

    def _programs(self, runtime: bootstrap.Runtime) -> list[Program]:
        environ = {"DATABASE_POOL": runtime.pool, "PYTHONUNBUFFERED": "1"}
        celery = [sys.executable, "-m", "celery", "--app", "memoryapp.celery"]
        beat = Program(
            name="scheduler",
            command=[
                *celery,
                "beat",
                *("--schedule", str(settings.DATA_DIR / "beat-schedule")),
                "--pidfile=",
                *("--loglevel", "INFO"),
            ],
            environ=environ,
            without=OURS,
            death_signal=signal.SIGKILL,
            grace=2,
        )
        worker = Program(
            name="worker",
            command=[
                *celery,
                "worker",
                # Threads: one process, so that nothing outlives it and the local encoder is
                # in memory once.
                *("--pool", "threads"),
                *("--concurrency", "2"),
                *("--loglevel", "INFO"),
                *("--hostname", "memoryapp@localhost"),
                "--without-gossip",
                "--without-mingle",
                "--without-heartbeat",
            ],
            environ=environ,
            without=OURS,
            # Work that is cut short is done again from the outbox.
            death_signal=signal.SIGKILL,
            grace=5,
        )
        web = Program(
            name="web",
            command=[
                *(sys.executable, "-m", "memoryapp.server"),
                *("--fd", str(runtime.listener.fileno())),
            ],
            environ=environ,
            without=OURS,
            files=(runtime.listener.fileno(),),
            grace=5,
            # E-mails of an install without a mail server, sign-in codes among them: they
            # belong on the operator's screen, not in a file.
            speaks=True,
        )
        return [beat, worker, web]

    def _welcome(self, runtime: bootstrap.Runtime) -> list[str]:
        from accounts.models import ApiKey
        from accounts.services import ensure_first_user, page_link_url

        user, _made = ensure_first_user()
        minutes = settings.PAGE_LINK_SECONDS // 60
        lines = [
            "",
            _("memoryapp is running at {address}").format(address=runtime.address),
            _("Sign in: {link}").format(link=page_link_url(user=user, base_url=runtime.address)),
            _(
                "  (works once, within {minutes} minutes; `manage.py signinlink` makes another)"
            ).format(minutes=minutes),
        ]
        if not ApiKey.objects.exists():
            _key, secret = ApiKey.objects.issue(owner=user, name=_("first key"))
            lines += [_("API key, shown only now: {secret}").format(secret=secret)]
        lines += [
            _("Logs: {folder}").format(folder=runtime.folder.logs),
            _("Ctrl-C stops everything."),
        ]
        return lines

    def _wait_for_web(self, runtime: bootstrap.Runtime) -> None:
        deadline = time.monotonic() + WEB_SECONDS
        while not _answers(runtime.address):
            runtime.supervisor.check()
            if time.monotonic() > deadline:
                raise StartError(
                    _("The web server doesn't answer. The reason is at the end of {log}.").format(
                        log=runtime.supervisor.log("web")
                    )
                )
            time.sleep(0.1)


def _keep_clean(runtime: bootstrap.Runtime) -> None:
    """The storage pass: now, since a machine of somebody's own may be off at night, and
    every night. In this process, for the others don't have the owner's address."""
    while True:
        time.sleep(_until_night() if _clean(runtime) else CLEAN_AGAIN_SECONDS)


def _clean(runtime: bootstrap.Runtime) -> bool:
    """Whether nothing is left to clean."""
    try:
        with psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True) as owner:
            done = storage.clean(owner)
        if done.receipts and runtime.admin_url:
            with psycopg.connect(runtime.admin_url, autocommit=True) as admin:
                storage.end_log(admin)
    except (psycopg.Error, storage.NotOwner) as error:
        bootstrap.say(
            _(
                "The storage couldn't be cleaned after an erasure ({kind}); trying again later."
            ).format(kind=type(error).__name__)
        )
        return False
    return not done.waiting


def _until_night() -> float:
    """Seconds to the next pass."""
    now = timezone.now()
    then = AFTER_CONSOLIDATING + now.replace(
        hour=settings.CONSOLIDATE_HOUR, minute=settings.CONSOLIDATE_MINUTE, second=0, microsecond=0
    )
    return ((then - now) % timedelta(days=1)).total_seconds() or 86_400


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Any answer is an answer."""


def _answers(address: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects)
    try:
        opener.open(address, timeout=5).close()
    except urllib.error.HTTPError as error:
        error.close()
        return True
    except OSError:
        return False
    return True
