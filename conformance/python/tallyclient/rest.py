"""HTTP as docs/rest.md has it."""

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

TIMEOUT_SECONDS = 30
JSON, COSE = "application/json", "application/cose"


class Refused(Exception):
    """A problem document."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(f"{status} {problem['code']}: {problem['detail']}")
        self.status, self.code = status, problem["code"]
        self.jsn, self.index = problem.get("jsn", 0), problem.get("index")


class Rest:
    """The service at an address.

    `authorization` is asked before each call, with its method and path, for the Authorization
    header; None sends none. It is the one place where a client says who reads.
    """

    def __init__(
        self, url: str, authorization: Callable[[str, str], str | None] = lambda _m, _p: None
    ) -> None:
        self._url = url
        self._authorization = authorization

    def get(self, path: str, accept: str = JSON) -> bytes:
        """What is there."""
        return self._call("GET", path, None, JSON, accept)[1]

    def get_json(self, path: str) -> Any:
        """What is there."""
        return json.loads(self.get(path))

    def post_json(self, path: str, body: Any) -> Any:
        """The answer."""
        return json.loads(self._call("POST", path, json.dumps(body).encode(), JSON, JSON)[1])

    def post_cose(self, path: str, message: bytes) -> tuple[str, bytes]:
        """Location and answer."""
        return self._call("POST", path, message, COSE, COSE)

    def _call(
        self, method: str, path: str, body: bytes | None, sent: str, accept: str
    ) -> tuple[str, bytes]:
        headers = {"Accept": accept}
        if body is not None:
            headers["Content-Type"] = sent
        who = self._authorization(method, path)
        if who is not None:
            headers["Authorization"] = who
        request = urllib.request.Request(self._url + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                return answer.headers.get("Location", ""), answer.read()
        except urllib.error.HTTPError as e:
            raise Refused(e.code, json.loads(e.read())) from None


def b64(data: bytes) -> str:
    """As JSON carries bytes."""
    return base64.b64encode(data).decode()


def un64(text: str) -> bytes:
    """As JSON carries bytes."""
    return base64.b64decode(text, validate=True)
