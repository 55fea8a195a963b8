"""The settings of the tests: the product's own, from an environment that the
developer's variables can't reach. The database comes from ``tests.server``."""

import os
import tempfile

_OURS = (
    "DATABASE_",
    "BROKER_",
    "OPENAI_",
    "EMBED",
    "EXTRACT",
    "MODEL_",
    "EMAIL_",
    "ACCOUNT_",
    "RATE_",
    "WEBHOOK_",
    "EVENT_",
)
for _name in [name for name in os.environ if name.startswith(_OURS)]:
    del os.environ[_name]
for _name in ("DEBUG", "ALLOWED_HOSTS", "HTTPS", "LOG_LEVEL", "SIGNUP_OPEN", "HOST", "PORT"):
    os.environ.pop(_name, None)
_data = os.path.join(tempfile.gettempdir(), "memoryapp-tests-unused")
os.makedirs(os.path.join(_data, "static"), exist_ok=True)
os.environ |= {
    "SECRET_KEY": "only-for-tests",
    "MEMORYAPP_DATA_DIR": _data,
    # Answers nobody until the fixture `django_db_setup` names the worker's own database.
    "DATABASE_URL": "postgresql://memoryapp_app@/none?host=/nowhere",
    "DATABASE_POOL": "0",
    # A queue in this process that nobody empties; the fixture `broker_url` has a real one.
    "BROKER_URL": "memory://",
    # As with a mail server: the code that proves an address is asked for.
    "ACCOUNT_EMAIL_VERIFICATION": "mandatory",
}

from django.contrib.auth.hashers import Argon2PasswordHasher  # noqa: E402

from memoryapp.settings import *  # noqa: E402, F403

# Of this process alone.
STORAGES |= {"journal": {"BACKEND": "django.core.files.storage.InMemoryStorage"}}  # noqa: F405


class QuickArgon2(Argon2PasswordHasher):
    """The real thing at its lowest cost."""

    time_cost = 1
    memory_cost = 8
    parallelism = 1


PASSWORD_HASHERS = ["tests.settings.QuickArgon2"]
