"""Keeps orders in a ledger over REST, and verifies what the service answers.

    orders.py URL

It uses `tallyclient` of this project's tests, which needs `cryptography` and nothing else.
"""

import sys

from tallyclient.client import Client
from tallyclient.request import Shape
from tallyclient.rest import Refused, Rest
from tallyclient.signing import Key
from tallyclient.state import IF_ABSENT, Operation

SHAPE = Shape(capacity=1 << 21, leaf_max=40, inner_max=32)


def main(url):
    key = Key.fresh()
    # Public, so that reading needs no token.
    ledger = Client.found(Rest(url), "orders", key, public=True, state=SHAPE)
    print("ledger", ledger.ledger.hex())

    # Each receipt is verified before the call returns.
    first = ledger.append(b"order 1: 3 chairs", "text/plain")
    print("order 1 is journal", first.jsn, "in the ledger of", first.tree_size, "leaves")
    for number, receipt in enumerate(ledger.batch([b"order 2", b"order 3"]), 2):
        print("order", number, "is journal", receipt.jsn)

    # A value with a precondition: whoever is second is refused.
    seat = Operation(b"seat-12", b"taken by order 1", IF_ABSENT)
    taken = ledger.append(b"", operations=[seat])
    print("seat 12:", ledger.read(b"seat-12", since=taken.tree_size).value.decode())
    try:
        ledger.append(b"", operations=[seat])
    except Refused as refused:
        print("again:", refused.code, "by journal", refused.jsn)


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(sys.argv[1])
