"""Second factors: how allauth keeps their secrets and names them."""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import logging
import re
import secrets
from io import BytesIO

import qrcode
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _
from qrcode.image.svg import SvgPathImage

from accounts.models import User

logger = logging.getLogger(__name__)


def _box() -> Fernet:
    # A copy of the database alone makes no codes. After a change of SECRET_KEY authenticator
    # apps and recovery codes have to be set up anew; passkeys go on.
    key = hashlib.sha256(b"accounts.mfa:" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))


class MfaAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """Secrets are encrypted with the server's own key."""

    def encrypt(self, text: str) -> str:
        return _box().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """The secret; another one, which no code fits, when SECRET_KEY has changed since."""
        try:
            return _box().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            logger.warning("the secret of a second factor can't be read: SECRET_KEY has changed")
            return base64.b32encode(secrets.token_bytes(20)).decode()

    def build_totp_svg(self, url: str) -> str:
        """The code as one path, to stand in the page itself, whose policy takes no image
        from a `data:` address."""
        drawn = BytesIO()
        qrcode.make(url, image_factory=SvgPathImage, border=4).save(drawn)
        text = drawn.getvalue().decode()
        [size] = re.findall(r'viewBox="([0-9 ]+)"', text)
        [path] = re.findall(r' d="([A-Z0-9,z .]+)"', text, re.IGNORECASE)
        return (
            f'<svg class="qr" viewBox="{size}" width="200" height="200" aria-hidden="true"'
            f' focusable="false"><path d="{path}"/></svg>'
        )

    def generate_authenticator_name(self, user: User, type: str) -> str:
        return str(_("This device"))


def can_have_passkeys(request: HttpRequest) -> bool:
    """Whether browsers make passkeys for the address that the request came by: never for a
    bare IP address."""
    host = request.get_host()
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return True
    return False
