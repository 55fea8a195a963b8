"""The embedded Postgres and Valkey, and the one process that keeps everything running.

Nothing in here imports Django: the addresses of the services have to be in the
environment before the settings are read. Start reading at ``bootstrap``.
"""
