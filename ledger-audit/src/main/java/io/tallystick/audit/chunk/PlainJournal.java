package io.tallystick.audit.chunk;

import io.tallystick.audit.source.PlainReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import java.security.MessageDigest;
import java.util.Arrays;

/// The leaf of a plain append, read in place: no extension; clues in ASCII only; operations only in
/// a ledger that has a state. Every rule of {@link io.tallystick.journal.JournalLeaf} and {@link
/// RequestHeader} is checked. Reused for one leaf after the other; not thread-safe.
final class PlainJournal {
  private static final int JOURNAL_ITEMS = 0x89;
  private static final int JOURNAL_TYPE = 0x01;
  private static final int NIL = 0xf6;
  private static final int EMPTY_MAP = 0xa0;
  private static final int HEADER_ITEMS = 13;
  private static final int BODY_ITEMS = 0x84;
  private static final int RESULT = 0;
  private static final int NO_FLAGS = 0;
  private static final int DELEGATED = 1;

  /// A hash in an array: two bytes of its head, and itself.
  private static final int DIGEST_STRIDE = 2 + Digest.BYTES;

  /// An empty Body encodes to five bytes.
  private static final int BODY_BYTES_MIN = 5;

  private final long maxWindowMs;
  private final boolean state;

  /// The bytes with which every such header of this strand begins: version, ledger, strand and
  /// kind.
  private final byte[] headerStart;

  private final LedgerId ledger;
  private final PlainReader in = new PlainReader();
  private final MessageDigest sha = Sha256.newDigest();
  private final byte[] hash = new byte[Digest.BYTES];
  private int cluesAt;
  private byte[] leafBytes = new byte[0];

  private long clientTimeMs;
  long jsn;
  long timeMs;
  int headerAt;
  int headerEnd;
  int attestHashAt;
  int batchIndex;
  int batchCount;
  boolean delegated;
  long expiresMs;
  int bodyCommitAt;
  int bodySizeBytes;
  int clueCount;
  int opsCount;
  int opsRootAt;
  int valueCount;
  private int[] valueEnds = new int[0];
  private int[] valueStarts = new int[0];

  PlainJournal(AuditContext context) {
    this.ledger = context.strand().ledger();
    this.maxWindowMs = context.genesis().maxWindowMs();
    this.state = context.hasState();
    this.headerStart =
        new CborWriter()
            .array(HEADER_ITEMS)
            .uint(RequestHeader.VERSION)
            .digest(context.strand().ledger().digest())
            .uint(context.strand().strand())
            .uint(Kind.APPEND.code())
            .toArray();
  }

  /// @return whether these bytes are such a leaf, with its times in order; if not, another must say
  ///   what is wrong, if anything is
  boolean read(byte[] bytes, int from, int to) {
    leafBytes = bytes;
    in.set(bytes, from, to);
    return to - from <= Limits.LEAF_BYTES_MAX && readLeaf() && readHeader(bytes) && timesRight();
  }

  private boolean readLeaf() {
    if (!in.literal(JOURNAL_ITEMS) || !in.literal(JOURNAL_TYPE)) {
      return false;
    }
    jsn = in.uint();
    timeMs = in.uint();
    int headerBytes = in.byteString(Limits.HEADER_BYTES_MAX);
    headerEnd = in.position();
    headerAt = headerEnd - headerBytes;
    attestHashAt = in.digest();
    long index = in.uint();
    long count = in.uint();
    if (jsn < 0
        || timeMs < 0
        || timeMs > Limits.TIME_MS_MAX
        || headerBytes < 0
        || attestHashAt < 0
        || count < 1
        || count > Limits.BATCH_COUNT_MAX
        || index < 0
        || index >= count) {
      return false;
    }
    batchIndex = (int) index;
    batchCount = (int) count;
    return in.literal(RESULT) && readFlags() && in.atEnd();
  }

  private boolean readFlags() {
    delegated = in.literal(DELEGATED);
    return delegated || in.literal(NO_FLAGS);
  }

  private boolean readHeader(byte[] bytes) {
    in.set(bytes, headerAt, headerEnd);
    if (!in.literal(headerStart)) {
      return false;
    }
    long clientSeq = in.uint();
    clientTimeMs = in.uint();
    expiresMs = in.uint();
    bodyCommitAt = in.digest();
    long bodySize = in.uint();
    if (clientSeq < 0
        || clientTimeMs < 0
        || expiresMs < clientTimeMs
        || expiresMs > Limits.TIME_MS_MAX
        || bodyCommitAt < 0
        || bodySize < BODY_BYTES_MIN
        || bodySize > Limits.REQUEST_BYTES_MAX) {
      return false;
    }
    bodySizeBytes = (int) bodySize;
    return readClues(bytes) && readOps() && in.literal(EMPTY_MAP) && in.atEnd();
  }

  /// Clue ids, ascending and distinct.
  private boolean readClues(byte[] bytes) {
    int count = in.array(Limits.CLUES_MAX);
    cluesAt = in.position() + 2;
    for (int i = 0; i < count; i++) {
      int at = in.digest();
      if (at < 0 || (i > 0 && compareHashes(bytes, clueIdAt(i - 1), at) >= 0)) {
        return false;
      }
    }
    clueCount = count;
    return count >= 0;
  }

  /// Root and number of the operations.
  private boolean readOps() {
    opsCount = 0;
    opsRootAt = PlainReader.BAD;
    if (in.literal(NIL)) {
      return in.literal(0);
    }
    opsRootAt = in.digest();
    long count = in.uint();
    opsCount = (int) count;
    return state && opsRootAt >= 0 && count >= 1 && count <= Limits.OPS_MAX;
  }

  private static int compareHashes(byte[] bytes, int a, int b) {
    return Arrays.compareUnsigned(bytes, a, a + Digest.BYTES, bytes, b, b + Digest.BYTES);
  }

  /// Where the id of a clue stands in the bytes last read as a leaf.
  int clueIdAt(int index) {
    return cluesAt + index * DIGEST_STRIDE;
  }

  /// The rules of {@link io.tallystick.journal.RequestTimes}.
  private boolean timesRight() {
    return expiresMs - clientTimeMs <= maxWindowMs
        && clientTimeMs - Limits.CLOCK_SKEW_MS_MAX <= timeMs
        && timeMs <= expiresMs;
  }

  /// @return whether these bytes are the Body of the request last read: a payload, its type, the
  ///   clues whose ids its header has, and values, which are for {@link PlainOps} to judge
  boolean readBody(byte[] bytes, int from, int to) {
    in.set(bytes, from, to);
    return in.literal(BODY_ITEMS)
        && in.byteString(Limits.PAYLOAD_BYTES_MAX) >= 0
        && in.asciiText(Limits.CONTENT_TYPE_BYTES_MAX) >= 0
        && readClueTexts(bytes)
        && readValues()
        && in.atEnd();
  }

  private boolean readValues() {
    int count = in.array(Limits.OPS_MAX);
    if (count > valueEnds.length) {
      valueEnds = new int[count];
      valueStarts = new int[count];
    }
    for (int i = 0; i < count; i++) {
      int length = in.byteString(Limits.REQUEST_BYTES_MAX);
      if (length < 0) {
        return false;
      }
      valueEnds[i] = in.position();
      valueStarts[i] = in.position() - length;
    }
    valueCount = count;
    return count >= 0;
  }

  /// Where a value of the Body last read begins.
  int valueAt(int index) {
    return valueStarts[index];
  }

  int valueBytes(int index) {
    return valueEnds[index] - valueStarts[index];
  }

  private boolean readClueTexts(byte[] bytes) {
    if (in.array(Limits.CLUES_MAX) != clueCount) {
      return false;
    }
    for (int i = 0; i < clueCount; i++) {
      int length = in.asciiText(Limits.CLUE_BYTES_MAX);
      if (length < 1) {
        return false;
      }
      Commitments.clueId(sha, ledger, bytes, in.position() - length, length, hash);
      if (!sameHash(leafBytes, clueIdAt(i), hash, 0)) {
        return false;
      }
    }
    return true;
  }

  int headerBytes() {
    return headerEnd - headerAt;
  }

  /// Whether the hash in `a` at `aAt` is the one in `b` at `bAt`.
  static boolean sameHash(byte[] a, int aAt, byte[] b, int bAt) {
    return Arrays.equals(a, aAt, aAt + Digest.BYTES, b, bAt, bAt + Digest.BYTES);
  }
}
