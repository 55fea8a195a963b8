"""Links to the user's page."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from django.utils.translation import gettext as _
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from accounts.theming import COLOUR, MOST_RADIUS, Density, Font, Scheme
from memoryapp.api.fields import refuse

from .base import In, UserName


def _colour(value: str) -> str:
    if not COLOUR.fullmatch(value):
        raise refuse("colour", _("That is no colour."), _("Write it as “#24476b”."))
    return value


Colour = Annotated[
    str,
    AfterValidator(_colour),
    Field(json_schema_extra={"pattern": f"^{COLOUR.pattern}$", "examples": ["#24476b"]}),
]


class ThemeIn(In):
    """How the page looks in the frame. What is left out stays as it is."""

    accent: Annotated[
        Colour | None, Field(description="For links and buttons of the light page.")
    ] = None
    accent_dark: Annotated[Colour | None, Field(description="The same of the dark page.")] = None
    radius: Annotated[
        int | None, Field(ge=0, le=MOST_RADIUS, description="Of corners, in pixels.")
    ] = None
    font: Annotated[Font, Field(description="`notebook` has memories in a serif.")] = "notebook"
    scheme: Scheme = "auto"
    density: Density = "comfortable"


class LinkIn(In):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"user": "user-17"}, {"user": "user-17", "embed": True}],
        }
    )

    user: UserName = None
    embed: Annotated[
        bool,
        Field(
            strict=True,
            description="The link is for a frame, on the sites that the application's owner "
            "allowed. Outside of a frame it works as any other.",
        ),
    ] = False
    theme: Annotated[ThemeIn | None, Field(description="With `embed` only.")] = None


class LinkOut(BaseModel):
    url: str
    expires_at: datetime
