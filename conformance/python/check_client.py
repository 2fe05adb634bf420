"""Runs the Python client of tallyclient against a service, and shows either side tampered twins.

usage: check_client.py URL

The client founds a ledger and appends in every way there is; each receipt is verified offline by
tallyverify. The service must refuse requests with a changed byte, the client prepared requests and
answers with one.
"""

import copy
import dataclasses
import sys
import time

from tallyclient import request, signing, token
from tallyclient.client import Client, Untrue, checked
from tallyclient.rest import Refused, Rest, b64, un64
from tallyclient.signing import Key
from tallyverify.rejected import Rejected

import cases

# What a service may say of a request whose bytes were changed: docs/errors.md.
CODES = {
    "bad_signature", "batch_invalid", "commitment_mismatch", "expired", "kind_not_enabled",
    "malformed", "role_not_allowed", "token_invalid", "token_required", "salt_invalid", "too_early", "unknown_key",
    "unknown_ledger", "unsupported_version", "window_too_long", "wrong_ledger", "wrong_type",
    "wrong_authority", "too_large",
}


def taken(act, *arguments):
    """Whether it was done; a refusal must be one for what was changed, anything else ends the run."""
    try:
        act(*arguments)
    except Refused as e:
        if e.code not in CODES or not 400 <= e.status < 500:
            sys.exit(f"refused, but not for what was changed: {e}")
        return False
    except (Untrue, Rejected):
        return False
    except Exception as e:
        sys.exit(f"neither done nor refused: {e!r}")
    return True


def flips(data, step=1):
    """One bit changed in every step-th byte."""
    for at in range(0, len(data), step):
        twin = bytearray(data)
        twin[at] ^= 1 << at % 8
        yield at, bytes(twin)


def request_twins(client, send, asked, attestation):
    for part in ("header", "salt", "body"):
        for at, changed in flips(getattr(asked, part), 3):
            twin = dataclasses.replace(asked, **{part: changed})
            yield f"a flipped bit in byte {at} of its {part}", (send, twin, attestation)
    for at, changed in flips(attestation, 5):
        yield f"a flipped bit in byte {at} of its attestation", (send, asked, changed)
    stranger = dataclasses.replace(client, key=Key.fresh())
    yield "the signature of a stranger", (send, asked, stranger.signed(asked))
    yield "two signatures of one", (send, asked, signing.attestation(
        [signing.request(client.key, client.ledger, asked.hash)] * 2))


def batch_twins(client, asked, attestation):
    send = client.send_batch
    for i, one in enumerate(asked):
        for part in ("header", "salt", "body"):
            data = getattr(one, part)
            twin = dataclasses.replace(one, **{part: next(flips(data[::-1]))[1][::-1]})
            yield f"a changed {part} of request {i}", (
                send, [*asked[:i], twin, *asked[i + 1 :]], attestation)
    yield "two of it swapped", (send, [asked[1], asked[0], *asked[2:]], attestation)
    yield "one of it dropped", (send, asked[:-1], attestation)
    yield "one of it twice", (send, [*asked, asked[0]], attestation)
    for at, changed in flips(attestation, 7):
        yield f"a flipped bit in byte {at} of its attestation", (send, asked, changed)


def prepared_twins(client, told, payload):
    """What a service could have prepared instead."""
    def twin(change):
        changed = copy.deepcopy(told)
        change(changed)
        return client.check_prepared, changed, payload, "text/plain"

    def field(holder, name, content):
        return lambda answer: holder(answer).__setitem__(name, b64(content))

    for name in ("header", "salt", "body"):
        for at, changed in flips(un64(told[name])):
            yield f"byte {at} of {name}", twin(field(lambda answer: answer, name, changed))
    for name in ("protectedHeader", "bytes"):
        for at, changed in flips(un64(told["toSign"][0][name])):
            yield f"byte {at} of {name}", twin(
                field(lambda answer: answer["toSign"][0], name, changed))
    yield "another hash", twin(lambda answer: answer.update(requestHash="0" * 64))
    yield "an hour later", twin(lambda answer: answer.update(
        clientTimeMs=told["clientTimeMs"] + 3_600_000, expiresMs=told["expiresMs"] + 3_600_000))
    yield "a longer life", twin(lambda answer: answer.update(expiresMs=told["expiresMs"] + 1))
    other = request.append(client.ledger, b"pay somebody else", "text/plain")
    sign = signing.request(client.key, client.ledger, other.hash)
    yield "another payload, right in itself", twin(lambda answer: answer.update({
        "header": b64(other.header), "salt": b64(other.salt), "body": b64(other.body),
        "requestHash": other.hash.hex(),
        "toSign": [{**told["toSign"][0], "bytes": b64(sign.bytes)}],
    }))


def receipt_twins(client, one, other):
    for at, changed in flips(one.encoded, 3):
        yield f"a flipped bit in byte {at} of the receipt", (
            checked, client.genesis, one.jsn, one.leaf, changed)
    for at, changed in flips(one.leaf, 3):
        yield f"a flipped bit in byte {at} of the leaf", (
            checked, client.genesis, one.jsn, changed, one.encoded)
    yield "the receipt of another journal", (
        checked, client.genesis, one.jsn, one.leaf, other.encoded)


def same_as_later(client, receipts):
    """What a batch's range receipt splits into is what the service gives for each, byte for byte."""
    for one in receipts:
        if client.receipt(one.jsn) != one:
            raise Untrue(f"journal {one.jsn} has another receipt")


def show(tally, client):
    asked = request.append(client.ledger, b"a journal", "text/plain")
    attestation = client.signed(asked)
    # Twins first: when the request itself has been committed, its signature counts as used.
    for change, twin in request_twins(client, client.send, asked, attestation):
        tally.judge_refused(change, taken, twin)
    tally.judge("a journal", taken, (client.send, asked, attestation), [])
    again = client.send(asked, attestation)
    cose = client.append_cose(b"as one message", "text/plain")
    for one, other in ((again, cose), (cose, again)):
        tally.judge(f"the receipt of {one.jsn}", taken,
                    (checked, client.genesis, one.jsn, one.leaf, one.encoded),
                    receipt_twins(client, one, other))
    batch = [request.append(client.ledger, f"batched {i}".encode()) for i in range(5)]
    signed = signing.attestation(
        [signing.batch(client.key, client.ledger, [one.hash for one in batch])])
    for change, twin in batch_twins(client, batch, signed):
        tally.judge_refused(change, taken, twin)
    receipts = client.send_batch(batch, signed)
    tally.judge("a batch", taken, (same_as_later, client, receipts), [])
    if len(client.batch([b"%d" % i for i in range(1000)])) != 1000:
        sys.exit("a batch of 1,000 has other receipts")
    payload = b"prepared by the service"
    told = client.rest.post_json(client.path("journals:prepare"), {
        "payload": b64(payload), "contentType": "text/plain", "signers": [client.key.kid.hex()]})
    tally.judge("a prepared request", taken,
                (client.check_prepared, told, payload, "text/plain"),
                prepared_twins(client, told, payload))
    tally.judge("its append", taken, (client.send, *client.prepared(payload, "text/plain")), [])


class Tally(cases.Tally):
    """Counts twins that are shown before what they are twins of."""

    def judge_refused(self, change, check, twin):
        if self._accepts(check, twin):
            self._fail(f"{change} accepted")
        else:
            self.refused += 1


def token_twins(url, client):
    """Who must not read the client's ledger."""
    now, key, ledger = int(time.time()), client.key, client.ledger.hex()

    def reads(bearer):
        Rest(url, lambda _m, _p: bearer).get_json(client.path("journals/1"))

    def bearer(*arguments):
        return "Bearer " + token.read(*arguments)

    good = bearer(key, ledger, now + 200)
    yield "no token", (reads, None)
    yield "a stranger's token", (reads, bearer(Key.fresh(), ledger, now + 200))
    yield "a token for another ledger", (reads, bearer(key, "0" * 64, now + 200))
    yield "an expired token", (reads, bearer(key, ledger, now - 1))
    yield "a token that lives an hour", (reads, bearer(key, ledger, now + 3600))
    yield "an invitation", (reads, bearer(key, ledger, now + 200, "tallystick-invitation+jwt"))
    yield "another scheme", (reads, "Basic " + good.split()[1])
    for at in range(len("Bearer "), len(good) - 1, 5):
        other = "A" if good[at] != "A" else "B"
        yield f"another character {at}", (reads, good[:at] + other + good[at + 1 :])


def main():
    url, key = sys.argv[1], Key.fresh()
    client = Client.found(
        Rest(url, lambda _method, path: token.authorization(key, path)), "python client", key)
    tally = Tally("tallyclient")
    show(tally, client)
    tally.judge(
        "reading", taken, (client.rest.get_json, client.path("journals/1")),
        token_twins(url, client))
    tally.finish()


if __name__ == "__main__":
    main()
