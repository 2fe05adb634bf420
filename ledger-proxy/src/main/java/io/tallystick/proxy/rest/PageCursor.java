package io.tallystick.proxy.rest;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/// Where the next page of journals begins, and the tree size that all pages are cut from. Opaque to
/// clients: base64url of next, size and a checksum that covers the ledger. It hides nothing and
/// grants nothing that `from` does not.
record PageCursor(long next, long size) {
  private static final byte[] CONTEXT = "tallystick/page/1\0".getBytes(StandardCharsets.US_ASCII);
  private static final int CHECK_BYTES = 8;
  private static final int BYTES = 2 * Long.BYTES + CHECK_BYTES;
  private static final int TEXT_LENGTH = BYTES * 4 / 3;

  String encode(LedgerId ledger) {
    byte[] fields = ByteBuffer.allocate(BYTES).putLong(next).putLong(size).array();
    System.arraycopy(check(ledger, fields), 0, fields, BYTES - CHECK_BYTES, CHECK_BYTES);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(fields);
  }

  static PageCursor decode(LedgerId ledger, String text) throws RequestRejectedException {
    if (text.length() == TEXT_LENGTH) {
      try {
        byte[] bytes = Base64.getUrlDecoder().decode(text);
        byte[] found = Arrays.copyOfRange(bytes, BYTES - CHECK_BYTES, BYTES);
        ByteBuffer fields = ByteBuffer.wrap(bytes);
        PageCursor cursor = new PageCursor(fields.getLong(), fields.getLong());
        if (Arrays.equals(found, check(ledger, bytes)) && 0 <= cursor.next && 0 <= cursor.size) {
          return cursor;
        }
      } catch (IllegalArgumentException _) {
        // no base64url: refused below
      }
    }
    throw new RequestRejectedException(
        RejectionCode.MALFORMED, "cursor is not one that this ledger gave out");
  }

  private static byte[] check(LedgerId ledger, byte[] fields) {
    byte[] all =
        ByteBuffer.allocate(CONTEXT.length + Digest.BYTES + 2 * Long.BYTES)
            .put(CONTEXT)
            .put(ledger.digest().toArray())
            .put(fields, 0, 2 * Long.BYTES)
            .array();
    return Arrays.copyOf(Sha256.hash(all).toArray(), CHECK_BYTES);
  }
}
