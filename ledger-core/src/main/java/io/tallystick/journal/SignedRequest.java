package io.tallystick.journal;

import io.tallystick.model.Bytes;

/// A request as it travels: the encoded header, the salt, the encoded body. The signatures stand
/// beside it, in an {@link Attestation}. Nothing is checked by construction.
///
/// @param salt erased with the body; it must appear nowhere else, in no log and no identifier, or
///   erased content could be guessed back
public record SignedRequest(Bytes header, Bytes salt, Bytes body) {
  public int sizeBytes() {
    return header.size() + salt.size() + body.size();
  }

  /// Without salt and body.
  @Override
  public String toString() {
    return "SignedRequest[" + RequestHeader.hash(header) + ", " + sizeBytes() + " bytes]";
  }
}
