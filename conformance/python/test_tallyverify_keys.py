"""Exactly the keys and signatures that docs/formats/key.md accepts."""

import hashlib
import re
import unittest

from forge import Signer
from tallyverify import keys
from tallyverify.rejected import Malformed, Rejected
from test_tallyverify_pages import PAGES

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ORDER_8 = "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
P256_FIELD = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
ED25519_PREFIX = bytes.fromhex("302a300506032b6570032100")


def point(y: int) -> tuple[int, int]:
    """The point of edwards25519 with this y and an even x."""
    x2 = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if x * x % P != x2:
        x = x * pow(2, (P - 1) // 4, P) % P
    assert x * x % P == x2
    return (x if x % 2 == 0 else P - x), y


def add(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    product = D * a[0] * b[0] * a[1] * b[1] % P
    x = (a[0] * b[1] + a[1] * b[0]) * pow(1 + product, -1, P) % P
    return x, (a[1] * b[1] + a[0] * b[0]) * pow(1 - product, -1, P) % P


def times(n: int, a: tuple[int, int]) -> tuple[int, int]:
    result = (0, 1)
    while n:
        if n & 1:
            result = add(result, a)
        a, n = add(a, a), n >> 1
    return result


def encoded(a: tuple[int, int]) -> bytes:
    return (a[1] | (a[0] & 1) << 255).to_bytes(32, "little")


BASE = point(4 * pow(5, -1, P) % P)


def challenge(r: bytes, a: bytes, message: bytes) -> int:
    return int.from_bytes(hashlib.sha512(r + a + message).digest(), "little") % L


class Keys(unittest.TestCase):
    def accepts(self, key: keys.PublicKey, message: bytes, signature: bytes) -> bool:
        try:
            key.verify(message, signature)
        except Rejected as e:
            self.assertEqual(e.reason, "BAD_SIGNATURE")
            return False
        return True

    def test_verifies_the_pages_examples(self) -> None:
        page = (PAGES / "key.md").read_text("utf-8").split("## Worked example")[1]
        blocks = re.findall(r"```\n(.*?)```", page, re.DOTALL)
        lines = [line for block in blocks for line in block.split()]
        ed25519 = keys.allowed(keys.parse(bytes.fromhex(lines[1])))
        self.assertEqual(ed25519.kid.hex(), lines[2])
        ed25519.verify(b"\x72", bytes.fromhex(lines[3] + lines[4]))
        es256 = keys.allowed(keys.parse(bytes.fromhex("".join(lines[9:12]))))
        self.assertEqual(es256.kid.hex(), lines[12])
        es256.verify(b"sample", bytes.fromhex(lines[13] + lines[14]))

    def test_checks_the_equation_without_the_cofactor(self) -> None:
        secret, nonce = 12345, 67890
        torsion = point(int.from_bytes(bytes.fromhex(ORDER_8), "little"))
        public, r = encoded(add(times(secret, BASE), torsion)), encoded(times(nonce, BASE))
        key = keys.allowed(keys.parse(ED25519_PREFIX + public))
        answers = set()
        for number in range(40):
            message = b"message %d" % number
            h = challenge(r, public, message)
            s = (nonce + h * secret) % L
            found = self.accepts(key, message, r + s.to_bytes(32, "little"))
            self.assertEqual(found, h % 8 == 0, message)
            answers.add(found)
        self.assertEqual(answers, {True, False})

    def test_refuses_r_of_small_order_in_any_encoding(self) -> None:
        secret, message = 12345, b"message"
        public = encoded(times(secret, BASE))
        key = keys.allowed(keys.parse(ED25519_PREFIX + public))
        for r in (
            b"\1" + bytes(31),  # the equation holds, and OpenSSL accepts it
            b"\1" + bytes(30) + b"\x80",
            (P + 1).to_bytes(32, "little"),
        ):
            s = challenge(r, public, message) * secret % L
            self.assertFalse(self.accepts(key, message, r + s.to_bytes(32, "little")), r.hex())

    def test_refuses_s_that_is_not_reduced(self) -> None:
        signer = Signer("alice")
        key, signature = keys.parse(signer.spki), signer.sign(b"message")
        self.assertTrue(self.accepts(key, b"message", signature))
        s = int.from_bytes(signature[32:], "little") + L
        twin = signature[:32] + s.to_bytes(32, "little")
        self.assertFalse(self.accepts(key, b"message", twin))

    def test_refuses_ed25519_keys_that_nobody_may_have(self) -> None:
        refused = [y.to_bytes(32, "little") for y in (P, P + 1, 2**255 - 1, 2)]
        refused += [
            (1 | 1 << 255).to_bytes(32, "little"),
            (P - 1 | 1 << 255).to_bytes(32, "little"),
        ]
        page = (PAGES / "key.md").read_text("utf-8")
        small = re.findall(r"\| `([0-9a-f]{64})` \|", page)
        self.assertEqual(len(small), 5)
        for y in map(bytes.fromhex, small):
            refused += [y, y[:31] + bytes([y[31] | 0x80])]
        for key in refused:
            with self.assertRaises(Rejected, msg=key.hex()) as caught:
                keys.allowed(keys.parse(ED25519_PREFIX + key))
            self.assertEqual(caught.exception.reason, "KEY_NOT_ALLOWED")

    def test_takes_both_s_of_es256_and_nothing_out_of_range(self) -> None:
        signer = Signer("bob", es256=True)
        key, signature = keys.allowed(keys.parse(signer.spki)), signer.sign(b"message")
        r, s = signature[:32], int.from_bytes(signature[32:], "big")
        for wanted, twin in (
            (True, signature),
            (True, r + (P256_ORDER - s).to_bytes(32, "big")),
            (False, r + bytes(32)),
            (False, bytes(32) + signature[32:]),
            (False, r + P256_ORDER.to_bytes(32, "big")),
            (False, b"\xff" * 32 + signature[32:]),
        ):
            self.assertEqual(self.accepts(key, b"message", twin), wanted)

    def test_refuses_p256_keys_that_are_not_on_the_curve(self) -> None:
        spki = Signer("bob", es256=True).spki
        beyond = P256_FIELD.to_bytes(32, "big")
        for twin in (
            spki[:-1] + bytes([spki[-1] ^ 1]),
            spki[:27] + bytes(64),
            spki[:27] + beyond * 2,
        ):
            with self.assertRaises(Rejected) as caught:
                keys.allowed(keys.parse(twin))
            self.assertEqual(caught.exception.reason, "KEY_NOT_ALLOWED")
        for twin in (spki[:-1], spki[:26] + b"\2" + spki[27:59], spki + b"\0"):
            with self.assertRaises(Malformed):
                keys.parse(twin)


if __name__ == "__main__":
    unittest.main()
