"""Style sheets, scripts and fonts as pages load them: gathered into ``STATIC_ROOT`` under names
that change with their content, and compressed."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from whitenoise.storage import CompressedManifestStaticFilesStorage


class Storage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # it has no types
    """A browser keeps a gathered file for good, since another content has another name. What
    isn't gathered (in tests, at a first look at the code) goes by its own name, uncompressed,
    from where it lies."""

    def stored_name(self, name: str) -> str:
        known = self.hash_key(self.clean_name(name)) in self.hashed_files
        return str(super().stored_name(name)) if known else name


def gather() -> None:
    """Runs ``collectstatic``, unless nothing has changed since it last ran here. To be done
    before the web server starts, which looks for the files once."""
    mark = Path(settings.STATIC_ROOT) / "gathered"
    now = _fingerprint()
    if mark.is_file() and mark.read_text() == now:
        return
    mark.unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, verbosity=0)
    mark.write_text(now)


def _fingerprint() -> str:
    """Says of every file where it lies, how large it is and when it was written."""
    lines = []
    for finder in get_finders():
        for name, storage in finder.list([]):
            about = Path(storage.path(name)).stat()
            lines.append(f"{storage.path(name)} {about.st_size} {about.st_mtime_ns}")
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()
