package io.tallystick.proxy.rest;

import io.tallystick.crypto.Sha256;
import io.tallystick.journal.JournalFilter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.read.HistoryCursor;
import io.tallystick.proxy.read.LineageCursor;
import io.tallystick.proxy.read.PageCursor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.OptionalLong;

/// A cursor as clients get it, opaque to them: base64url of its numbers and of a checksum that
/// covers what they belong to. It hides nothing and grants nothing that the same numbers as
/// parameters would not.
final class CursorText {
  private static final int CHECK_BYTES = 8;
  private static final int PAGE_NUMBERS = 2;
  private static final int LINEAGE_NUMBERS = 4;
  private static final int HISTORY_NUMBERS = 3;

  /// Genesis writes no key.
  private static final long NONE_NEWER = 0;

  private final byte[] context;
  private final int count;

  static String of(LedgerId ledger, JournalFilter filter, PageCursor cursor) {
    return page(ledger, filter).encode(cursor.next(), cursor.size());
  }

  /// @param filter of the page before, too: a scan goes on with what it began with
  static PageCursor page(LedgerId ledger, JournalFilter filter, String text)
      throws RequestRejectedException {
    long[] numbers = page(ledger, filter).decode(text);
    return new PageCursor(numbers[0], numbers[1]);
  }

  private static CursorText page(LedgerId ledger, JournalFilter filter) {
    byte[] owner = ledger.digest().toArray();
    if (filter.isAll()) {
      return new CursorText("tallystick/page/1", owner, PAGE_NUMBERS);
    }
    byte[] conditions = filter.toString().getBytes(StandardCharsets.UTF_8);
    byte[] both =
        ByteBuffer.allocate(owner.length + conditions.length).put(owner).put(conditions).array();
    return new CursorText("tallystick/scan-page/1", both, PAGE_NUMBERS);
  }

  static String of(Digest clueId, LineageCursor cursor) {
    long descending = cursor.descending() ? 1 : 0;
    return lineage(clueId).encode(cursor.next(), descending, cursor.headSize(), cursor.asOfSize());
  }

  static LineageCursor lineage(Digest clueId, String text) throws RequestRejectedException {
    long[] numbers = lineage(clueId).decode(text);
    return new LineageCursor(numbers[0], numbers[1] != 0, numbers[2], numbers[3]);
  }

  /// A clue's id belongs to one ledger.
  private static CursorText lineage(Digest clueId) {
    return new CursorText("tallystick/lineage-page/1", clueId.toArray(), LINEAGE_NUMBERS);
  }

  static String of(LedgerId ledger, Bytes key, HistoryCursor cursor) {
    long newer = cursor.newer().orElse(NONE_NEWER);
    return history(ledger, key).encode(cursor.size(), cursor.before(), newer);
  }

  static HistoryCursor history(LedgerId ledger, Bytes key, String text)
      throws RequestRejectedException {
    long[] numbers = history(ledger, key).decode(text);
    return new HistoryCursor(
        numbers[0],
        numbers[1],
        numbers[2] == NONE_NEWER ? OptionalLong.empty() : OptionalLong.of(numbers[2]));
  }

  private static CursorText history(LedgerId ledger, Bytes key) {
    byte[] owner = ledger.digest().toArray();
    byte[] both =
        ByteBuffer.allocate(owner.length + key.size()).put(owner).put(key.toArray()).array();
    return new CursorText("tallystick/history-page/1", both, HISTORY_NUMBERS);
  }

  /// @param kind of cursor, with its version
  /// @param owner what the numbers belong to
  /// @param count of numbers
  private CursorText(String kind, byte[] owner, int count) {
    byte[] name = (kind + "\0").getBytes(StandardCharsets.US_ASCII);
    this.context = ByteBuffer.allocate(name.length + owner.length).put(name).put(owner).array();
    this.count = count;
  }

  /// @param numbers none of them negative
  private String encode(long... numbers) {
    ByteBuffer bytes = ByteBuffer.allocate(count * Long.BYTES + CHECK_BYTES);
    for (long number : numbers) {
      bytes.putLong(number);
    }
    bytes.put(check(Arrays.copyOf(bytes.array(), bytes.position())));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  /// @throws RequestRejectedException `MALFORMED` for all but what {@link #encode} made
  private long[] decode(String text) throws RequestRejectedException {
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
