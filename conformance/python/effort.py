"""How much is shown to a verifier: the short form, or the long one of conformance/run --long."""

import os

LONG = os.environ.get("TALLYSTICK_LONG") == "true"


def of(short, long):
    return long if LONG else short
