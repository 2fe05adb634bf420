"""Why something was refused."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(time_ms: int) -> str:
    """A time in a sentence, as anybody may have sent it."""
    try:
        time = EPOCH + timedelta(milliseconds=time_ms)
    except OverflowError:
        return f"{time_ms} ms"
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Rejected(Exception):
    """Evidence that does not hold, with a reason from the pages."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class Malformed(Rejected):
    """Bytes that are not what a page says they are."""

    def __init__(self, detail: str) -> None:
        super().__init__("MALFORMED", detail)


class NotJudged(Exception):
    """Neither right nor wrong: what is needed to judge it is not there."""


class Fault(Exception):
    """The first fault of a log: docs/audit.md, "Reading the report"."""

    def __init__(self, jsn: int, kind: str, detail: str) -> None:
        super().__init__(f"jsn {jsn}: {kind}: {detail}")
        self.jsn = jsn
        self.kind = kind
        self.detail = detail
