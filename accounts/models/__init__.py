from accounts.models.applications import Application, EndUser
from accounts.models.keys import SCOPES, ApiKey
from accounts.models.links import PageLink
from accounts.models.user import User

__all__ = ["SCOPES", "ApiKey", "Application", "EndUser", "PageLink", "User"]
