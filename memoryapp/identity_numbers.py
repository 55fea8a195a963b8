"""Numbers that carry their own check digits: cards, bank accounts, identity numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Length of an IBAN by country (ISO 13616 registry).
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28,
    "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
    "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20,
    "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18,
    "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24,
    "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24,
    "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip

# Issuer prefixes with the lengths that each issues.
_CARDS = (
    (re.compile(r"4"), (13, 16, 19)),
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"), (16,)),
    (re.compile(r"3[47]"), (15,)),
    (re.compile(r"30[0-5]|309|3[689]"), (14, 16)),
    (re.compile(r"6011|64[4-9]|65|62|81|60|508"), (16, 17, 18, 19)),
    (re.compile(r"35(?:2[89]|[3-8])"), (16, 17, 18, 19)),
    (re.compile(r"220[0-4]|9792"), (16,)),
    (re.compile(r"50|5[6-9]|6[37]"), (16, 17, 18, 19)),
)

_VERHOEFF_D = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_VERHOEFF_P = (
    "0123456789", "1576283094", "5803796142", "8916043527",
    "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip

_EDGE, _END = r"(?<![A-Za-z0-9-])", r"(?![A-Za-z0-9-])"
_SSN = re.compile(_EDGE + r"(\d{3})-(\d{2})-(\d{4})" + _END, re.ASCII)
_NINO = re.compile(
    _EDGE + r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]"
    r" ?\d{2} ?\d{2} ?\d{2} ?[A-D]" + _END
)
_AADHAAR = re.compile(_EDGE + r"[2-9]\d{3}[ -]\d{4}[ -]\d{4}" + _END, re.ASCII)
_CPF = re.compile(_EDGE + r"\d{3}\.\d{3}\.\d{3}-\d{2}" + _END, re.ASCII)
_ZH_ID = re.compile(_EDGE + r"[1-9]\d{5}(?:19|20)\d{9}[\dXx]" + _END, re.ASCII)
_DNI = re.compile(_EDGE + r"(?:\d{8}|[XYZ]\d{7})-?[A-Z]" + _END, re.ASCII)
_NIR = re.compile(_EDGE + r"[12] ?\d{2} ?\d{2} ?\d{2} ?\d{3} ?\d{3} ?\d{2}" + _END, re.ASCII)
_NAMED = re.compile(
    r"(?:social[ -]security(?: number| no\.?| #)?|ssn|passport(?: number| no\.?| #)|aadhaar"
    r"(?: number| no\.?)?|national id(?: number)?|id card(?: number)?|tax (?:id|file)(?: number)?"
    r"|driv(?:er'?s|ing) licen[cs]e(?: number)|insurance number|nhs number|residence permit number"
    r"|steuer-?id(?:entifikationsnummer)?|personalausweis(?:nummer)?"
    r"|reisepass|(?:reise)?pass(?:nummer| nr\.?)|sozialversicherungsnummer"
    r"|dni|nie|nif|(?:número|n[ºo°]\.?) de (?:pasaporte"
    r"|la seguridad social|passaporte)|num[ée]ro de (?:passeport|sécurité sociale)"
    r"|numero (?:di|del) passaporto|codice fiscale|номер паспорта|身份证号?码?|身分證號?碼?"
    r"|护照号?码?|護照號?碼?|パスポート番号|旅券番号|マイナンバー"
    r"|여권 ?번호|주민등록번호|पासपोर्ट (?:नंबर|संख्या)"
    r"|आधार (?:नंबर|संख्या)|pan (?:number|card)|sin(?: number))"
    r"(?:[ \t]*(?:is|ist|es|est|è|é|lautet|是|为|為|は|는|은|है|:|：|=|#)"
    r"(?:[ \t]+(?:still|now|currently|just|noch|toujours|todavía))?){1,2}[ \t]*\n?[ \t]*"
    r"(?P<value>[A-Za-z]{0,3}[ -]?[0-9](?:[ .-]?[0-9]|[A-Za-z]|[ .-][A-Za-z](?![A-Za-z])){4,17})"
    r"(?![A-Za-z0-9])",
    re.IGNORECASE,
)


def luhn(digits: str) -> bool:
    """Whether the last digit checks the others (ISO/IEC 7812-1)."""
    total = 0
    for index, digit in enumerate(reversed(digits)):
        number = int(digit) * (1 + index % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def is_card(digits: str) -> bool:
    """Whether a string of digits is a payment card's: issuer, length, check digit."""
    if len(set(digits)) < 2:
        return False
    return luhn(digits) and any(
        prefix.match(digits) and len(digits) in lengths for prefix, lengths in _CARDS
    )


def iban_end(text: str, start: int) -> int:
    """Where the IBAN that starts at ``start`` ends, 0 when there is none."""
    length = _IBAN_LENGTHS.get(text[start : start + 2].upper(), 0)
    kept: list[str] = []
    position = start
    while length and position < len(text) and len(kept) < length:
        char = text[position]
        if char.isascii() and char.isalnum():
            kept.append(char.upper())
        elif char not in " \n-" or text[position - 1] in " \n-":
            return 0
        position += 1
    if not length or len(kept) < length:
        return 0
    if position < len(text) and text[position].isascii() and text[position].isalnum():
        return 0
    number = "".join(str(int(char, 36)) for char in kept[4:] + kept[:4])
    return position if int(number) % 97 == 1 else 0


def _verhoeff(digits: str) -> bool:
    check = 0
    for index, digit in enumerate(reversed(digits)):
        check = int(_VERHOEFF_D[check][int(_VERHOEFF_P[index % 8][int(digit)])])
    return check == 0


def _cpf(digits: str) -> bool:
    def digit(count: int) -> int:
        rest = sum(int(digits[i]) * (count + 1 - i) for i in range(count)) * 10 % 11
        return rest % 10

    return len(set(digits)) > 1 and digit(9) == int(digits[9]) and digit(10) == int(digits[10])


def _zh_id(number: str) -> bool:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(weight * int(digit) for weight, digit in zip(weights, number[:17], strict=True))
    return "10X98765432"[total % 11] == number[17].upper()


def _dni(number: str) -> bool:
    body = number[:-1].replace("-", "")
    digits = {"X": "0", "Y": "1", "Z": "2"}.get(body[0], body[0]) + body[1:]
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == number[-1]


def _nir(digits: str) -> bool:
    return 97 - int(digits[:13]) % 97 == int(digits[13:])


def national_ids(text: str) -> Iterator[tuple[int, int]]:
    """Spans of identity numbers, by check digit where the kind has one, else by
    the words that name them."""
    for found in _SSN.finditer(text):
        area, group, serial = found.groups()
        if area not in ("000", "666") and area < "900" and group != "00" and serial != "0000":
            yield found.span()
    for found in _NINO.finditer(text):
        yield found.span()
    for pattern, check in (
        (_AADHAAR, _verhoeff),
        (_CPF, _cpf),
        (_NIR, _nir),
    ):
        for found in pattern.finditer(text):
            if check(re.sub(r"\D", "", found[0])):
                yield found.span()
    for found in _ZH_ID.finditer(text):
        if _zh_id(found[0]):
            yield found.span()
    for found in _DNI.finditer(text):
        if _dni(found[0]):
            yield found.span()
    for found in _NAMED.finditer(text):
        yield found.span("value")
