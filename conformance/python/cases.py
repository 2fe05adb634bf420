"""Reading files of cases, changing them, and counting how a verifier judged them.

The files are described in conformance/README.md.
"""

import json
import sys

from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_der_public_key,
)

import effort

FAILURES_SHOWN_MAX = 20


def read(path):
    """The cases of a file, which must end with a line that counts them."""
    with open(path, encoding="ascii") as lines:
        cases = [json.loads(line) for line in lines]
    end = cases.pop() if cases else {}
    if end.get("kind") != "end" or end.get("cases") != len(cases) or not cases:
        sys.exit(f"{path}: {len(cases)} cases, the last line says {end}")
    return cases


def pem(spki_hex):
    """A public key as PEM text, which is what the foreign verifiers take."""
    key = load_der_public_key(bytes.fromhex(spki_hex))
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def other_key(spki_hex):
    """A fresh public key of the same kind."""
    key = load_der_public_key(bytes.fromhex(spki_hex))
    if isinstance(key, ed25519.Ed25519PublicKey):
        fresh = ed25519.Ed25519PrivateKey.generate()
    else:
        fresh = ec.generate_private_key(key.curve)
    return fresh.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo).hex()


def flips(message):
    """The message with one bit changed, once for every third of its bytes; long form: for each."""
    for at in range(0, len(message), effort.of(3, 1)):
        twin = bytearray(message)
        twin[at] ^= 1 << (at % 8)
        yield f"a flipped bit in byte {at}", bytes(twin)


class Tally:
    """How often one verifier accepted what it should and refused what it should."""

    def __init__(self, name):
        self.name = name
        self.accepted = self.refused = self.failed = 0

    def judge(self, what, check, good, twins):
        """Check `good` and its tampered twins; `check` raises or answers False to refuse.

        `twins` yields (what was changed, arguments of `check`).
        """
        if not self._accepts(check, good):
            self._fail(f"{what} refused")
            return
        for change, twin in twins:
            if self._accepts(check, twin):
                self._fail(f"{what} with {change} accepted")
                return
            self.refused += 1
        self.accepted += 1

    @staticmethod
    def _accepts(check, arguments):
        try:
            return check(*arguments) is True
        except Exception:  # the verifiers refuse by whatever their parsers raise
            return False

    def _fail(self, what):
        self.failed += 1
        if self.failed <= FAILURES_SHOWN_MAX:
            print(f"FAILED {self.name}: {what}", file=sys.stderr)

    def finish(self):
        """Print the line that conformance/run adds up, and exit with 1 if all is not well."""
        sys.exit(0 if self.end() else 1)

    def end(self):
        """Print that line, and answer whether all is well."""
        print(
            f"{self.name}: {self.accepted} accepted, {self.refused} tampered refused, "
            f"{self.failed} failed"
        )
        return self.failed == 0 and self.accepted > 0 and self.refused > 0
