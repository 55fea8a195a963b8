"""Handing work to Celery: ids only, on commit, and never a reason to fail.

The outbox is the queue of record. A broker that can't be reached delays work until the
sweep; it loses none.
"""

from __future__ import annotations

import logging
from typing import Any

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def on_commit(task: str, *arguments: Any) -> None:
    """Send the task when the transaction commits."""
    transaction.on_commit(lambda: send(task, *arguments))


def send(task: str, *arguments: Any) -> bool:
    """Send the task now; False, and a warning, when the broker can't be reached."""
    try:
        current_app.send_task(task, args=arguments, retry=False)
    except OperationalError as error:
        logger.warning("the broker can't be reached (%s): %s waits", type(error).__name__, task)
        return False
    return True
