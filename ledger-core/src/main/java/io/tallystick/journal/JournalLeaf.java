package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;

/// The leaf of one committed request. Its `result` is always 0 for now; any other value is refused,
/// so it is no component. Of `flags` bit 0 is defined, and the bits above are refused.
///
/// @param header the encoded RequestHeader; {@link RequestHeader#decode} reads it
/// @param attestHash of the attestation, the same for all members of a batch
/// @param batchIndex 0-based position in the batch; 0 for a single request
/// @param batchCount 1 for a single request
/// @param delegated bit 0 of the flags: exactly if the key of a signer is delegated at this jsn
public record JournalLeaf(
    Jsn jsn,
    long timeMs,
    Bytes header,
    Digest attestHash,
    int batchIndex,
    int batchCount,
    boolean delegated)
    implements Leaf {
  private static final int ITEMS = 9;
  private static final int RESULT = 0;
  private static final int DELEGATED = 1;

  public JournalLeaf {
    Leaf.checkTime(timeMs);
    if (header.size() > Limits.HEADER_BYTES_MAX) {
      throw new IllegalArgumentException("header of " + header.size() + " bytes");
    }
    if (batchCount < 1 || batchCount > Limits.BATCH_COUNT_MAX) {
      throw new IllegalArgumentException("batchCount " + batchCount + " is out of range");
    }
    if (batchIndex < 0 || batchIndex >= batchCount) {
      throw new IllegalArgumentException("batchIndex " + batchIndex + " of " + batchCount);
    }
  }

  /// A leaf none of whose signers' keys is delegated.
  public JournalLeaf(
      Jsn jsn, long timeMs, Bytes header, Digest attestHash, int batchIndex, int batchCount) {
    this(jsn, timeMs, header, attestHash, batchIndex, batchCount, false);
  }

  @Override
  public Bytes encode() {
    CborWriter out = new CborWriter(header.size() + 96);
    begin(out, jsn.value(), timeMs, header.unsafeArray(), 0, header.size());
    end(out, attestHash, batchIndex, batchCount, delegated ? DELEGATED : 0);
    return out.toBytes();
  }

  /// Appends the encoding of a leaf without flags to `out`; allocation-free once `out` has grown.
  /// The values are taken as they are: the caller made or checked them.
  public static void encode(
      CborWriter out,
      long jsn,
      long timeMs,
      byte[] header,
      Digest attestHash,
      int batchIndex,
      int batchCount) {
    encode(out, jsn, timeMs, header, 0, header.length, attestHash, batchIndex, batchCount);
  }

  /// The same with the header at `[offset, offset + length)` of `array`.
  public static void encode(
      CborWriter out,
      long jsn,
      long timeMs,
      byte[] array,
      int offset,
      int length,
      Digest attestHash,
      int batchIndex,
      int batchCount) {
    begin(out, jsn, timeMs, array, offset, length);
    end(out, attestHash, batchIndex, batchCount, 0);
  }

  private static void begin(
      CborWriter out, long jsn, long timeMs, byte[] array, int offset, int length) {
    out.array(ITEMS).uint(JOURNAL).uint(jsn).uint(timeMs).bytes(array, offset, length);
  }

  private static void end(
      CborWriter out, Digest attestHash, int batchIndex, int batchCount, int flags) {
    out.digest(attestHash).uint(batchIndex).uint(batchCount).uint(RESULT).uint(flags);
  }

  static JournalLeaf decode(CborReader in, int items) throws MalformedException {
    Leaf.checkItems(JOURNAL, items, ITEMS);
    Jsn jsn = new Jsn(in.uint());
    long timeMs = in.uint();
    Bytes header = Bytes.wrap(in.bytes("header", Limits.HEADER_BYTES_MAX));
    Digest attestHash = in.digest();
    int index = (int) in.uint("batchIndex", Limits.BATCH_COUNT_MAX);
    int count = (int) in.uint("batchCount", Limits.BATCH_COUNT_MAX);
    in.uint("result", RESULT);
    boolean delegated = in.uint("flags", DELEGATED) == DELEGATED;
    return Decoding.validated(
        () -> new JournalLeaf(jsn, timeMs, header, attestHash, index, count, delegated));
  }
}
