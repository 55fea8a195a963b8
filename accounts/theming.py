"""How an embedded page looks: a few values, each from a small set, so that a stylesheet made
of them holds nothing that wasn't written here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from django.conf import settings

Scheme = Literal["auto", "light", "dark"]
Font = Literal["notebook", "sans", "serif"]
Density = Literal["comfortable", "compact"]

COLOUR = re.compile(r"#[0-9a-f]{6}", re.ASCII)
LEAST_CONTRAST = 4.5
MOST_RADIUS = 16

_Rgb = tuple[int, int, int]


class Unreadable(ValueError):
    """The accent can't be read on the page. ``field`` is ``accent`` or ``accent_dark``,
    ``contrast`` what it reaches at worst."""

    def __init__(self, field: str, contrast: float) -> None:
        super().__init__(f"the contrast of {field} is {contrast:.2f}")
        self.field, self.contrast = field, contrast


@dataclass(frozen=True, slots=True)
class Theme:
    """``accent`` is for the light page and ``accent_dark`` for the dark one; None keeps ours.
    ``radius`` is in CSS pixels."""

    accent: str | None = None
    accent_dark: str | None = None
    radius: int | None = None
    font: Font = "notebook"
    scheme: Scheme = "auto"
    density: Density = "comfortable"

    @classmethod
    def load(cls, values: Mapping[str, Any]) -> Theme:
        """From what ``dump`` gave. Raises ValueError (TypeError for a name that isn't one)
        for any value that isn't allowed, Unreadable for an accent that can't be read."""
        theme = cls(**values)
        for colour in (theme.accent, theme.accent_dark):
            if colour is not None and not COLOUR.fullmatch(colour):
                raise ValueError("a colour is # and six hexadecimal digits in lower case")
        if theme.radius is not None and not (
            type(theme.radius) is int and 0 <= theme.radius <= MOST_RADIUS
        ):
            raise ValueError(f"the radius is a whole number up to {MOST_RADIUS}")
        for value, kind in ((theme.font, Font), (theme.scheme, Scheme), (theme.density, Density)):
            if value not in get_args(kind):
                raise ValueError(f"it is one of {', '.join(get_args(kind))}")
        for field, dark in (("accent", False), ("accent_dark", True)):
            colour = getattr(theme, field)
            if colour is not None and (found := worst_contrast(colour, dark)) < LEAST_CONTRAST:
                raise Unreadable(field, found)
        return theme

    def dump(self) -> dict[str, Any]:
        """What differs from the defaults."""
        return {name: value for name, value in asdict(self).items() if value != _DEFAULT[name]}

    def css(self) -> str:
        """A stylesheet for after our own: it sets our tokens, nothing else."""
        light, dark = _tokens()
        light_rules = {**_accent_rules(self.accent, dark=False), **self._shape()}
        dark_rules = _accent_rules(self.accent_dark, dark=True)
        if self.scheme == "light":
            return _rule({**light, **light_rules, "color-scheme": "light"})
        if self.scheme == "dark":
            return _rule({**dark, **self._shape(), **dark_rules, "color-scheme": "dark"})
        if self.accent and not self.accent_dark:
            # The light accent must not reach the dark page.
            dark_rules = {name: dark[name] for name in _accent_rules(self.accent, dark=False)}
        text = _rule(light_rules)
        if dark_rules:
            text += f"@media (prefers-color-scheme: dark) {{\n{_rule(dark_rules)}}}\n"
        return text

    def _shape(self) -> dict[str, str]:
        rules = {}
        if self.radius is not None:
            rules["--round"] = f"{self.radius}px"
        if self.font == "sans":
            rules["--reading"] = "var(--interface)"
        elif self.font == "serif":
            rules["--interface"] = "var(--reading)"
        if self.density == "compact":
            # Targets stay as large as a finger: only the room between them shrinks.
            rules |= {
                "--s4": "0.75rem",
                "--s5": "1rem",
                "--s6": "1.125rem",
                "--s8": "1.375rem",
                "--s12": "2rem",
                "--s16": "2.5rem",
                "--s24": "5rem",
            }
        return rules


_DEFAULT = asdict(Theme())


def _rule(declarations: Mapping[str, str]) -> str:
    if not declarations:
        return ""
    return ":root {\n" + "".join(f"  {k}: {v};\n" for k, v in declarations.items()) + "}\n"


@cache
def _tokens() -> tuple[dict[str, str], dict[str, str]]:
    """The colours of the light and of the dark page, as our own stylesheet has them."""
    text = (Path(settings.BASE_DIR) / "static" / "app.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", text, re.DOTALL)
    declared = [dict(re.findall(r"(--[a-z-]+):\s*([^;]+);", block)) for block in blocks[:2]]
    light, dark = declared
    return {name: light[name] for name in dark}, dark


def _rgb(colour: str) -> _Rgb:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _hex(colour: _Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _mix(one: _Rgb, other: _Rgb, share: float) -> _Rgb:
    """``share`` of ``one``, the rest of ``other``."""
    red, green, blue = (round(a * share + b * (1 - share)) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _luminance(colour: _Rgb) -> float:
    """WCAG 2.2's relative luminance, from 0 to 1."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """WCAG 2.2's contrast ratio of two colours, from 1 to 21."""
    low, high = sorted((_luminance(_rgb(one)), _luminance(_rgb(other))))
    return (high + 0.05) / (low + 0.05)


def worst_contrast(accent: str, dark: bool) -> float:
    """Of the accent with all that it stands on or under on the light or dark page."""
    tokens, rules = _tokens()[dark], _accent_rules(accent, dark=dark)
    grounds = [tokens[name] for name in ("--paper", "--paper-raised", "--paper-sunk")]
    return min(
        contrast(accent, ground)
        for ground in [*grounds, rules["--action-wash"], rules["--on-action"]]
    )


def _accent_rules(accent: str | None, *, dark: bool) -> dict[str, str]:
    """The tokens that follow from an accent: more contrast when pointed at, a wash of it."""
    if accent is None:
        return {}
    tokens = _tokens()[dark]
    further = (255, 255, 255) if dark else (0, 0, 0)
    return {
        "--action": accent,
        "--action-over": _hex(_mix(_rgb(accent), further, 0.75)),
        "--on-action": tokens["--paper-sunk"] if dark else tokens["--paper-raised"],
        "--action-wash": _hex(_mix(_rgb(accent), _rgb(tokens["--paper"]), 0.08)),
    }
