"""Environment to settings, read once. A wrong value is refused with a hint."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from memoryapp.environment import choice as _choice
from memoryapp.environment import env as _env
from memoryapp.environment import flag as _flag
from memoryapp.environment import json_object as _json
from memoryapp.environment import kept_key
from memoryapp.environment import number as _number
from memoryapp.pacing import Hours

BASE_DIR = Path(__file__).resolve().parent.parent

# Where `make run` keeps its database, broker and secret; nothing of it is in the code's folder
# but this one, ignored by git.
DATA_DIR = Path(_env("MEMORYAPP_DATA_DIR", str(BASE_DIR / ".data")))

SECRET_KEY = _env("SECRET_KEY") or kept_key(DATA_DIR)
DEBUG = _flag("DEBUG", False)
ALLOWED_HOSTS = [
    host for host in _env("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]").split(",") if host
]
CSRF_TRUSTED_ORIGINS = [origin for origin in _env("CSRF_TRUSTED_ORIGINS").split(",") if origin]
# Behind TLS (any real deployment) set HTTPS=1: secure cookies, HSTS, proxy header.
HTTPS = _flag("HTTPS", False)

INSTALLED_APPS = [
    "accounts",
    "memoryapp",
    "memoryapp.admin_site.MemoryAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "csp",
    "django_htmx",
    "template_partials",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "accounts.embedding.EmbeddingMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "accounts.middleware.SessionActivityMiddleware",
    "accounts.middleware.UserTimeZoneMiddleware",
    "accounts.middleware.ApplicationSessionMiddleware",
]

ROOT_URLCONF = "memoryapp.urls"
WSGI_APPLICATION = "memoryapp.wsgi.application"
ASGI_APPLICATION = "memoryapp.asgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "csp.context_processors.nonce",
            ],
        },
    },
]

# -- Database -------------------------------------------------------------------------------
# DATABASE_URL connects as the application's role, which row-level security binds.
# DATABASE_OWNER_URL connects as the tables' owner: for migrations and the storage pass alone.
# `manage.py up` sets both for its embedded Postgres.
DATABASE_URL = _env("DATABASE_URL")
DATABASE_OWNER_URL = _env("DATABASE_OWNER_URL")


def _database(url: str, *, pool: bool) -> dict[str, Any]:
    try:
        config: dict[str, Any] = {**dj_database_url.parse(url, conn_max_age=0)}
    except ValueError:
        raise ImproperlyConfigured(
            "DATABASE_URL is not a database address. It looks like "
            "postgresql://user:password@host:5432/name"
        ) from None
    if "postgresql" not in str(config.get("ENGINE")):
        raise ImproperlyConfigured("DATABASE_URL must name a Postgres database (postgresql://…).")
    options: dict[str, Any] = dict(config.get("OPTIONS") or {})
    if pool:
        options["pool"] = {
            "min_size": 1,
            # As many as there are threads that ask: of the page and API, chats and tools.
            "max_size": _number("DATABASE_POOL_SIZE", 20, 1, 500),
            "timeout": 10,
        }
    config["OPTIONS"] = options
    config["DISABLE_SERVER_SIDE_CURSORS"] = True
    return config


# PgBouncer in transaction mode pools for us: two pools at once would starve each other.
_POOL = _flag("DATABASE_POOL", True)
_placeholder = "postgresql:///memoryapp"
DATABASES = {"default": _database(DATABASE_URL or _placeholder, pool=_POOL)}
if DATABASE_OWNER_URL:
    DATABASES["owner"] = _database(DATABASE_OWNER_URL, pool=False)
DATABASE_APP_ROLE = _env("DATABASE_APP_ROLE", "memoryapp_app")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- Broker ---------------------------------------------------------------------------------
BROKER_URL = _env("BROKER_URL", "redis://127.0.0.1:6379/0")
CELERY_BROKER_URL = BROKER_URL
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = False  # True loops for ever on a poison message (FINDINGS)
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TIME_LIMIT = 600
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 900,
    # A broker that is away must not hold up a request: the sweep sends the work later.
    "socket_connect_timeout": 2,
    "socket_timeout": 10,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Receivers of webhooks may be slow: reading what people said goes first (0 is first, 9 last).
CELERY_TASK_ROUTES = {"memoryapp.tasks.deliver_webhook": {"priority": 9}}
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# How often what the broker lost is found again, and when (UTC) the nightly work begins.
OUTBOX_SWEEP_SECONDS = _number("OUTBOX_SWEEP_SECONDS", 10, 1, 3600)
CONSOLIDATE_HOUR = _number("CONSOLIDATE_HOUR", 3, 0, 23)
CONSOLIDATE_MINUTE = _number("CONSOLIDATE_MINUTE", 30, 0, 59)

# -- What makes memories ----------------------------------------------------------------------
OPENAI_API_KEY = _env("OPENAI_API_KEY")
OPENAI_BASE_URL = _env("OPENAI_BASE_URL")
_model_server = bool(OPENAI_API_KEY or OPENAI_BASE_URL)
EXTRACTOR = _choice("EXTRACTOR", "openai" if _model_server else "local", ("local", "openai"))
EXTRACTION_MODEL = _env("EXTRACTION_MODEL", "gpt-5-mini")
EMBEDDER = _choice("EMBEDDER", "local", ("local", "local-multilingual", "openai"))
EMBEDDING_MODEL = _env("EMBEDDING_MODEL", "text-embedding-3-small")
EMBEDDING_DIMENSION = _number("EMBEDDING_DIMENSION", 1536, 1, 4000)
MODEL_TIMEOUT_SECONDS = _number("MODEL_TIMEOUT_SECONDS", 60, 1, 600)
MODEL_RETRIES = _number("MODEL_RETRIES", 3, 0, 10)
if (EXTRACTOR == "openai" or EMBEDDER == "openai") and not _model_server:
    raise ImproperlyConfigured(
        "EXTRACTOR or EMBEDDER is `openai`, but no server is named. Set OPENAI_API_KEY, "
        "or OPENAI_BASE_URL for another OpenAI-compatible server."
    )
# Tokens a day (UTC) for reading, for each user and for all together; 0 is no limit.
TOKENS_PER_USER_DAY = _number("TOKENS_PER_USER_DAY", 0, 0, 10**12)
TOKENS_PER_DAY = _number("TOKENS_PER_DAY", 0, 0, 10**12)
# Messages that follow quickly are read together: each call costs the same prompt again.
EXTRACTION_DEBOUNCE_SECONDS = _number(
    "EXTRACTION_DEBOUNCE_SECONDS", 5 if EXTRACTOR == "openai" else 0, 0, 3600
)
EXTRACTION_HOURS = _env("EXTRACTION_HOURS")
try:
    Hours.parse(EXTRACTION_HOURS)
except ValueError:
    raise ImproperlyConfigured(
        "EXTRACTION_HOURS must be two hours of the day in UTC, such as 22-6; empty means always."
    ) from None
MESSAGE_RETENTION_DAYS = _number("MESSAGE_RETENTION_DAYS", 90, 0, 36500)
ARCHIVE_AFTER_DAYS = _number("ARCHIVE_AFTER_DAYS", 180, 1, 36500)
# A worker's hold on a conversation; work held by a killed worker is due again after it.
CLAIM_SECONDS = _number("CLAIM_SECONDS", 300, 5, 86400)
EXTRACTION_ATTEMPTS = _number("EXTRACTION_ATTEMPTS", 5, 1, 100)
SITE_URL = _env("SITE_URL", "http://127.0.0.1:8000")  # where a command's links lead
PAGE_LINK_SECONDS = _number("PAGE_LINK_SECONDS", 900, 30, 86400)
# Requests to the API a minute, by key and by user; 0 is no limit.
RATE_LIMIT_KEY = _number("RATE_LIMIT_KEY", 6000, 0, 10**7)
RATE_LIMIT_USER = _number("RATE_LIMIT_USER", 1200, 0, 10**7)

# -- Chat at /v1 ------------------------------------------------------------------------------
# What a chat waits for its memory, all in all; it goes on without it then.
CHAT_MEMORY_MILLISECONDS = _number("CHAT_MEMORY_MILLISECONDS", 1500, 10, 60_000)
# What a model server may be silent for, before its answer and within it.
CHAT_SILENCE_SECONDS = _number("CHAT_SILENCE_SECONDS", 600, 1, 3600)

# -- Telling of changes: webhooks and event streams -------------------------------------------
# Networks of one's own that webhooks may go to, also without TLS. All others of them are
# refused: who sets a webhook up would reach into them through us.
try:
    WEBHOOK_ALLOWED_NETWORKS = [
        ipaddress.ip_network(text.strip())
        for text in _env("WEBHOOK_ALLOWED_NETWORKS").split(",")
        if text.strip()
    ]
except ValueError:
    raise ImproperlyConfigured(
        "WEBHOOK_ALLOWED_NETWORKS must be networks with commas between them, such as "
        "10.1.0.0/16,127.0.0.1/32."
    ) from None
WEBHOOK_TIMEOUT_SECONDS = _number("WEBHOOK_TIMEOUT_SECONDS", 10, 1, 60)
WEBHOOK_DISABLE_DAYS = _number("WEBHOOK_DISABLE_DAYS", 5, 1, 365)
EVENT_RETENTION_DAYS = _number("EVENT_RETENTION_DAYS", 30, 2, 3650)

# -- Accounts -----------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_UNIQUE_EMAIL = True
# On one's own machine, without a mail server, nobody could read the code that proves an address.
ACCOUNT_EMAIL_VERIFICATION = _choice(
    "ACCOUNT_EMAIL_VERIFICATION",
    "mandatory" if _env("EMAIL_HOST") or HTTPS else "none",
    ("none", "optional", "mandatory"),
)
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = ACCOUNT_EMAIL_VERIFICATION == "mandatory"
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
# Second factors, and passkeys that also sign in alone. Pages: mfa_index, mfa_list_webauthn,
# mfa_activate_totp, mfa_view_recovery_codes; the list of sessions is usersessions_list.
MFA_ADAPTER = "accounts.mfa.MfaAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_FORMS = {
    "login_webauthn": "accounts.mfa_forms.PasskeyLoginForm",
    "authenticate_webauthn": "accounts.mfa_forms.PasskeyStepForm",
    "reauthenticate_webauthn": "accounts.mfa_forms.PasskeyAgainForm",
    "add_webauthn": "accounts.mfa_forms.PasskeyAddForm",
}
MFA_TOTP_ISSUER = "memoryapp"
MFA_TOTP_TOLERANCE = 1
# Codes for the day that all else is lost are seen once, as they are made.
MFA_RECOVERY_CODES_SHOW_ONCE = True
USERSESSIONS_ADAPTER = "accounts.usersessions.UserSessionsAdapter"
USERSESSIONS_TRACK_ACTIVITY = True
SIGNUP_OPEN = _flag("SIGNUP_OPEN", True)
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "memories"
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
DEFAULT_FROM_EMAIL = _env("DEFAULT_FROM_EMAIL", "memoryapp@localhost")
if _env("EMAIL_HOST"):
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    EMAIL_HOST = _env("EMAIL_HOST")
    EMAIL_PORT = _number("EMAIL_PORT", 587, 1, 65535)
    EMAIL_HOST_USER = _env("EMAIL_HOST_USER")
    EMAIL_HOST_PASSWORD = _env("EMAIL_HOST_PASSWORD")
    EMAIL_USE_TLS = _flag("EMAIL_USE_TLS", True)

# -- Security -----------------------------------------------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
# What a frame that an application's owner allowed may show: views of these modules; and what
# it does only after a typed number, since it can't be undone: addresses whose names hold one
# of these words.
EMBEDDED_VIEWS = ("memoryapp.web.views.", "accounts.views")
EMBEDDED_CONFIRM = ("forget", "disconnect")
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = 31_536_000
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024


def _private(folder: str) -> dict[str, Any]:
    """The options of a folder of the data folder that is the server's alone."""
    return {
        "location": str(DATA_DIR / folder),
        "file_permissions_mode": 0o600,
        "directory_permissions_mode": 0o700,
    }


# -- Imports ------------------------------------------------------------------------------------
IMPORT_MAX_MB = _number("IMPORT_MAX_MB", 1024, 1, 100 * 1024)
# Uploads wait here until they are taken in. Web server and workers on several machines need
# a storage that all of them reach: name its class, and its options as a JSON object.
IMPORT_STORAGE = _env("IMPORT_STORAGE", "django.core.files.storage.FileSystemStorage")
IMPORT_STORAGE_OPTIONS = _json("IMPORT_STORAGE_OPTIONS", _private("imports"))

# -- The journal --------------------------------------------------------------------------------
# Erasures and the heads of the logs: ids, times and hashes that must outlive the database. Keep
# them somewhere else, and where web server and workers all reach them.
JOURNAL_STORAGE = _env("JOURNAL_STORAGE", "django.core.files.storage.FileSystemStorage")
JOURNAL_STORAGE_OPTIONS = _json("JOURNAL_STORAGE_OPTIONS", _private("journal"))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "memoryapp.static_files.Storage"},
    "imports": {"BACKEND": IMPORT_STORAGE, "OPTIONS": IMPORT_STORAGE_OPTIONS},
    "journal": {"BACKEND": JOURNAL_STORAGE, "OPTIONS": JOURNAL_STORAGE_OPTIONS},
}

# -- Language, time, files ----------------------------------------------------------------------
LANGUAGE_CODE = "en"
# Only languages whose catalogue is complete are offered.
LANGUAGES = [
    ("en", "English"),
    ("es", "Spanish"),
    ("de", "German"),
    ("hi", "Hindi"),
    ("ar", "Arabic"),
]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
LOCALE_PATHS = [BASE_DIR / "memoryapp" / "locale"]
FORMAT_MODULE_PATH = ["memoryapp.locale"]
# Not relative: an embedded page lies under a prefix of its own, static files don't.
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = Path(_env("STATIC_ROOT", str(DATA_DIR / "static")))
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

# -- Logs: ids and counts, never content --------------------------------------------------------
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "()": "memoryapp.logs.Plain",
            "format": "%(asctime)s %(levelname)s %(name)s: %(message)s",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": _env("LOG_LEVEL", "INFO")},
    "loggers": {
        # Statements carry content in their parameters.
        "django.db.backends": {"level": "WARNING"},
        # One line with the URL for each request, at INFO.
        "httpx2": {"level": "WARNING"},
        "openai": {"level": "WARNING"},
    },
}
