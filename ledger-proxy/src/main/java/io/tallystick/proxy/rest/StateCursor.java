package io.tallystick.proxy.rest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.merkle.forest.StateRange;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/// Where the next page of a range of keys begins, as clients get it, opaque to them: base64url of
/// `[height, from, to|nil]` and of a checksum that covers the ledger too.
///
/// @param height of the block whose state all pages are of
record StateCursor(long height, Bytes from, Optional<Bytes> to) {
  private static final byte[] KIND =
      "tallystick/state-page/1\0".getBytes(StandardCharsets.US_ASCII);
  private static final int CHECK_BYTES = 8;

  String text(LedgerId ledger) {
    CborWriter out = new CborWriter(64 + from.size());
    out.array(3).uint(height).bytes(from);
    to.ifPresentOrElse(out::bytes, out::nil);
    byte[] content = out.toBytes().toArray();
    byte[] all = Arrays.copyOf(content, content.length + CHECK_BYTES);
    System.arraycopy(check(ledger, content), 0, all, content.length, CHECK_BYTES);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(all);
  }

  /// @throws RequestRejectedException `MALFORMED` for all but what {@link #text} made for the
  ///   ledger
  static StateCursor parse(LedgerId ledger, String text) throws RequestRejectedException {
    try {
      byte[] all = Base64.getUrlDecoder().decode(text);
      int length = Math.max(0, all.length - CHECK_BYTES);
      StateCursor cursor = decode(Bytes.copyOf(all, 0, length));
      if (cursor.text(ledger).equals(text)) {
        return cursor;
      }
    } catch (IllegalArgumentException | MalformedException _) {
      // as wrong as one of another ledger
    }
    throw new RequestRejectedException(
        RejectionCode.MALFORMED, "cursor is not one that was given out for this");
  }

  private static StateCursor decode(Bytes content) throws MalformedException {
    CborReader in = new CborReader(content);
    in.array("cursor", 3);
    long height = in.uint("height", Long.MAX_VALUE);
    Bytes from = Bytes.wrap(in.bytes("from", StateRange.BOUND_BYTES_MAX));
    Optional<Bytes> to =
        in.nil()
            ? Optional.empty()
            : Optional.of(Bytes.wrap(in.bytes("to", StateRange.BOUND_BYTES_MAX)));
    in.end();
    return new StateCursor(height, from, to);
  }

  private static byte[] check(LedgerId ledger, byte[] content) {
    byte[] context = Arrays.copyOf(KIND, KIND.length + ledger.digest().toArray().length);
    System.arraycopy(
        ledger.digest().toArray(), 0, context, KIND.length, context.length - KIND.length);
    return Arrays.copyOf(Sha256.hash(context, content).toArray(), CHECK_BYTES);
  }
}
