"""Head statements: docs/formats/trust.md."""

from . import cbor, checkpoint, cose, keychain, receipt
from .ledger import Service
from .receipt import Head
from .rejected import Rejected

SIGN1 = 0xD2  # with which a receipt statement begins, and no note does


def verify(service: Service, strand: int, statement: bytes) -> Head:
    """The head that a checkpoint or a receipt statement of this strand states."""
    if statement[:1] != bytes([SIGN1]):
        return checkpoint.verify(statement, service.origin(strand), service.note_key)
    message = cose.sign1(cbor.decode(statement))
    size = receipt.signed_size(service, strand, message)
    cbor.mapping(message.unprotected, "unprotected", set())
    root = cbor.digest(message.payload, "the root")
    message.verify(service.receipt_key, root)
    return Head(size, root)


def stated_size(statement: bytes) -> int:
    """The size that a head statement states, before anything verifies it."""
    if statement[:1] != bytes([SIGN1]):
        return checkpoint.stated(statement)[2]
    return keychain.stated_size(cbor.decode(statement))


def same(trusted: Head, offered: Head) -> None:
    """The rule of the page for heads of one size; for others a proof would have to be at hand."""
    if trusted.size != offered.size:
        what = f"no proof between the heads of {trusted.size} and {offered.size} leaves"
        raise Rejected("MISSING", what)
    if trusted != offered:
        raise Rejected("FORK", f"two heads of {trusted.size} leaves")
