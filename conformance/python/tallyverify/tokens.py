"""Tokens of RFC 3161 by listed authorities, verified by the library `rfc3161-client`."""

from datetime import UTC, datetime

from cryptography import x509
from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response

from .rejected import Rejected

_GRANTED = bytes.fromhex("3003020100")  # PKIStatusInfo
_CERTIFICATES = 0xA0  # [0] of SignedData
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Authorities:
    """Those that an auditor trusts."""

    def __init__(self, pem: bytes) -> None:
        self._roots = x509.load_pem_x509_certificates(pem)

    def gen_time_ms(self, token: bytes, imprint: bytes) -> int:
        """When one of them stamped the imprint."""
        try:
            response = decode_timestamp_response(_sequence(_GRANTED + in_order(token)))
            VerifierBuilder(roots=list(self._roots)).build().verify(response, imprint)
        except (VerificationError, ValueError, IndexError) as e:
            raise Rejected("TIME_TOKEN_REFUSED", str(e)) from e
        since = response.tst_info.gen_time - _EPOCH
        return since.days * 86_400_000 + since.seconds * 1000 + since.microseconds // 1000


def in_order(token: bytes) -> bytes:
    """The token with its certificates in the order of DER, which the library demands.

    Authorities send them in any order (openssl: the signer's first); no signature covers it.
    """
    _, content, end = _items(token, 0, len(token))[0]
    _, content, end = _items(token, content, end)[1]
    _, content, end = _items(token, content, end)[0]
    for begin, content, end in _items(token, content, end):
        if token[begin] == _CERTIFICATES:
            certificates = [token[first:last] for first, _, last in _items(token, content, end)]
            return token[:content] + b"".join(sorted(certificates)) + token[end:]
    return token


def _items(data: bytes, at: int, end: int) -> list[tuple[int, int, int]]:
    """Where each item begins, where its content does, and where it ends; definite lengths."""
    items = []
    while at < end:
        begin, length, at = at, data[at + 1], at + 2
        if length & 0x80:
            width = length & 0x7F
            length, at = int.from_bytes(data[at : at + width], "big"), at + width
        if at + length > end:
            raise ValueError("an item that ends behind what holds it")
        items.append((begin, at, at + length))
        at += length
    return items


def _sequence(content: bytes) -> bytes:
    """In DER."""
    length = len(content)
    if length < 128:
        return bytes([0x30, length]) + content
    width = (length.bit_length() + 7) // 8
    return bytes([0x30, 0x80 | width]) + length.to_bytes(width, "big") + content
