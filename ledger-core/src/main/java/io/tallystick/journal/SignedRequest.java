package io.tallystick.journal;

import io.tallystick.model.Bytes;

/// A request as it travels: the encoded header, the salt, the encoded body, the encoded operations.
/// The signatures stand beside it, in an {@link Attestation}. Nothing is checked by construction.
///
/// @param salt erased with the body; it must appear nowhere else, in no log and no identifier, or
///   erased content could be guessed back
/// @param ops as {@link Ops} encodes them; empty without operations
public record SignedRequest(Bytes header, Bytes salt, Bytes body, Bytes ops) {
  /// A request without operations.
  public SignedRequest(Bytes header, Bytes salt, Bytes body) {
    this(header, salt, body, Bytes.EMPTY);
  }

  public int sizeBytes() {
    return header.size() + salt.size() + body.size() + ops.size();
  }

  /// Without salt and body.
  @Override
  public String toString() {
    return "SignedRequest[" + RequestHeader.hash(header) + ", " + sizeBytes() + " bytes]";
  }
}
