"""Secrets go, harmless numbers stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.redact import redact

GHP = "ghp_0123456789abcdefABCDEF0123456789abcd"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJl"
WORDS = "ladder velvet orbit cactus mimic harvest tunnel gossip lumber fabric whale noble"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "secret", "kind"),
    [
        ("my wifi password is plumtree9", "plumtree9", "password"),
        ("The password for the router is: Qx-11.", "Qx-11", "password"),
        ("password:\nTr3llis!", "Tr3llis!", "password"),
        ("Login for the shop: ana / Regen!77, keep it", "Regen!77", "password"),
        ("my login is ana / Regen!77", "Regen!77", "password"),
        ("Mein Passwort lautet Hasenfuß22", "Hasenfuß22", "password"),
        ("mi contraseña es girasol88", "girasol88", "password"),
        ("mon mot de passe est tournesol5", "tournesol5", "password"),
        ("我的密码是xk29pq，别忘了", "xk29pq", "password"),
        ("パスワードはsakura77です", "sakura77", "password"),
        ("my PIN is 4821", "4821", "password"),
        ("the passphrase is seven lazy otters swim", "seven lazy otters swim", "password"),
        ('db_password = "s3cr3t-val"', "s3cr3t-val", "password"),
        ("export API_TOKEN=abcd1234efgh", "abcd1234efgh", "api key"),
        ("postgres://ana:hunter5@db.local/x", "hunter5", "password"),
        ("ssh ana:t0pf!@build.example.org", "t0pf!", "password"),
        ("key sk-proj-Ab12Cd34Ef56Gh78Ij90", "sk-proj-Ab12Cd34Ef56Gh78Ij90", "api key"),
        (f"用{GHP}推送", GHP, "api key"),
        ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE", "api key"),
        ("token q7Rk2LmZ9vXc4TnB8wYp3HsD6fJg1Kd5", "q7Rk2LmZ9vXc4TnB8wYp3HsD6fJg1Kd5", "api key"),
        (f"Authorization: Bearer {JWT}", JWT, "token"),
        (f"here\n{PEM}\ndone", PEM, "private key"),
        ("-----BEGIN PRIVATE KEY-----\ncut off", "cut off", "private key"),
        ("card 4111 1111 1111 1111, thanks", "4111 1111 1111 1111", "card"),
        ("卡号4111111111111111。", "4111111111111111", "card"),
        ("5500 0000\n0000 0004", "5500 0000\n0000 0004", "card"),
        ("amex 378282246310005", "378282246310005", "card"),
        ("IBAN DE89 3704 0044 0532 0130 00 please", "DE89 3704 0044 0532 0130 00", "iban"),
        ("gb82west12345698765432", "gb82west12345698765432", "iban"),
        ("SSN 123-45-6789", "123-45-6789", "id number"),
        ("my social security number is 123456789", "123456789", "id number"),
        ("passport number: X1234567", "X1234567", "id number"),
        ("DNI 12345678Z", "12345678Z", "id number"),
        ("CPF 529.982.247-25", "529.982.247-25", "id number"),
        ("身份证11010519491231002X", "11010519491231002X", "id number"),
        ("NI: AB 12 34 56 C", "AB 12 34 56 C", "id number"),
        ("passport number:\nK4471902", "K4471902", "id number"),
        ("my passport number is still K4471902, sadly", "K4471902", "id number"),
        ("护照号码：\nK4471902", "K4471902", "id number"),
        ("Reisepassnummer lautet K4471902", "K4471902", "id number"),
        ("パスワード：\nfuji_88$x", "fuji_88$x", "password"),
        ("新密码\nfuji_88$x", "fuji_88$x", "password"),
        ("mot de passe :\nlavande9", "lavande9", "password"),
        ("şifrem: lale1234", "lale1234", "password"),
        ("Zugang: mila, Passwort fLieder7Qz9", "fLieder7Qz9", "password"),
        ("アクセストークン: abcd1234efgh", "abcd1234efgh", "password"),
        ("sshpass -p 'Elm#tree4' ssh box", "Elm#tree4", "password"),
        ("mysql -u root -pElmtree4 shop", "Elmtree4", "password"),
        ("docker login -u ana -p Elmtree4", "Elmtree4", "password"),
        ("curl -u ana:Elmtree4 https://x.example", "Elmtree4", "password"),
        ('tool --password "Elm tree 4" run', "Elm tree 4", "password"),
        ("keytool -storepass Elmtree4 -list", "Elmtree4", "password"),
        ("I changed the wifi password to elmtree4 today", "elmtree4", "password"),
        ("The password has been reset to Elmtree4.", "Elmtree4", "password"),
        ("tool --api-key Elmtree4 run", "Elmtree4", "password"),
        (f"助记词：{WORDS}", WORDS, "recovery phrase"),
        (f"Recovery words\n{WORDS}", WORDS, "recovery phrase"),
        (f"my mnemonic (12 words) is: {WORDS.replace(' ', ', ')}", "gossip, lumber",
         "recovery phrase"),
        ("seed: 1. " + " 2. ".join(WORDS.split()), "noble", "recovery phrase"),
        ("frase semilla: " + WORDS, WORDS, "recovery phrase"),
    ],
)  # fmt: skip
def test_a_secret_is_replaced_by_a_marker(text: str, secret: str, kind: str) -> None:
    result = redact(text)
    assert secret not in result.text
    assert f"[redacted: {kind}]" in result.text
    (span,) = result.spans
    assert span.kind == kind
    assert secret in text[span.start : span.end] or text[span.start : span.end] in secret


@pytest.mark.parametrize(
    "text",
    [
        "Call me at +44 20 7946 0958 or 555-0142.",
        "ISBN 978-3-16-148410-0 is out of print.",
        "Order 4111 1111 1111 1112 has shipped.",
        "order number 4111111111111111",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke it",
        "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "integrity sha512-Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3==",
        "I forgot my password again.",
        "The password is required and must not be empty.",
        "my password is too weak",
        "password = os.environ['DB_PASSWORD']",
        "password = get_password()",
        "def login(password: str) -> None: ...",
        "email:bob@example.com",
        "mailto:ana@example.org",
        "We meet at 10:30@noon cafe",
        "The secret is to rest the dough.",
        "DE89 is a postcode, I think.",
        "000-12-3456 and 666-12-3456 and 987-65-4321",
        "getUserAuthenticationProviderFromConfigurationFile",
        "Rows 1 to 1000000000000000 were read.",
        "https://example.org/a/very/long/path/with-many-words-in-it/index.html",
        "version 1.2.3.4 of 2026-03-14 at 12:30:45",
        "Pinned: 1234 people liked it",
        "12345678A",
        "ssh -p 2222 box and mkdir -p src/deep/folder",
        "docker run -p 8080:80 app",
        "docker login --password-stdin",
        "Sunflower seed oil, pumpkin seed bread, sesame seed paste, poppy seed rolls, linseed",
        "My recovery phrase should never be given away because whoever holds it takes all coins",
        "Is password PBKDF2 or bcrypt hashing better?",
        "密码学 Python3 入门",
        "The --password flag is deprecated.",
        "How do I change my password to something else?",
        "パスワードマネージャーは1Passwordです",
        "パスワードの変更方法を教えてください。",
        "The passport number field needs 9 characters.",
    ],
)
def test_what_is_harmless_stays(text: str) -> None:
    assert redact(text) == redact(text).__class__(text, ())


def test_several_secrets_each_get_their_own_marker() -> None:
    result = redact("password: abc123 and card 4111111111111111.")
    assert result.text == "password: [redacted: password] and card [redacted: card]."
    assert [span.kind for span in result.spans] == ["password", "card"]


@given(st.text(max_size=400))
def test_any_text_is_redacted_once_and_for_all(text: str) -> None:
    once = redact(text)
    assert redact(once.text).text == once.text
    if not once.spans:
        assert once.text == text


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "1 ",
        "password is ",
        "login is ",
        "-----BEGIN ",
        "x:",
        "eyJ",
        "DE89",
        "token=",
        "://a:",
        "seed a1 bcd ",
        "mysql x ",
        "密码",
    ],
)
def test_long_hostile_text_ends(piece: str) -> None:
    # The suite's timeout fails this if a pattern backtracks without bound.
    redact(piece * 40_000)
