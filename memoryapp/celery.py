"""The Celery app: ``celery -A memoryapp.celery worker`` and ``… beat``."""

import os

from celery import Celery
from celery.schedules import crontab
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")

app = Celery("memoryapp")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# For every thread: being current holds in the one that made it alone.
app.set_default()
NIGHTLY = crontab(hour=str(settings.CONSOLIDATE_HOUR), minute=str(settings.CONSOLIDATE_MINUTE))
app.conf.beat_schedule = {
    "sweep-outbox": {
        "task": "memoryapp.tasks.sweep_outbox",
        "schedule": settings.OUTBOX_SWEEP_SECONDS,
        # While no worker runs, sweeps don't pile up in the broker.
        "options": {"expires": settings.OUTBOX_SWEEP_SECONDS},
    },
    "consolidate-everyone": {
        "task": "memoryapp.tasks.consolidate_everyone",
        "schedule": NIGHTLY,
    },
    "note-heads": {"task": "memoryapp.tasks.note_heads", "schedule": NIGHTLY},
}
