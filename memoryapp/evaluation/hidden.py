"""Secrets in their surroundings, and harmless sentences that look a little like them; made up
from a seed. Every number here is invented; only its check digits are right."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

SEED = 3071
_ALNUM = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_B64 = _ALNUM + "-_"


@dataclass(frozen=True, slots=True)
class Hidden:
    """A text with a secret in it, no part of which may survive (``leaks``)."""

    kind: str
    text: str
    secret: str


def leaks(secret: str, text: str) -> bool:
    """Whether a tell-tale part of the secret is in the text: one of its words or groups of
    digits, or a half of a long one."""
    for piece in secret.split():
        halves = [piece[: len(piece) // 2], piece[len(piece) // 2 :]] if len(piece) > 7 else []
        if any(part in text for part in (piece, *halves) if len(part) > 2):
            return True
    return False


def _random(r: random.Random, alphabet: str, count: int) -> str:
    return "".join(r.choices(alphabet, k=count))


def _mixed(r: random.Random, count: int) -> str:
    """Letters of both cases and digits, at least one of each."""
    return (
        _random(r, _ALNUM, count - 3)
        + r.choice("abcdefgh")
        + r.choice("KLMNPQ")
        + r.choice(string.digits)
    )


def _key(r: random.Random) -> str:
    return r.choice(
        (
            "sk-proj-" + _mixed(r, 44),
            "sk-ant-api03-" + _mixed(r, 60),
            "ghp_" + _mixed(r, 36),
            "github_pat_" + _mixed(r, 60),
            "glpat-" + _mixed(r, 20),
            "xoxb-" + _random(r, string.digits, 12) + "-" + _mixed(r, 24),
            "AKIA" + _random(r, string.ascii_uppercase + "234567", 16),
            "AIza" + _mixed(r, 35),
            "hf_" + _mixed(r, 34),
            "sk_live_" + _mixed(r, 24),
            "npm_" + _mixed(r, 36),
            "SG." + _mixed(r, 22) + "." + _mixed(r, 43),
            "shpat_" + _random(r, _HEX, 32),
        )
    )


def _password(r: random.Random) -> str:
    word = r.choice(("Tulip", "harbour", "Nimbus", "copper", "Kestrel", "juniper", "Marble"))
    return r.choice(
        (
            f"{word}!{r.randint(100, 9999)}",
            f"{word}{r.randint(10, 99)}#{_random(r, string.ascii_lowercase, 3)}",
            _mixed(r, 12),
            f"{r.choice('xqz')}{word.lower()}_{r.randint(10, 999)}$",
        )
    )


def _luhn(body: str) -> str:
    total = 0
    for place, digit in enumerate(reversed(body)):
        number = int(digit) * (2 if place % 2 == 0 else 1)
        total += number - 9 if number > 9 else number
    return body + str(-total % 10)


def _card(r: random.Random) -> str:
    start = r.choice(("4", "51", "55", "6011"))
    number = _luhn(start + _random(r, string.digits, 15 - len(start)))
    if r.random() < 0.2:
        number = _luhn("37" + _random(r, string.digits, 12))
        return f"{number[:4]} {number[4:10]} {number[10:]}"
    join = r.choice(("", " ", "-"))
    return join.join(number[i : i + 4] for i in range(0, 16, 4))


def _iban(r: random.Random) -> str:
    country, length = r.choice((("DE", 18), ("NL", 0), ("AT", 16), ("ES", 20), ("FR", 23)))
    body = (
        "ABNA" + _random(r, string.digits, 10)
        if country == "NL"
        else _random(r, string.digits, length)
    )
    digits = "".join(str(int(letter, 36)) for letter in f"{body}{country}00")
    iban = f"{country}{98 - int(digits) % 97:02d}{body}"
    if r.random() < 0.5:
        return " ".join(iban[i : i + 4] for i in range(0, len(iban), 4))
    return iban


def _ssn(r: random.Random) -> str:
    area = r.choice([n for n in range(101, 899) if n != 666])
    return f"{area:03d}-{r.randint(10, 99)}-{r.randint(1000, 9999)}"


def _dni(r: random.Random) -> str:
    number = r.randint(10_000_000, 99_999_999)
    return f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def _chinese_id(r: random.Random) -> str:
    body = f"110105{r.randint(1950, 2004)}{r.randint(1, 12):02d}{r.randint(1, 28):02d}" + _random(
        r, string.digits, 3
    )
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    check = sum(int(digit) * weight for digit, weight in zip(body, weights, strict=True)) % 11
    return body + "10X98765432"[check]


def _cpf(r: random.Random) -> str:
    digits = [r.randint(0, 9) for _ in range(9)]
    for length in (9, 10):
        total = sum(d * (length + 1 - i) for i, d in enumerate(digits))
        digits.append((total * 10 % 11) % 10)
    text = "".join(map(str, digits))
    return f"{text[:3]}.{text[3:6]}.{text[6:9]}-{text[9:]}"


def _jwt(r: random.Random) -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    return f"{head}.{_random(r, _B64, 60)}.{_random(r, _B64, 43)}"


def _around(r: random.Random, secret: str) -> str:
    """A secret that is known by itself, among neighbours of every sort."""
    return r.choice(
        (
            f"{secret}",
            f"please keep {secret} for me",
            f"请记住{secret}谢谢",
            f"これは{secret}です。",
            f"제 값은 {secret}입니다",
            f"here it is:\n{secret}\nthanks",
            f"```python\nvalue = '{secret}'\n```",
            f'{{"id": 7, "value": "{secret}"}}',
            f"（{secret}）",
            f"it was {secret}, wasn't it?",
        )
    )


def _told_password(r: random.Random) -> Hidden:
    secret = _password(r)
    text = r.choice(
        (
            f"my password is {secret}",
            f"The wifi password: {secret}",
            f"password:\n{secret}",
            f"密码是{secret}。",
            f"我的密码：{secret}，别忘了",
            f"パスワードは{secret}です",
            f"비밀번호는 {secret}",
            f"mein Passwort ist {secret}",
            f"mi contraseña es {secret}",
            f"le mot de passe est {secret}",
            f"DB_PASSWORD={secret}",
            f'password = "{secret}"',
            f"```yaml\npassword: '{secret}'\n```",
            f"the passphrase for the vault is {secret}",
            f"My login for the portal is mila / {secret}, save that.",
            f"user: mila\npassword: {secret}",
            f"パスワード：\n{secret}",
            f"新密码\n{secret}",
            f"Zugangsdaten: mila, Passwort {secret}",
        )
    )
    return Hidden("password", text, secret)


def _url(r: random.Random) -> Hidden:
    secret = _mixed(r, 14)
    scheme = r.choice(("postgresql", "redis", "amqp", "https", "mongodb"))
    address = f"{scheme}://app:{secret}@db{r.randint(1, 9)}.example.com:5432/main"
    return Hidden("address", _around(r, address), secret)


def _pem(r: random.Random) -> Hidden:
    lines = [_random(r, _ALNUM + "+/", 64) for _ in range(6)]
    kind = r.choice(("RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY"))
    text = "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])
    return Hidden("private key", _around(r, text), lines[3])


def _token(r: random.Random) -> Hidden:
    secret = _mixed(r, 40)
    text = r.choice(
        (
            f"Authorization: Bearer {secret}",
            f"curl -H 'Authorization: Bearer {secret}' https://api.example.com",
            f"API_TOKEN={secret}",
            f'api_key: "{secret}"',
            f"client_secret = '{secret}'",
            f"アクセストークン: {secret}",
        )
    )
    return Hidden("token", text, secret)


def _command_line(r: random.Random) -> Hidden:
    secret = r.choice((_password(r), _mixed(r, 40)))
    text = r.choice(
        (
            f"mysql -u root --password={secret} shop",
            f"export AWS_SECRET_ACCESS_KEY={secret}",
            f"Server=db;User Id=app;Password={secret};",
            f"```sh\nPGPASSWORD={secret} psql -h db\n```",
            f'docker run -e SECRET_KEY="{secret}" app',
            f"sshpass -p '{secret}' ssh box",
            f"運行這個：\nexport TOKEN={secret}\n謝謝",
        )
    )
    return Hidden("command line", text, secret)


def _words(r: random.Random) -> Hidden:
    pool = (
        "abandon ladder velvet orbit cactus mimic harvest tunnel gossip lumber fabric whale noble "
        "pistol sugar meadow rival cradle zebra kidney panther exile jaguar tobacco"
    )
    secret = " ".join(r.sample(pool.split(), 12))
    text = r.choice(
        (
            f"my seed phrase is {secret}",
            f"Recovery phrase:\n{secret}",
            f"助记词：{secret}",
        )
    )
    return Hidden("recovery phrase", text, secret)


def _short(r: random.Random) -> Hidden:
    kind, secret = r.choice(
        (
            ("pin", f"{r.randint(1000, 9999)}"),
            ("cvv", f"{r.randint(100, 999)}"),
            ("passport number", f"{r.choice('CFGHJK')}{r.randint(10_000_000, 99_999_999)}"),
        )
    )
    text = r.choice(
        (
            f"my {kind} is {secret}",
            f"{kind}: {secret}",
            f"My {kind} is still {secret}, don't tell anyone",
            f"{kind}:\n{secret}",
        )
    )
    return Hidden("short number", text, secret)


def _by_itself(
    kind: str, make: Callable[[random.Random], str]
) -> Callable[[random.Random], Hidden]:
    def made(r: random.Random) -> Hidden:
        secret = make(r)
        return Hidden(kind, _around(r, secret), secret)

    return made


_MAKERS: tuple[Callable[[random.Random], Hidden], ...] = (
    _by_itself("key", _key),
    _told_password,
    _by_itself("card", _card),
    _by_itself("bank account", _iban),
    _by_itself("identity number", _ssn),
    _by_itself("identity number", _dni),
    _by_itself("identity number", _chinese_id),
    _by_itself("identity number", _cpf),
    _by_itself("session", _jwt),
    _url,
    _pem,
    _token,
    _command_line,
    _words,
    _short,
)


def secrets(count: int, seed: int = SEED) -> Iterator[Hidden]:
    """So many secrets, the kinds by turns."""
    chance = random.Random(seed)  # noqa: S311  # test material
    for number in range(count):
        yield _MAKERS[number % len(_MAKERS)](chance)


def harmless(count: int, seed: int = SEED) -> Iterator[str]:
    """So many sentences with nothing secret in them."""
    r = random.Random(seed + 1)  # noqa: S311
    for _ in range(count):
        yield r.choice(
            (
                f"The order number is {r.randint(10**9, 10**10)}, it ships on Friday.",
                f"Call me on +44 20 7946 0{r.randint(100, 999)} after six.",
                f"Commit {_random(r, _HEX, 40)} broke the build.",
                f"Version {r.randint(1, 9)}.{r.randint(0, 20)}.{r.randint(0, 30)} is out.",
                "I forgot my password again, where do I reset it?",
                "A good password manager is worth the money.",
                "What's the difference between a secret and a token?",
                f"ISBN 978-0-{r.randint(100, 999)}-{r.randint(10000, 99999)}-{r.randint(0, 9)}.",
                f"See https://example.com/articles/{r.randint(1000, 99999)}?page={r.randint(1, 9)}",
                f"We measured {r.randint(1, 99)}.{r.randint(1000, 9999)} and {r.randint(1, 99)}.5.",
                f"Room {r.randint(100, 999)}, {r.choice('ABCDEF')}, at {r.randint(8, 18)}:30.",
                f"The parcel weighs {r.randint(2, 40)} kg and costs {r.randint(10, 900)} euros.",
                "密码学是一门有意思的学科。",
                "パスワードの変更方法を教えてください。",
                "My wife's pin collection is huge.",
                f"He was born on {r.randint(1, 28)}.{r.randint(1, 12)}.{r.randint(1950, 2010)}.",
                f"Flight LH{r.randint(100, 2999)} from {r.choice('ABC')}{r.randint(1, 60)}.",
                f"The uuid is {_uuid(r)}, if that helps.",
                f"def {r.choice(('key', 'token', 'secret'))}_for(name): return registry[name]",
                "The secret of good bread is time.",
                f"People: {r.randint(100, 999)},{r.randint(100, 999)}; {r.randint(10, 99)} km².",
                "Basic knowledge of Spanish is enough there.",
                f"Set the port to {r.randint(1024, 65000)} and the limit to {r.randint(10, 500)}.",
                f"El número de pedido es {r.randint(100000, 999999)}.",
            )
        )


def _uuid(r: random.Random) -> str:
    return "-".join(_random(r, _HEX, n) for n in (8, 4, 4, 4, 12))
