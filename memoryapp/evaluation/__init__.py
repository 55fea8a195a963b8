"""How good the memory is, measured: suites, their data, what counts as right, reports.

``suites_*`` run against a ``memory.Memory``; the command ``manage.py evaluate`` hands them the
real pipeline. ``metrics`` and ``matching`` are pure.
"""
