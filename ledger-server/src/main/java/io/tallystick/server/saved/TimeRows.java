package io.tallystick.server.saved;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.ProvenTime;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The time journals of a shard's strands by proven time, the latest first: rows `"u" ‖ ledgerId ‖
/// strand u32 ‖ (2^63 − 1 − provenMs) u64 ‖ (2^63 − 1 − jsn) u64 → [1, jsn, provenMs]` of the meta
/// store, written by the savepoint that holds the journal. Where a row is, those of all older time
/// journals are, and one row without a strand says that this is so of every journal below the
/// savepoint. Source: `docs/formats/savepoint.md`.
public final class TimeRows {
  private static final Bytes PREFIX = Bytes.utf8("u");
  private static final int VERSION = 1;
  private static final int STRAND_BYTES = 1 + Digest.BYTES + Integer.BYTES;

  /// Rows of one write.
  private static final int BATCH_ROWS = 1_000;

  private final MetaStore meta;

  public TimeRows(MetaStore meta) {
    this.meta = meta;
  }

  /// Whether no time journal below the savepoint lacks its row.
  public boolean areWhole() throws IOException {
    return meta.get(PREFIX) != null;
  }

  /// From now on {@link #areWhole}.
  public void setWhole() throws IOException {
    meta.write(new MetaBatch().put(PREFIX, new CborWriter(2).array(1).uint(VERSION).toBytes()));
  }

  public boolean contains(StrandId strand, ProvenTime granted) throws IOException {
    return meta.get(key(strand, granted.provenMs(), granted.jsn())) != null;
  }

  /// Writes the rows that a savepoint of before this index lacks.
  ///
  /// @param ascending by jsn
  public void add(StrandId strand, List<ProvenTime> ascending) throws IOException {
    for (int from = 0; from < ascending.size(); from += BATCH_ROWS) {
      MetaBatch batch = new MetaBatch();
      for (ProvenTime each :
          ascending.subList(from, Math.min(from + BATCH_ROWS, ascending.size()))) {
        put(batch, strand, each);
      }
      meta.write(batch);
    }
  }

  public static void put(MetaBatch batch, StrandId strand, ProvenTime granted) {
    batch.put(key(strand, granted.provenMs(), granted.jsn()), encode(granted));
  }

  /// The latest that is not after a time, as far as it is saved.
  ///
  /// @throws RequestRejectedException `DAMAGED`
  public Optional<ProvenTime> lastAt(StrandId strand, long timeMs)
      throws IOException, RequestRejectedException {
    if (timeMs < 0) {
      return Optional.empty();
    }
    Row row = new Row();
    // Every key of that time and before lies behind this one.
    Bytes after = head(strand, STRAND_BYTES + Long.BYTES, Long.MAX_VALUE - timeMs);
    meta.scan(head(strand, STRAND_BYTES, 0), after, row::take);
    try {
      return row.value == null ? Optional.empty() : Optional.of(decode(row.value));
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.DAMAGED, "the index of time journals: " + e.getMessage(), e);
    }
  }

  /// The first row of a scan.
  private static final class Row {
    private @Nullable Bytes value;

    boolean take(Bytes key, Bytes found) {
      value = found;
      return false;
    }
  }

  private static Bytes key(StrandId strand, long provenMs, long jsn) {
    byte[] key = new byte[STRAND_BYTES + 2 * Long.BYTES];
    head(strand, STRAND_BYTES + Long.BYTES, Long.MAX_VALUE - provenMs).copyInto(key, 0);
    ByteBuffer.wrap(key).putLong(STRAND_BYTES + Long.BYTES, Long.MAX_VALUE - jsn);
    return Bytes.wrap(key);
  }

  private static Bytes head(StrandId strand, int size, long inverseMs) {
    byte[] whole = new byte[STRAND_BYTES + Long.BYTES];
    PREFIX.copyInto(whole, 0);
    strand.ledger().digest().copyInto(whole, PREFIX.size());
    ByteBuffer.wrap(whole)
        .putInt(PREFIX.size() + Digest.BYTES, strand.strand())
        .putLong(STRAND_BYTES, inverseMs);
    return Bytes.wrap(whole).slice(0, size);
  }

  private static Bytes encode(ProvenTime granted) {
    return new CborWriter(32)
        .array(3)
        .uint(VERSION)
        .uint(granted.jsn())
        .uint(granted.provenMs())
        .toBytes();
  }

  private static ProvenTime decode(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("time row", 3);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("time row version " + version + ", want " + VERSION);
    }
    ProvenTime granted = new ProvenTime(in.uint(), in.uint());
    in.end();
    return granted;
  }
}
