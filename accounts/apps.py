from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = _("Accounts")

    def ready(self) -> None:
        from allauth.usersessions.models import UserSession
        from django.db.models.signals import pre_save

        from accounts.logs import hide_link_tokens
        from accounts.usersessions import forget_address

        hide_link_tokens()
        pre_save.connect(forget_address, sender=UserSession)
