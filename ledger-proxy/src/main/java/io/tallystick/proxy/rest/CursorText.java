package io.tallystick.proxy.rest;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/// The text of a cursor: base64url of its numbers and of a checksum that covers what they belong
/// to. It hides nothing and grants nothing that the same numbers as parameters would not.
final class CursorText {
  private static final int CHECK_BYTES = 8;

  private final byte[] context;
  private final int count;

  /// @param kind of cursor, with its version
  /// @param owner what the numbers belong to
  /// @param count of numbers
  CursorText(String kind, byte[] owner, int count) {
    byte[] name = (kind + "\0").getBytes(StandardCharsets.US_ASCII);
    this.context = ByteBuffer.allocate(name.length + owner.length).put(name).put(owner).array();
    this.count = count;
  }

  /// @param numbers none of them negative
  String encode(long... numbers) {
    ByteBuffer bytes = ByteBuffer.allocate(count * Long.BYTES + CHECK_BYTES);
    for (long number : numbers) {
      bytes.putLong(number);
    }
    bytes.put(check(Arrays.copyOf(bytes.array(), bytes.position())));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  /// @throws RequestRejectedException `MALFORMED` for all but what {@link #encode} made
  long[] decode(String text) throws RequestRejectedException {
    long[] numbers = new long[count];
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(text);
      if (bytes.length == count * Long.BYTES + CHECK_BYTES) {
        ByteBuffer.wrap(bytes).asLongBuffer().get(numbers);
      }
    } catch (IllegalArgumentException _) {
      // no base64url: zeros have another text
    }
    if (Arrays.stream(numbers).anyMatch(number -> number < 0) || !encode(numbers).equals(text)) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "cursor is not one that was given out for this");
    }
    return numbers;
  }

  private byte[] check(byte[] numbers) {
    Digest hash = Sha256.hash(context, numbers);
    return Arrays.copyOf(hash.toArray(), CHECK_BYTES);
  }
}
