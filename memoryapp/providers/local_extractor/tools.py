"""Which attribute a value belongs to, told by the value: "Vim" is an editor."""

from __future__ import annotations

import re

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (attribute, re.compile(pattern))
    for attribute, pattern in (
        (
            "theme",
            r"(?:the )?(?:dark|light|night|solarized|solarised|high[- ]contrast|dracula|sepia"
            r"|gruvbox|nord)(?: (?:solarized|high[- ]contrast))? ?(?:mode|theme|colou?r scheme)s?",
        ),
        (
            "editor",
            r"vim|neovim|nvim|vs ?code|visual studio(?: code)?|emacs|doom emacs|spacemacs"
            r"|sublime(?: text)?|intellij(?: idea)?|pycharm|webstorm|phpstorm|goland"
            r"|rustrover|clion"
            r"|rider|xcode|android studio|cursor|zed|helix|nano|notepad\+\+|atom|eclipse|windsurf"
            r"|kakoune|rstudio|netbeans|textmate",
        ),
        (
            "indentation",
            r"(?:tabs|spaces|(?:2|4|8|two|four|eight)[- ](?:spaces|space indentation"
            r"|space indents?)"
            r"|(?:tab|space) indentation)",
        ),
        (
            "seat_preference",
            r"(?:the )?(?:window|aisle|middle|exit[- ]row|front|rear|bulkhead) seats?",
        ),
        (
            "operating_system",
            r"linux|ubuntu|debian|fedora|arch(?: linux)?|mac ?os(?: x)?|windows(?: \d+)?|nixos"
            r"|linux mint|pop!?_?os|freebsd|openbsd|chrome ?os|opensuse|manjaro|gentoo",
        ),
        (
            "browser",
            r"firefox|(?:google )?chrome|safari|brave|(?:microsoft )?edge|vivaldi|opera|librewolf",
        ),
        ("shell", r"zsh|bash|fish(?: shell)|powershell|nushell"),
        ("terminal", r"iterm2?|alacritty|kitty|wezterm|ghostty|warp|windows terminal|tmux"),
        (
            "keyboard_layout",
            r"(?:dvorak|colemak(?:-dh)?|qwertz?|azerty|workman)(?: (?:layout|keyboard))*",
        ),
        (
            "programming_language",
            r"python|rust|golang|java|javascript|typescript|c\+\+|c#|kotlin|ruby|php|scala"
            r"|haskell|elixir|clojure|julia|perl|lua|dart|zig|ocaml|f#|erlang|fortran|cobol|swift",
        ),
        (
            "framework",
            r"django|flask|fastapi|react(?: native)?|vue(?:\.js)?|svelte(?:kit)?|angular|next\.?js"
            r"|rails|ruby on rails|spring(?: boot)?|laravel|pytorch|tensorflow|nuxt|flutter"
            r"|phoenix",
        ),
        (
            "database",
            r"postgres(?:ql)?|mysql|mariadb|sqlite|mongodb|redis|valkey|oracle|duckdb|clickhouse",
        ),
        ("package_manager", r"uv|poetry|npm|pnpm|yarn|conda|pipenv|homebrew"),
        ("units", r"(?:the )?(?:metric|imperial)(?: (?:units?|system))?|celsius|fahrenheit"),
        ("phone_model", r"(?:an? |the )?(?:iphone|pixel|galaxy)(?: [\w+]+){0,3}"),
    )
)
_EVERYWHERE = frozenset(
    ["everything", "all", "coding", "programming", "development", "my", "code", "code", "editing"]
)
_SCOPE_TAIL = re.compile(
    r"\s+(?:(?P<at>at|for) (?P<place>work|home|school|uni|university)"
    r"|(?:in|on|for|with) (?:my |our |the |all (?:of )?my |an? )?"
    r"(?P<thing>ides?|editors?|code editor|terminal|browser|phone|laptop|desktop|tablet|mobile"
    r"|computer|work laptop|kindle|slack|github|e-?mails?|apps?|calendar|presentations?)"
    r"|(?:in|on|for) (?:my |our |the "
    r"|this )?(?P<project>[\w' -]{2,40}?) (?P<what>project|course|repo|class)"
    r"|when (?:i'm |i am |i |we |we're )?(?P<when>travel(?:l?ing)?|fly(?:ing)?"
    r"|cook(?:ing)?|driv(?:e|ing)"
    r"|work(?:ing)?|cod(?:e|ing)|writ(?:e|ing))"
    r"|(?:on|for) (?P<trip>(?:long |short |night |overnight )?(?:flights|trains|journeys|planes)))$"
)
_PURPOSE = re.compile(r"\s+for (?P<purpose>[\w+#. -]{2,40})$")
_STEMS = {
    "editor": "ide",
    "editors": "ide",
    "ides": "ide",
    "code editor": "ide",
    "mobile": "phone",
    "apps": "app",
    "mails": "mail",
    "emails": "email",
    "presentation": "presentations",
}
_ACTIVITY = {
    "fly": "flights",
    "trav": "travel",
    "cook": "cooking",
    "driv": "driving",
    "work": "work",
    "code": "coding",
    "codi": "coding",
    "writ": "writing",
}


def attribute_of(value: str) -> str:
    """The attribute that a value names by itself, or empty when it is none of ours."""
    text = value.strip().lower()
    for attribute, pattern in _KINDS:
        if pattern.fullmatch(text):
            return attribute
    return ""


def split_scope(text: str) -> tuple[int, str]:
    """Where the value ends in ``text`` and the scope that its tail names;
    ``(len(text), "")`` when it names none."""
    found = _SCOPE_TAIL.search(text)
    if found is None or found.start() == 0:
        return len(text), ""
    if found["place"]:
        scope = found["place"]
    elif found["thing"]:
        scope = _STEMS.get(found["thing"], found["thing"])
    elif found["project"]:
        scope = "project:" + found["project"].strip()
    elif found["trip"]:
        scope = found["trip"]
    else:
        scope = _ACTIVITY[found["when"][:4].rstrip()] if found["when"] != "fly" else "flights"
    return found.start(), scope


def split_purpose(text: str) -> tuple[int, str]:
    """As ``split_scope``, for "… for Python": what a tool is used for."""
    found = _PURPOSE.search(text)
    if found is None:
        return len(text), ""
    purpose = re.sub(r"^(?:my|the|our|all)\s+", "", found["purpose"].strip())
    everywhere = purpose in _EVERYWHERE or purpose.startswith(("everything", "all "))
    return found.start(), "" if everywhere else purpose
