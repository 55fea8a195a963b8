"""Runs a command so that it ends when its parent does, even when that is killed.

Called by path, before anything is installed or imported:
``python -IS child.py PARENT_PID SIGNAL USER COMMAND…``. Standard library only.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> int:
    parent, death_signal, user, *command = arguments
    if user:
        entry = pwd.getpwnam(user)
        os.initgroups(user, entry.pw_gid)
        os.setgid(entry.pw_gid)
        os.setuid(entry.pw_uid)
        os.umask(0o077)
        os.environ["HOME"] = "/"
    if sys.platform == "linux":
        # After setuid, which clears it; it survives exec.
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
    if os.getppid() != int(parent):
        return 1  # The parent ended before the line above could take hold.
    # Python's own start ignores these; the command expects the defaults.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.execv(command[0], command)  # noqa: S606


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
