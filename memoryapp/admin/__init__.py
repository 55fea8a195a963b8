"""Django admin for auditors: what the system did, without reading people's lives."""

from . import pages

__all__ = ["pages"]
