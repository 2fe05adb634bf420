package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.merkle.OpsRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The part of a request that is signed, hashed and never erased. It binds ledger, kind, times,
/// clues and operations; the body only by its salted commitment.
///
/// @param clientSeq the client's own count, not checked
/// @param expiresMs not before `clientTimeMs`
/// @param bodySizeBytes of the encoded Body
/// @param clueIds ascending and distinct
/// @param opsRoot null exactly when there are no operations
public record RequestHeader(
    StrandId strand,
    Kind kind,
    long clientSeq,
    long clientTimeMs,
    long expiresMs,
    Digest bodyCommit,
    int bodySizeBytes,
    List<Digest> clueIds,
    @Nullable OpsRoot opsRoot,
    int opsCount,
    Extension extension) {
  public static final int VERSION = 1;

  static final int ITEMS = 13;

  /// An empty Body encodes to five bytes.
  private static final int EMPTY_BODY_BYTES = 5;

  public RequestHeader {
    clueIds = List.copyOf(clueIds);
    checkTimes(clientTimeMs, expiresMs);
    checkClues(clueIds);
    if (bodySizeBytes < EMPTY_BODY_BYTES || bodySizeBytes > Limits.REQUEST_BYTES_MAX) {
      throw new IllegalArgumentException("bodySize " + bodySizeBytes + " is out of range");
    }
    if (clientSeq < 0 || opsCount < 0 || opsCount > Limits.OPS_MAX) {
      throw new IllegalArgumentException("clientSeq or opsCount " + opsCount + " is out of range");
    }
    if ((opsRoot == null) != (opsCount == 0)) {
      throw new IllegalArgumentException("opsCount " + opsCount + " disagrees with opsRoot");
    }
    checkKind(kind, extension, clueIds.size(), opsCount, bodySizeBytes);
  }

  private static void checkTimes(long clientTimeMs, long expiresMs) {
    if (clientTimeMs < 0 || expiresMs < clientTimeMs || expiresMs > Limits.TIME_MS_MAX) {
      throw new IllegalArgumentException(
          "times out of order or range: clientTime "
              + Printable.time(clientTimeMs)
              + ", expires "
              + Printable.time(expiresMs));
    }
  }

  private static void checkClues(List<Digest> clueIds) {
    if (clueIds.size() > Limits.CLUES_MAX) {
      throw new IllegalArgumentException(clueIds.size() + " clues, at most " + Limits.CLUES_MAX);
    }
    for (int i = 1; i < clueIds.size(); i++) {
      if (clueIds.get(i - 1).compareTo(clueIds.get(i)) >= 0) {
        throw new IllegalArgumentException("clue id " + i + " is not above the one before");
      }
    }
  }

  private static void checkKind(
      Kind kind, Extension extension, int clues, int ops, int bodySizeBytes) {
    if (!extension.fits(kind)) {
      throw new IllegalArgumentException("extension does not fit kind " + kind.code());
    }
    if (kind.governance() && (clues != 0 || bodySizeBytes != EMPTY_BODY_BYTES)) {
      throw new IllegalArgumentException("kind " + kind.code() + " carries clues or a body");
    }
    if (kind == Kind.CLUE_DELETE && clues != 1) {
      throw new IllegalArgumentException("clueDelete names " + clues + " clues, want 1");
    }
    if (kind != Kind.APPEND && ops != 0) {
      throw new IllegalArgumentException("kind " + kind.code() + " carries operations");
    }
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(encodedBytes());
    out.array(ITEMS).uint(VERSION).digest(strand.ledger().digest()).uint(strand.strand());
    out.uint(kind.code()).uint(clientSeq).uint(clientTimeMs).uint(expiresMs);
    out.digest(bodyCommit).uint(bodySizeBytes).array(clueIds.size());
    for (int i = 0; i < clueIds.size(); i++) {
      out.digest(clueIds.get(i));
    }
    if (opsRoot == null) {
      out.nil();
    } else {
      out.digest(opsRoot.digest());
    }
    out.uint(opsCount);
    extension.encodeInto(out);
    return out.finish();
  }

  /// Exact but for governance, whose extension is larger.
  private int encodedBytes() {
    int digest = 2 + Digest.BYTES;
    return 2
        + digest
        + CborWriter.headBytes(strand.strand())
        + CborWriter.headBytes(kind.code())
        + CborWriter.headBytes(clientSeq)
        + CborWriter.headBytes(clientTimeMs)
        + CborWriter.headBytes(expiresMs)
        + digest
        + CborWriter.headBytes(bodySizeBytes)
        + CborWriter.headBytes(clueIds.size())
        + clueIds.size() * digest
        + (opsRoot == null ? 1 : digest)
        + CborWriter.headBytes(opsCount)
        + 1;
  }

  /// The hash that is signed, and that names the request.
  public static Digest hash(Bytes encoded) {
    return Sha256.hash(encoded.unsafeArray());
  }

  /// The strand a header claims to be for, before anything else of it is believed; to find the
  /// ledger that will check it.
  public static StrandId peekStrand(Bytes encoded) throws MalformedException {
    return readStrand(new CborReader(encoded));
  }

  /// The root over its operations that an encoded header names, read without the rest of it; null
  /// if it has none.
  ///
  /// @param array holds the header, `length` bytes at `offset`
  /// @throws MalformedException if it is none
  public static @Nullable OpsRoot opsRootOf(byte[] array, int offset, int length)
      throws MalformedException {
    CborReader in = new CborReader(array, offset, length);
    HeaderClues.toIds(in);
    int clues = in.arrayAtMost("clue ids", Limits.CLUES_MAX);
    for (int i = 0; i < clues; i++) {
      in.skipBytes();
    }
    return in.nil() ? null : new OpsRoot(in.digest());
  }

  public static RequestHeader decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    StrandId strand = readStrand(in);
    Kind kind = Kind.ofCode(in.uint());
    long clientSeq = in.uint();
    long clientTimeMs = in.uint();
    long expiresMs = in.uint();
    Digest bodyCommit = in.digest();
    int bodySize = (int) in.uint("bodySize", Limits.REQUEST_BYTES_MAX);
    List<Digest> clueIds = clueIds(in);
    OpsRoot opsRoot = in.nil() ? null : new OpsRoot(in.digest());
    int opsCount = (int) in.uint("opsCount", Limits.OPS_MAX);
    Extension extension = Extension.decode(in, kind);
    in.end();
    return Decoding.validated(() ->
        new RequestHeader(
            strand,
            kind,
            clientSeq,
            clientTimeMs,
            expiresMs,
            bodyCommit,
            bodySize,
            clueIds,
            opsRoot,
            opsCount,
            extension));
  }

  private static StrandId readStrand(CborReader in) throws MalformedException {
    if (in.remaining() > Limits.HEADER_BYTES_MAX) {
      throw new MalformedException(
          "header of " + in.remaining() + " bytes, at most " + Limits.HEADER_BYTES_MAX);
    }
    in.array("RequestHeader", ITEMS);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("RequestHeader of version " + version + ", want " + VERSION);
    }
    LedgerId ledger = new LedgerId(in.digest());
    return new StrandId(ledger, (int) in.uint("strand", Integer.MAX_VALUE));
  }

  private static List<Digest> clueIds(CborReader in) throws MalformedException {
    int count = in.arrayAtMost("clue ids", Limits.CLUES_MAX);
    if (count == 0) {
      return List.of();
    }
    List<Digest> clueIds = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      clueIds.add(in.digest());
    }
    return clueIds;
  }
}
