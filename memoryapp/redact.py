"""Secrets out of a text before it is stored or sent anywhere.

Every pattern is bounded, so the time is linear in the length of the text. Letters
count as ASCII here: a secret beside Chinese or Japanese text is found as well.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from memoryapp.identity_numbers import iban_end, is_card, national_ids


@dataclass(frozen=True, slots=True)
class Span:
    """A secret at ``[start, end)`` of the original text, and what it is."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """The text with markers such as ``[redacted: password]`` in place of the
    secrets, and where they were. ``spans`` is empty when there was none."""

    text: str
    spans: tuple[Span, ...]


_B = r"(?<![A-Za-z0-9_-])"
_PREFIXED = re.compile(
    _B + r"(?:"
    r"sk-(?:proj-|ant-|or-|live-|svcacct-)?[A-Za-z0-9_-]{16,300}"
    r"|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}|glpat-[A-Za-z0-9_-]{16,64}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-[A-Za-z0-9-]{10,250}"
    r"|(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}(?![A-Za-z0-9])|AIza[A-Za-z0-9_-]{30,45}"
    r"|ya29\.[A-Za-z0-9_-]{20,300}|hf_[A-Za-z0-9]{20,64}|[prs]k_(?:live|test)_[A-Za-z0-9]{10,250}"
    r"|whsec_[A-Za-z0-9+/=]{16,100}|SG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{16,80}"
    r"|npm_[A-Za-z0-9]{30,60}|pypi-[A-Za-z0-9_-]{40,300}|do[opr]_v1_[a-f0-9]{40,80}"
    r"|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{24,64}|gsk_[A-Za-z0-9]{20,80}|xai-[A-Za-z0-9]{20,120}"
    r"|EAAC[A-Za-z0-9]{20,300}|AGE-SECRET-KEY-1[A-Z0-9]{50,70}|dapi[a-f0-9]{32}"
    r"|[0-9]{8,10}:AA[A-Za-z0-9_-]{32,36}"
    r")"
)
_JWT = re.compile(
    _B + r"eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{4,8000}(?:\.[A-Za-z0-9_-]{0,2000})?"
)
_BEARER = re.compile(
    r"(?i:\bbearer|\bbasic)[ \t]+(?=[A-Za-z0-9+/_.~-]{0,100}[0-9])([A-Za-z0-9+/_.~-]{16,2000}=*)"
)
_TOKEN = re.compile(r"(?<![A-Za-z0-9+_/=.-])[A-Za-z0-9+_-]{28,512}={0,2}(?![A-Za-z0-9+_/=-])")
_USERINFO = re.compile(r"(?<=://)[^\s/:@\"'<>]{0,64}:([^\s/@\"'<>]{1,200})@(?=[A-Za-z0-9\[])")
_BARE_USERINFO = re.compile(
    r"(?<![\w./:@+-])([A-Za-z][\w.-]{1,40}):([^\s:@/\"'<>]{4,100})@(?=[A-Za-z0-9-]{1,63}[.:/])"
)
_MAIL_WORDS = frozenset((
    "mail", "email", "e-mail", "mailto", "contact", "to", "from", "cc", "bcc", "sip", "xmpp",
    "acct",
))  # fmt: skip

_LABELS = (
    r"pass[ -]?words?|pass[ -]?codes?|pass[ -]?phrases?|passwd|pwd|pin(?:[ -]?code| number)?"
    r"|secret[ _-]?(?:access[ _-]?)?key|secret|api[ _-]?(?:key|token|secret)s?"
    r"|access[ _-]?(?:key|token)|auth[ _-]?token|private[ _-]?key|client[ _-]?secret"
    r"|refresh[ _-]?token|recovery (?:key|code|phrase)|seed phrase|cvv|cvc"
    r"|mnemonic(?: phrase| words?)?|seed words|recovery words"
    r"|contraseña|clave|passwort|kennwort|zugangscode|geheimzahl|mot de passe|mdp|senha"
    r"|parola d'ordine|wachtwoord|lösenord|hasło|пароль|पासवर्ड|पिन|salasana|adgangskode|kodeord"
    r"|passord|jelszó|heslo|şifrem?|parolam|mật khẩu|kata sandi|κωδικός|كلمة المرور|كلمة السر"
    r"|סיסמה|รหัสผ่าน|code pin|clé (?:d')?api|clé secrète|jeton(?: d'accès)?|api-schlüssel"
    r"|zugangstoken|zugriffstoken|token de acceso|clave (?:de )?api|токен|ключ api"
)
# Of scripts without word limits, where letters of the sentence may touch the label.
_CJK_LABELS = (
    r"密码|密碼|口令|暗号|暗証番号|密钥|密鑰|秘钥|令牌|パスワード|パスコード|アクセストークン|トークン"
    r"|アクセスキー|シークレットキー|秘密鍵|비밀번호|암호|패스워드|액세스 토큰|토큰|시크릿 키"
)
# "my password for the portal is hunter2", "password: hunter2", "PASSWORD=hunter2".
_IN_WORDS = re.compile(
    r"(?<![A-Za-z])(?P<word>" + _LABELS + r")(?![A-Za-z])"
    r"(?P<between>[\"']?(?:[ \t]+(?:for|to|on|of|at|para|für|pour|de|del)\b[^\n:=.,;!?]{1,60}?)?"
    r"(?:[ \t]*(?:is|was|ist|lautet|es|est|è|é|jest|है)"
    r"(?:[ \t]+(?:still|now|currently|just|always|noch|toujours|todavía|sigue siendo))?"
    r"[ \t]*:?|[ \t]*(?:={1,2}>?|:=?|->|→|：)))[ \t]*\n?[ \t]*"
    r"(?P<mark>[\"'`“‘]?)(?P<value>[^\s\"'`“”‘’「」，。；、！？]{3,200})",
    re.IGNORECASE,
)
_CJK = re.compile(
    r"(?P<word>" + _CJK_LABELS + r")(?!マネージャ|管理)"
    r"(?:[^\n。，,:：是は为為]{0,12}(?:是|为|為|は|는|은|:|：|=)[ \t]*:?|[은는이가])[ \t]*\n?[ \t]*"
    r"[「\"'“]?(?P<value>[!-~]{4,100})"
)
_CHANGED = re.compile(
    r"(?<![A-Za-z])(?:(?:chang|set|reset|updat)\w{0,4}[ \t][^\n.:=]{0,40}?(?P<word>"
    + _LABELS
    + r")|(?P<named>"
    + _LABELS
    + r")(?:[ \t](?:has|have|had|was|is|got|been|now|be|to)){0,4}"
    r"[ \t](?:changed|set|reset|updated))"
    r"[ \t]to[ \t]+(?P<mark>[\"'`“‘]?)(?P<value>[^\s\"'`“”‘’]{3,200})",
    re.IGNORECASE,
)
# No word or mark between label and value: "Passwort Zx81!aa", "新密码 ⏎ Zx81!aa".
_BARE = re.compile(
    r"(?:(?<![A-Za-z])(?:" + _LABELS + r")(?![A-Za-z])|" + _CJK_LABELS + r")"
    r"[ \t]*\n?[ \t]*[\"'`]?(?P<bare>[!-~]{6,100})",
    re.IGNORECASE,
)
_OPTION = (
    r"(?P<mark>[\"']?)(?P<value>(?<=[\"'])[^\"'\n]{3,200}|(?<![\"'])[^\s\"'|;&-][^\s\"'|;&]{2,200})"
)
_FLAGS = (
    re.compile(
        r"(?<![\w-])--?(?:[a-z]+-|store|key)?(?:password|passwd|passphrase|pass|pwd|token|secret"
        r"|(?:api|access|secret|account)-?key|(?:auth|access)-?token|client-?secret)"
        r"(?:=|[ \t]+)" + _OPTION,
        re.IGNORECASE,
    ),
    # Programs whose -p, -P, -a or -w is a password; of many others it is a port or a path.
    re.compile(
        r"(?<![\w-])(?:(?:sshpass|mongo(?:sh|dump|restore|export|import)?|(?:docker|podman|az"
        r"|helm|oc|buildah|skopeo|registry)(?:[ \t]\w+)?[ \t]login)[^\n|;&]{0,120}?"
        r"[ \t]-p[ \t=]{0,4}"
        r"|(?:mysql\w*|mariadb[\w-]*|7za?|rar|unrar)[ \t][^\n|;&]{0,120}?(?<=[ \t])-p"
        r"|(?:un)?zip[ \t][^\n|;&]{0,120}?(?<=[ \t])-P[ \t]{0,4}"
        r"|openssl[ \t][^\n|;&]{0,120}?(?<=[ \t])(?:-[kK][ \t]{1,4}|-pass(?:in|out)?[ \t]pass:)"
        r"|redis-cli[ \t][^\n|;&]{0,120}?(?<=[ \t])-a[ \t]{1,4}"
        r"|ldap\w+[ \t][^\n|;&]{0,120}?(?<=[ \t])-w[ \t]{1,4}"
        r"|curl[ \t][^\n|;&]{0,200}?(?<=[ \t])(?:-u|--user)[ \t=]{0,4}[\"']?[\w.@-]{1,60}:)"
        + _OPTION
    ),
)
# Twelve and more words that restore a wallet, in any script, maybe numbered.
_WORD = (
    r"(?:\d{1,2}[.):]?[ \t]{0,3})?(?:[^\W\d_]{3,12}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,8})"
)
_WALLET = re.compile(
    r"(?:(?<![A-Za-z])(?:(?:seed|recovery|backup|mnemonic|wallet|secret)[ -]?"
    r"(?:phrase|words?|seed|code|key)s?|mnemonics?|seed|frase-semente"
    r"|frase (?:de )?(?:semilla|recuperación|recuperação|recupero|seed)"
    r"|phrase (?:de récupération|secrète|mnémonique|seed)|wiederherstellungs(?:phrase|wörter)"
    r"|merkwörter|(?:сид|seed)[ -]?фраза|мнемоническ\w+ фраз\w)"
    r"|助记词|助記詞|助记码|恢复短语|恢復短語|シードフレーズ|リカバリーフレーズ|ニーモニック|復元フレーズ"
    r"|복구 ?(?:문구|구문)|시드 ?(?:문구|구문)|니모닉|सीड फ्रेज़|रिकवरी फ्रेज़)"
    r"[^\n:：=\[.。]{0,40}?(?:[:：=→-]|\b(?:is|are|ist|lautet|es|est|è|é)\b|是|为|為|は|는|은|है|\n)?"
    r"\s{0,4}[\"'“「`(]?(?P<value>" + _WORD + r"(?:[\s,、，]{1,3}" + _WORD + r"){11,23})(?!\w)",
    re.IGNORECASE,
)
_PROSE = re.compile(
    r"\b(?:the|and|for|are|was|not|but|his|her|its|our|your|has|had|were|been|from|because"
    r"|should|would|could|their|them)\b",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(
    r"(?<![A-Za-z])[A-Za-z0-9_.-]{0,40}(?:password|passwd|secret|token|api_?key|access_?key"
    r"|credential)s?[\"']?[ \t]*(?::|=)[ \t]*(?P<mark>[\"'])(?P<value>[^\"'\n]{4,300})(?P=mark)",
    re.IGNORECASE,
)
_UNQUOTED = re.compile(
    r"(?<![A-Za-z0-9_])[A-Za-z0-9_]{0,40}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|ACCESS_?KEY)"
    r"[A-Z_]{0,20}[ \t]*=[ \t]*(?P<value>[^\s\"'#]{4,300})"
)
_LOGIN = re.compile(
    r"(?<![A-Za-z])(?:log-?in|sign-?in|credentials?|creds|account|user(?:name)?|zugang|acceso)"
    r"(?![A-Za-z])[^\n/|]{0,80}?(?::|=|\b(?:is|are|ist|es)\b)[ \t]*"
    r"[^\s/|,:]{1,60}[ \t]?(?:[/|]|,[ \t])[ \t]?(?:(?:"
    + _LABELS
    + r")[ \t:=]+)?(?P<value>[^\s,]{4,100})",
    re.IGNORECASE,
)
_NOT_A_PASSWORD = frozenset((
    "the", "a", "an", "my", "your", "our", "his", "her", "their", "its", "it", "this", "that",
    "not", "no", "too", "very", "so", "in", "on", "at", "by", "of", "for", "to", "being", "been",
    "stored", "hashed", "encrypted", "required", "expired", "wrong", "incorrect", "invalid",
    "weak", "strong", "missing", "empty", "blank", "never", "always", "still", "now", "correct",
    "good", "bad", "broken", "working", "important", "set", "reset", "case-sensitive",
    "protected", "optional", "mandatory", "managed", "manager", "managers", "changed", "leaked",
    "compromised", "lost", "gone", "secure", "unsafe", "safe", "fine", "okay", "ok", "ready",
    "short", "long", "none", "null", "true", "false", "undefined", "str", "string", "int",
    "bool", "bytes", "optional[str]", "any", "different", "same", "old", "new", "unknown",
    "what", "something", "somewhere", "written", "easy", "hard", "difficult", "impossible",
    "there", "here", "where", "how", "why", "when", "which", "who", "one", "and", "or", "but",
    "just", "only", "also", "already", "usually", "about", "out", "up", "policy", "field",
    "input", "reuse", "security", "sharing", "hashing",
    "changeme", "flag", "option", "argument", "parameter", "switch", "default", "factory",
    "expire", "anything", "nothing", "whatever", "match", "use", "see", "log", "login",
))  # fmt: skip
_HEX = re.compile(r"(?:[0-9a-f]+|[0-9A-F]+)", re.ASCII)
_KEY_START = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_DIGITS = re.compile(r"(?<![0-9A-Za-z.-])[0-9](?:[ \n-]?[0-9]){12,18}(?![0-9A-Za-z])")
_IBAN_START = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}(?=[ \n]?[A-Za-z0-9])")


def _is_random(token: str) -> bool:
    """Whether a long word looks like key material, not like prose, a hash or a name."""
    body = token.rstrip("=")
    if _HEX.fullmatch(body) or re.fullmatch(r"[0-9a-fA-F-]{32,40}", body):
        return False
    kinds = [
        sum(char.isdigit() for char in body),
        sum(char.isupper() for char in body),
        sum(char.islower() for char in body),
    ]
    counts = Counter(body)
    entropy = -sum(n / len(body) * math.log2(n / len(body)) for n in counts.values())
    if min(kinds) >= 3 and entropy >= 4.0:
        return True
    # Few digits by chance: letters that change case as no joined words do.
    changes = sum(a.isupper() != b.isupper() for a, b in pairwise(body))
    return min(kinds) >= 1 and entropy >= 4.2 and changes >= 0.4 * len(body)


def _is_strong(value: str) -> bool:
    """Whether a word can hardly be anything but a password."""
    letters, digits = any(c.isalpha() for c in value), any(c.isdigit() for c in value)
    mixed = any(c.isupper() for c in value[1:]) and any(c.islower() for c in value)
    odd = re.search(r"[!#$%&*+@^_~?]", value[1:]) is not None
    return letters and digits and (odd or (mixed and len(value) >= 8))


def _is_password(value: str, *, assigned: bool) -> bool:
    bare = value.strip(".,;:!?)").lower()
    if len(bare) < 3 or bare in _NOT_A_PASSWORD or value.startswith("[redacted"):
        return False
    if not value.strip("*•.xX-_"):
        return False
    # Code that names or computes a secret holds none.
    code = re.match(
        r"[$%{<\[(]|\w+(?:\.\w+)*[(\[]|(?:os|process|self|settings|config|env)\.", value
    )
    if code is not None:
        return False
    # After "is", an ordinary adverb or participle is a remark, not a password.
    return assigned or not re.fullmatch(r"[a-z]+(?:ly|ing|ed|able|ible)", bare)


def _keys(text: str) -> Iterator[Span]:
    position = 0
    while found := _KEY_START.search(text, position):
        end = _KEY_END.search(text, found.end())
        position = end.end() if end else len(text)
        yield Span(found.start(), position, "private key")
    for pattern, kind in ((_JWT, "token"), (_PREFIXED, "api key")):
        for found in pattern.finditer(text):
            yield Span(found.start(), found.end(), kind)
    for found in _BEARER.finditer(text):
        yield Span(found.start(1), found.end(1), "token")
    for found in _TOKEN.finditer(text):
        before = text[max(0, found.start() - 8) : found.start()].lower()
        if _is_random(found[0]) and not re.search(r"sha\d{1,3}-?$", before):
            if found[0].lower().startswith(("sha256-", "sha384-", "sha512-")):
                continue
            yield Span(found.start(), found.end(), "api key")


def _passwords(text: str) -> Iterator[Span]:
    for found in _USERINFO.finditer(text):
        if not found[1].startswith("[redacted"):
            yield Span(found.start(1), found.end(1), "password")
    for found in _BARE_USERINFO.finditer(text):
        if found[1].lower() not in _MAIL_WORDS and not found[2].isalpha():
            yield Span(found.start(2), found.end(2), "password")
    for found in _WALLET.finditer(text):
        if not _PROSE.search(found["value"]):
            yield Span(found.start("value"), found.end("value"), "recovery phrase")
    for found in _BARE.finditer(text):
        bare = found["bare"].rstrip(".,;:!?)\"'`")
        if _is_strong(bare) and _is_password(bare, assigned=True):
            yield Span(found.start("bare"), found.start("bare") + len(bare), "password")
    for pattern in (_IN_WORDS, _ASSIGNED, _UNQUOTED, _CJK, _LOGIN, _CHANGED, *_FLAGS):
        for found in pattern.finditer(text):
            groups = found.groupdict()
            between = groups.get("between") or ("to" if pattern is _CHANGED else "=")
            assigned = bool(groups.get("mark")) or between.rstrip()[-1:] in "=:>→："
            start, end = found.span("value")
            while end > start and text[end - 1] in ".,;:!?)":
                end -= 1
            word = (groups.get("word") or groups.get("named") or "").lower()
            if word.startswith("pin") and not text[start:end].isdigit():
                continue
            if word.startswith("cv") and not text[start:end].isdigit():
                continue
            if word in ("clave", "secret") and text[start:end].isalpha():
                continue
            if "phrase" in word or _is_password(text[start:end], assigned=assigned):
                if "phrase" in word:
                    stop = re.compile(r"[\n.\"”]").search(text, end)
                    end = min(stop.start() if stop else len(text), end + 300)
                yield Span(
                    start, end, "api key" if "key" in word or "token" in word else "password"
                )


def _numbers(text: str) -> Iterator[Span]:
    for found in _DIGITS.finditer(text):
        before = text[max(0, found.start() - 24) : found.start()].lower()
        if re.search(r"isbn|order|tracking|invoice|ticket|imei|ean|gtin|ref", before):
            continue
        if is_card(re.sub(r"\D", "", found[0])):
            yield Span(found.start(), found.end(), "card")
    for found in _IBAN_START.finditer(text):
        if end := iban_end(text, found.start()):
            yield Span(found.start(), end, "iban")
    for start, end in national_ids(text):
        yield Span(start, end, "id number")


def redact(text: str) -> Redacted:
    """The text without its secrets. Harmless numbers, hashes in prose, phone
    numbers, ISBNs and order numbers stay. Redacting twice changes nothing."""
    spans: list[Span] = []
    for span in sorted(
        [*_keys(text), *_passwords(text), *_numbers(text)], key=lambda s: (s.start, -s.end)
    ):
        if "[redacted:" in text[max(0, span.start - 2) : span.end]:
            continue
        if spans and span.start < spans[-1].end:
            if span.end > spans[-1].end:
                spans[-1] = Span(spans[-1].start, span.end, spans[-1].kind)
            continue
        spans.append(span)
    parts: list[str] = []
    position = 0
    for span in spans:
        parts += (text[position : span.start], f"[redacted: {span.kind}]")
        position = span.end
    return Redacted("".join([*parts, text[position:]]), tuple(spans))
