"""Django admin for auditors: what the system did, without reading people's lives."""

from . import pages, webhooks

__all__ = ["pages", "webhooks"]
