package io.tallystick.node;

import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Utf8;

/// A ledger's human name with the salt that opens its commitment in genesis. Kept for display only.
public record LedgerName(Digest salt, String name) {
  public static final int NAME_BYTES_MAX = 128;

  /// From unverified text.
  ///
  /// @throws RequestRejectedException `MALFORMED` unless the name has 1 to 128 bytes of UTF-8, none
  ///   of which could forge a line of a list or steer a terminal
  public static LedgerName of(Digest salt, String name) throws RequestRejectedException {
    checkName(name);
    return new LedgerName(salt, name);
  }

  /// @throws RequestRejectedException as {@link #of}
  public static void checkName(String name) throws RequestRejectedException {
    if (Utf8.unpairedAt(name) >= 0) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "name with half a surrogate pair, which UTF-8 cannot hold");
    }
    int nameBytes = Utf8.size(name);
    if (nameBytes < 1 || nameBytes > NAME_BYTES_MAX) {
      throw new RequestRejectedException(
              RejectionCode.MALFORMED, "name of " + nameBytes + " bytes, want 1 to 128")
          .withLimit(NAME_BYTES_MAX);
    }
    if (!Printable.is(name)) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "name with control, format or line-breaking characters");
    }
  }
}
