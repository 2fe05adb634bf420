"""Shows certificates that the service serves of a member to openssl.

    check_certificates.py URL FOLDER     FOLDER is what rest_client.py left, CONFORMANCE_CA the
                                         folder of the authority that the service knows

openssl is to verify what is served, and that it certifies the member's key. The tampered twins are
another authority, another time, a bent certificate, and grants that the service must refuse: of
another key, by another authority, and without a chain.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from rest_client import PEM, Key, Refused, Rest, b64, cbor_bytes, ledger_in

URL, FOLDER, CA = sys.argv[1], Path(sys.argv[2]), Path(os.environ["CONFORMANCE_CA"])


def openssl(*arguments, **more):
    return subprocess.run(["openssl", *arguments], capture_output=True, **more)


def verified(pem, authority, *options):
    return openssl("verify", *options, "-CAfile", authority / "ca.pem", pem).returncode == 0


def digest(pem):
    """By docs/formats/people-and-time.md, of a chain of one certificate."""
    der = openssl("x509", "-outform", "DER", input=pem, check=True).stdout
    return hashlib.sha256(b"\x81" + cbor_bytes(der)).hexdigest()


def refused(code, call):
    try:
        call()
    except Refused as e:
        return e.code == code
    return False


def main():
    owner, member = Key(FOLDER / "owner.pem"), Key(FOLDER / "certified.pem")
    rest, ledger = Rest(URL, owner), ledger_in(FOLDER)
    stranger = FOLDER / "stranger-ca"
    stranger.mkdir()
    openssl(
        "req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout", stranger / "ca.key",
        "-out", stranger / "ca.pem", "-subj", "/CN=conformance authority", check=True)

    own = member.certificate("Certified Member", CA)
    named = rest.grant(ledger, member, own, owner)
    path = f"/v1/ledgers/{ledger}/members/{member.kid}/certificate"
    _, headers, pem = rest.call(path, accept=PEM)
    served, bent = FOLDER / "served.pem", FOLDER / "bent.pem"
    served.write_bytes(pem)
    der = bytearray(openssl("x509", "-in", served, "-outform", "DER", check=True).stdout)
    der[-1] ^= 1
    bent.write_bytes(openssl("x509", "-inform", "DER", input=bytes(der), check=True).stdout)
    key = openssl(
        "pkey", "-pubin", "-outform", "DER",
        input=openssl("x509", "-in", served, "-noout", "-pubkey", check=True).stdout).stdout
    listed = next(
        each for each in rest.json(f"/v1/ledgers/{ledger}/members")["members"]
        if each["kid"] == member.kid)

    other = Key(FOLDER / "not-certified.pem")
    foreign = other.certificate("Certified Member", stranger)
    wish = {"action": "grant", "role": "normal", "spki": b64(other.spki)}
    good = {
        "openssl verifies what is served": verified(served, CA),
        "it is PEM of the certificate that was shown":
            headers["Content-Type"] == PEM and digest(pem) == digest(own) == named,
        "it certifies the member's key": key == member.spki,
        "the list of members says so":
            listed["certDigest"] == named and listed["subject"] == "CN=Certified Member",
    }
    bad = {
        "another authority of that name": not verified(served, stranger),
        "a later time": not verified(served, CA, "-attime", "4102444800"),
        "a bent certificate": not verified(bent, CA),
        "a grant to another key": refused(
            "certificate_invalid",
            lambda: rest.change_member(ledger, {**wish, "certDigest": named}, owner)),
        "a chain to another authority": refused(
            "certificate_invalid", lambda: rest.grant(ledger, other, foreign, owner)),
        "a grant without a chain": refused(
            "certificate_invalid",
            lambda: rest.change_member(ledger, {**wish, "certDigest": "ab" * 32}, owner)),
        "a member without certificates": refused(
            "unknown_certificate",
            lambda: rest.call(f"/v1/ledgers/{ledger}/members/{owner.kid}/certificate", accept=PEM)),
    }
    for what, holds in {**good, **bad}.items():
        if not holds:
            print(f"FAILED openssl verify: {what}", file=sys.stderr)
    accepted, caught = sum(good.values()), sum(bad.values())
    failures = len(good) + len(bad) - accepted - caught
    print(
        f"openssl verify: {accepted} accepted, {caught} tampered refused, {failures} failed")
    sys.exit(0 if failures == 0 else 1)


if __name__ == "__main__":
    main()
