#!/usr/bin/env python
"""Django's command line. `up` starts everything; the other commands find what runs."""

import os
import sys


def main() -> None:
    # Here and not above: an incomplete installation is told in one sentence below.
    from memoryapp.local_services.bootstrap import for_command
    from memoryapp.local_services.errors import StartError

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        with for_command(sys.argv, os.environ):
            execute_from_command_line(sys.argv)
    except (StartError, ImproperlyConfigured) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    try:
        main()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in {"memoryapp", "accounts"}:
            raise
        sys.exit(
            f"The installation isn't complete ({error.name} is missing). "
            "Remove the folder .venv, then `make run` installs everything and starts the app."
        )
    except KeyboardInterrupt:
        sys.exit(130)
