"""A client of the REST front that has JSON, base64 and openssl, and nothing of this project's.

    rest_client.py URL FOLDER     founds a ledger with members and journals; keys and the ledger's
                                  id are left in FOLDER

It does what docs/rest.md says, the checks of what it is asked to sign included.
"""

import base64
import hashlib
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

TIMEOUT_SECONDS = 30
PEM = "application/pem-certificate-chain"

# That the journals of the ledger founded by main name, and the jsn of one that does.
CLUE, CLUE_JSN = "a-clue", 10
# Of the journal whose body is erased in the ledger that forgets.
ERASED_JSN = 4
# That the state of that ledger has a value of, and what wrote it first.
KEY = "a-key"
PUT = {"op": "put", "keyText": KEY, "valueText": "a value"}


class Refused(Exception):
    """A problem document."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem['code']}: {problem['detail']}")
        self.status, self.code = status, problem["code"]


class Key:
    """An Ed25519 key in a file of openssl's."""

    def __init__(self, file):
        self.file = Path(file)
        if not self.file.exists():
            self._openssl("genpkey", "-algorithm", "ed25519", "-out", self.file)
        self.spki = self._openssl("pkey", "-in", self.file, "-pubout", "-outform", "DER")
        self.kid = hashlib.sha256(self.spki).hexdigest()

    @staticmethod
    def _openssl(*arguments):
        return subprocess.run(["openssl", *arguments], check=True, capture_output=True).stdout

    def certificate(self, name, authority):
        """In PEM, by the authority of a folder with `ca.pem` and `ca.key`."""
        request = self.file.with_suffix(".csr")
        self._openssl("req", "-new", "-key", self.file, "-subj", f"/CN={name}", "-out", request)
        return self._openssl(
            "x509", "-req", "-in", request, "-CA", Path(authority) / "ca.pem",
            "-CAkey", Path(authority) / "ca.key", "-CAcreateserial", "-days", "1")

    def sign(self, message):
        # pkeyutl wants a file that it can measure.
        message_file = self.file.with_suffix(".to-sign")
        message_file.write_bytes(message)
        return self._openssl(
            "pkeyutl", "-sign", "-inkey", self.file, "-rawin", "-in", message_file)


class Rest:
    """The service at an address."""

    def __init__(self, url, reader=None):
        """`reader` is the key of a member, whose private ledgers can then be read."""
        self.url, self.reader = url, reader
        self._token, self._renew_at = None, 0

    def token(self):
        """For all ledgers here of which the reader is a member: docs/formats/token.md."""
        now = int(time.time())
        if now >= self._renew_at:
            audience = json.loads(urllib.request.urlopen(
                self.url + "/v1/service", timeout=TIMEOUT_SECONDS).read())["authority"]
            header = {"alg": "EdDSA", "typ": "tallystick-read+jwt", "kid": self.reader.kid}
            to_sign = b".".join(
                url64(json.dumps(part).encode()) for part in (header, {"aud": audience, "exp": now + 300}))
            self._token = (to_sign + b"." + url64(self.reader.sign(to_sign))).decode()
            self._renew_at = now + 240
        return self._token

    def call(self, path, body=None, accept="application/json", method=None):
        """Status, headers and bytes of an answer; whatever is not 2xx is raised. Bytes are PEM."""
        pem = isinstance(body, bytes)
        request = urllib.request.Request(
            self.url + path, method=method,
            data=body if pem or body is None else json.dumps(body).encode(),
            headers={
                "Accept": accept, "Content-Type": PEM if pem else "application/json",
                **({"Authorization": f"Bearer {self.token()}"} if self.reader else {})})
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as e:
            raise Refused(e.code, json.loads(e.read())) from None

    def json(self, path, body=None):
        return json.loads(self.call(path, body)[2])

    def found_request(self, name, key, public=False, **more):
        """What founds a ledger, signed."""
        prepared = self.json(
            "/v1/ledgers:prepare",
            {"name": name, "owners": [b64(key.spki)], "public": public, **more})
        genesis = un64(prepared["genesisParams"])
        expect(sha(b"tallystick/ledger/1\0" + genesis) == prepared["ledgerId"], "the ledger's id")
        expect(un64(prepared["toSign"][0]["bytes"]).endswith(genesis), "what is to be signed")
        expect(key.spki in genesis, "the owner")
        return {
            **{field: prepared[field] for field in ("name", "nameSalt", "genesisParams")},
            "signatures": signatures(prepared, key),
        }

    def found(self, name, key, public=False, **more):
        return self.json("/v1/ledgers", self.found_request(name, key, public, **more))

    def journal_request(self, ledger, payload, key, **more):
        """A journal, signed."""
        wanted = {"payload": b64(payload), "signers": [key.kid], **more}
        prepared = self._prepared(ledger, "journals", wanted, key)
        expect(cbor_bytes(payload) in un64(prepared["body"])[: 8 + len(payload)], "the payload")
        return prepared

    def member_request(self, ledger, change, key):
        """A change of members, signed."""
        return self._prepared(ledger, "members", {**change, "signers": [key.kid]}, key)

    def _prepared(self, ledger, what, wanted, key):
        prepared = self.prepare(ledger, what, wanted)
        return {
            **{field: prepared[field] for field in ("header", "salt", "body", "ops") if field in prepared},
            "signatures": signatures(prepared, key),
        }

    def prepare(self, ledger, what, wanted):
        """What the service says is to be signed, once it was found to be what was wanted."""
        prepared = self.json(f"/v1/ledgers/{ledger}/{what}:prepare", wanted)
        header, salt, body = (un64(prepared[field]) for field in ("header", "salt", "body"))
        commit = hashlib.sha256(b"tallystick/body/1\0" + salt + body).digest()
        expect(commit in header and bytes.fromhex(ledger) in header, "the header")
        expect(sha(header) == prepared["requestHash"], "the request's hash")
        for to_sign in prepared["toSign"]:
            expect(un64(to_sign["bytes"]).endswith(hashlib.sha256(header).digest()), "its bytes")
        return prepared

    def append(self, ledger, payload, key, **more):
        return self.json(
            f"/v1/ledgers/{ledger}/journals", self.journal_request(ledger, payload, key, **more))

    def grant(self, ledger, member, pem, key):
        """Makes the key of a certificate a member's, whose digest the grant names; the digest."""
        shown = self.json(f"/v1/ledgers/{ledger}/certificates", pem)["certDigest"]
        self.change_member(
            ledger, {
                "action": "grant", "role": "normal", "spki": b64(member.spki), "certDigest": shown},
            key)
        return shown

    def signed(self, ledger, wanted, keys):
        """Appends a request of kinds 16 and above that several sign."""
        prepared = self.prepare(ledger, "journals", {**wanted, "signers": [key.kid for key in keys]})
        by_kid = {key.kid: key for key in keys}
        return self.json(f"/v1/ledgers/{ledger}/journals", {
            **{field: prepared[field] for field in ("header", "salt", "body")},
            "signatures": [
                {"kid": each["kid"], "signature": b64(by_kid[each["kid"]].sign(un64(each["bytes"])))}
                for each in prepared["toSign"]]})

    def occult(self, ledger, jsn, *keys):
        """Erases the body of a journal, by an owner and a regulator."""
        leaf_hash = self.json(f"/v1/ledgers/{ledger}/journals/{jsn}")["leafHash"]
        return self.signed(ledger, {
            "kind": "occult", "basis": "by law",
            "journals": [{"jsn": jsn, "leafHash": leaf_hash}]}, keys)

    def purge(self, ledger, height, *keys):
        """Removes all up to a block, by an owner and everyone who signed what goes."""
        made = self.json(f"/v1/ledgers/{ledger}/purges:prepare", {"height": height})
        expect(made["affected"] == sorted(key.kid for key in keys), "whom the purge concerns")
        wanted = {field: made[field] for field in ("firstKept", "height", "digest")}
        return self.signed(ledger, {"kind": "purge", **wanted}, keys)

    def change_member(self, ledger, change, key):
        return self.json(
            f"/v1/ledgers/{ledger}/members", self.member_request(ledger, change, key))


def b64(data):
    return base64.b64encode(data).decode()


def url64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def un64(text):
    return base64.b64decode(text, validate=True)


def sha(data):
    return hashlib.sha256(data).hexdigest()


def expect(holds, what):
    if not holds:
        raise AssertionError(f"the service prepared something else: {what}")


def cbor_bytes(data):
    """A CBOR byte string."""
    for width, info, limit in ((0, 0, 24), (1, 24, 1 << 8), (2, 25, 1 << 16), (4, 26, 1 << 32)):
        if len(data) < limit:
            head = bytes([0x40 | (info or len(data))])
            return head + (len(data).to_bytes(width, "big") if width else b"") + data
    raise ValueError("too long")


def batch_request(rest, ledger, payloads, key):
    """Journals under one signature: the batch profile of docs/formats/signature.md by hand."""
    requests = [rest.journal_request(ledger, payload, key) for payload in payloads]
    hashes = [hashlib.sha256(b"\0" + bytes.fromhex(sha(un64(each["header"])))).digest()
              for each in requests]
    protected = (
        b"\xa5\x01\x27\x04" + cbor_bytes(bytes.fromhex(key.kid))
        + b"\x10" + cbor_text("application/vnd.tallystick.batch+cose")
        + b"\x19\x01\x8b\x01"
        + b"\x3a\x00\x01\x11\x71\x84\x01" + cbor_bytes(bytes.fromhex(ledger))
        + b"\x00" + bytes([len(requests)]))
    expect(1 < len(requests) < 24, "a batch that CBOR counts in one byte")
    to_sign = b"\x84" + cbor_text("Signature1") + cbor_bytes(protected) + b"\x40"
    for request in requests:
        del request["signatures"]
    signature = key.sign(to_sign + cbor_bytes(root(hashes)))
    return {
        "requests": requests,
        "signatures": [{"kid": key.kid, "signature": b64(signature)}],
    }


def anchor_request(rest, ledger, key, height=0):
    """A trusted anchor at a block's head: docs/formats/people-and-time.md by hand."""
    block = rest.json(f"/v1/ledgers/{ledger}/blocks/{height}")
    protected = (
        b"\xa4\x01\x27\x04" + cbor_bytes(bytes.fromhex(key.kid))
        + b"\x10" + cbor_text("application/vnd.tallystick.anchor+cose")
        + b"\x3a\x00\x01\x11\x71\x83\x01" + cbor_bytes(bytes.fromhex(ledger)) + b"\x00")
    size = block["size"]
    expect(0 < size < 24, "a size that CBOR writes in one byte")
    payload = b"\x83\x14" + bytes([size]) + cbor_bytes(bytes.fromhex(block["root"]))
    to_sign = b"\x84" + cbor_text("Signature1") + cbor_bytes(protected) + b"\x40"
    signature = key.sign(to_sign + cbor_bytes(payload))
    return {"anchor": b64(
        b"\xd2\x84" + cbor_bytes(protected) + b"\xa0" + cbor_bytes(payload)
        + cbor_bytes(signature))}


def root(hashes):
    """RFC 9162 section 2.1.1, over leaf hashes, level by level."""
    while len(hashes) > 1:
        pairs = [hashlib.sha256(b"\1" + a + b).digest() for a, b in zip(hashes[::2], hashes[1::2])]
        hashes = pairs + hashes[len(hashes) - len(hashes) % 2 :]
    return hashes[0]


def cbor_text(text):
    """A CBOR text string of ASCII."""
    encoded = bytearray(cbor_bytes(text.encode("ascii")))
    encoded[0] |= 0x20
    return bytes(encoded)


def attestation(prepared, key):
    """What a request travels with where nobody puts signatures together: one COSE_Sign1 in an array."""
    (to_sign,) = prepared["toSign"]
    return (
        b"\x81\xd2\x84" + cbor_bytes(un64(to_sign["protectedHeader"])) + b"\xa0"
        + cbor_bytes(bytes.fromhex(prepared["requestHash"]))
        + cbor_bytes(key.sign(un64(to_sign["bytes"]))))


def ledger_in(folder, name="ledger"):
    """The id of a ledger that main founded: `ledger`, which members read, or `public-ledger`."""
    return (folder / name).read_text().strip()


def signatures(prepared, key):
    return [
        {"kid": to_sign["kid"], "signature": b64(key.sign(un64(to_sign["bytes"])))}
        for to_sign in prepared["toSign"]
    ]


def forgetful(rest, owner, regulator):
    """A ledger whose journal ERASED_JSN has no body any more."""
    ledger = rest.found("conformance, forgetful", owner)["ledgerId"]
    rest.change_member(
        ledger, {"action": "add", "role": "regulator", "spki": b64(regulator.spki)}, owner)
    jsn = rest.append(ledger, b"to be erased", owner)["jsn"]
    expect(jsn == ERASED_JSN, f"journal {ERASED_JSN}, it is {jsn}")
    rest.occult(ledger, jsn, owner, regulator)
    try:
        rest.json(f"/v1/ledgers/{ledger}/journals/{jsn}")
    except Refused as refused:
        expect((refused.status, refused.code) == (451, "erased"), "erased, it is not")
    else:
        expect(False, "451 of an erased body")
    return ledger


def purged(rest, owner):
    """A ledger whose first blocks are gone."""
    ledger = rest.found("conformance, purged", owner)["ledgerId"]
    for i in range(4):
        rest.append(ledger, f"journal {i}".encode(), owner)
    rest.purge(ledger, 2, owner)
    try:
        rest.json(f"/v1/ledgers/{ledger}/journals/2")
    except Refused as refused:
        expect((refused.status, refused.code) == (410, "purged"), "purged, it is not")
    return ledger


def main():
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    owner, clerk, gone = (Key(folder / f"{name}.pem") for name in ("owner", "clerk", "gone"))
    rest = Rest(sys.argv[1], owner)
    open_to_all = rest.found("conformance, public", owner, public=True)["ledgerId"]
    rest.append(open_to_all, b"for all to read", owner)
    (folder / "public-ledger").write_text(open_to_all + "\n")
    (folder / "forgetful-ledger").write_text(forgetful(rest, owner, clerk) + "\n")
    (folder / "purged-ledger").write_text(purged(rest, owner) + "\n")
    ledger = rest.found("conformance", owner, features=[1, 2])["ledgerId"]
    for member in (clerk, gone):
        rest.change_member(
            ledger, {"action": "add", "role": "normal", "spki": b64(member.spki)}, owner)
    rest.append(ledger, b"by one who is gone", gone)
    rest.change_member(ledger, {"action": "revoke", "kid": gone.kid}, owner)
    for i in range(4):
        rest.append(ledger, f"journal {i}".encode(), clerk, clues=[CLUE])
    for i in range(3):
        put = {**PUT, "valueText": f"value {i}"}
        rest.append(ledger, b"", clerk, operations=[put, {"op": "delete", "keyText": f"key-{i}"}])
    rest.json(f"/v1/ledgers/{ledger}/anchors", anchor_request(rest, ledger, clerk))
    (folder / "ledger").write_text(ledger + "\n")


if __name__ == "__main__":
    main()
