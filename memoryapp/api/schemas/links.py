"""Links to the user's page."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from .base import In, UserName


class LinkIn(In):
    model_config = ConfigDict(json_schema_extra={"examples": [{"user": "user-17"}]})

    user: UserName = None


class LinkOut(BaseModel):
    url: str
    expires_at: datetime
