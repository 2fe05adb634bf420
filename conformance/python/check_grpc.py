"""Shows the gRPC front to grpcurl: health, reflection, appends.

    check_grpc.py GRPCURL HOST:PORT URL FOLDER     FOLDER is what rest_client.py left

grpcurl has no file of ours: it learns the messages from the service itself. The request is prepared
over REST and signed by openssl.
"""

import base64
import json
import subprocess
import sys
from pathlib import Path

from cases import Tally
from rest_client import Key, Rest, attestation, b64, ledger_in, un64

GRPCURL, TARGET, URL, FOLDER = sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4])
LEDGER, CLERK = ledger_in(FOLDER), Key(FOLDER / "clerk.pem")
REST = Rest(URL, CLERK)
APPEND = "tallystick.v1.JournalService/Append"


def grpcurl(*arguments, data=None):
    options = ["-plaintext", "-max-time", "60"] + (["-d", "@"] if data is not None else [])
    done = subprocess.run(
        [GRPCURL, *options, TARGET, *arguments],
        input=None if data is None else json.dumps(data), text=True, capture_output=True, timeout=90)
    return done.returncode, done.stdout + done.stderr


def says(arguments, *words, status=0):
    """Whether grpcurl ends so and prints all these words."""
    found, text = grpcurl(*arguments)
    return found == status and all(word in text for word in words)


def submission():
    prepared = REST.prepare(
        LEDGER, "journals", {"payload": b64(b"by grpcurl"), "signers": [CLERK.kid]})
    request = {field: prepared[field] for field in ("header", "salt", "body")}
    return {"id": "7", "requests": [request], "attestation": b64(attestation(prepared, CLERK))}


def appended(data, repeated=False):
    """Whether it is answered with a receipt, and the log holds the header that was sent."""
    status, text = grpcurl(APPEND, data=data)
    answer = json.loads(text)
    receipted = answer["receipted"]
    leaf = un64(REST.json(f"/v1/ledgers/{LEDGER}/journals/{receipted['first_jsn']}")["leaf"])
    return (
        status == 0 and answer["id"] == data["id"]
        and len(un64(receipted["range_receipt"])) > 64
        and receipted.get("repeated", False) == repeated
        and un64(data["requests"][0]["header"]) in leaf)


def flipped(data, field, at=-1):
    """The submission with one bit of a field changed."""
    twin = json.loads(json.dumps(data))
    holder = twin if field == "attestation" else twin["requests"][0]
    changed = bytearray(un64(holder[field]))
    changed[at] ^= 4
    holder[field] = base64.b64encode(changed).decode()
    return twin


def refused(data, code):
    status, text = grpcurl(APPEND, data=data)
    return status == 0 and json.loads(text).get("problem", {}).get("code") == code


def main():
    tally = Tally("grpcurl")
    tally.judge(
        "health", says, (["grpc.health.v1.Health/Check"], '"SERVING"'),
        [("a service there is none of", (["grpc.health.v1.Health/Nothing"], "SERVING"))])
    tally.judge(
        "reflection: list", says, (["list"], "tallystick.v1.JournalService", "grpc.health.v1.Health"),
        [("a name there is none of", (["list"], "tallystick.v1.Nothing"))])
    tally.judge(
        "reflection: describe", says,
        (["describe", "tallystick.v1.JournalService"], "rpc Append ( stream .tallystick.v1.AppendRequest )"),
        [("a name there is none of", (["describe", "tallystick.v1.Nothing"], "rpc"))])

    data = submission()
    for field, code in (
        ("attestation", "bad_signature"), ("body", "commitment_mismatch"),
        ("salt", "commitment_mismatch"), ("header", "malformed"),
    ):
        tally.judge(
            f"{code} for a changed {field}", refused, (flipped(data, field), code),
            [("another code", (flipped(data, field), "unknown_ledger"))])
    tally.judge("an append", appended, (data,), [("nothing new in it", (data,))])
    tally.judge("its repeat", appended, (data, True), [("a changed salt", (flipped(data, "salt"), True))])
    tally.finish()


if __name__ == "__main__":
    main()
