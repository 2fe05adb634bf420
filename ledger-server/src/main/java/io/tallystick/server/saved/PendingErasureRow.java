package io.tallystick.server.saved;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.framing.FrameHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// An erasure that is not done: `"d" ‖ ledgerId ‖ jsn → [1, next, [[frame, header, [[offset,
/// bytes]…], [[offset, value]…]]…]]`, from the savepoint that has the removal at `jsn` to the one
/// that has that all is erased. How far it is, once it has begun, stands in a noted row of the same
/// form under `"b" ‖ ledgerId ‖ jsn`. Source: `docs/formats/savepoint.md`.
///
/// @param next the lowest jsn that is not erased yet and whose frame is not in `planned`; 0 before
///   anything is erased, {@link #ALL} if there is none
/// @param planned frames whose erasure may have begun
public record PendingErasureRow(long next, List<ErasedFrame> planned) {
  public static final Bytes PREFIX = Bytes.utf8("d");

  /// The table of those that have begun.
  public static final Bytes NOTED = Bytes.utf8("b");

  private static final int KEY_BYTES = 1 + Digest.BYTES + Long.BYTES;
  private static final int VERSION = 1;

  /// Frames of one turn of the eraser: what is read to plan it may be 16 MiB each. A plan of so
  /// many fits a note: a purge has two ranges in each, an occult no more than its journals of one
  /// plan.
  public static final int FRAMES_MAX = 64;

  /// In place of `next`: nothing is left behind `planned`.
  public static final long ALL = Long.MAX_VALUE;

  /// The row of a removal of which nothing is erased.
  private static final PendingErasureRow BEGUN = new PendingErasureRow(0, List.of());

  public PendingErasureRow {
    planned = List.copyOf(planned);
  }

  /// Whether all is erased once `planned` is.
  public boolean isLast() {
    return next == ALL;
  }

  /// Whether bytes may be gone.
  public boolean hasBegun() {
    return next > 0 || !planned.isEmpty();
  }

  /// The row that a savepoint writes beside a removal.
  public static Bytes begun() {
    return BEGUN.encode();
  }

  public static Bytes key(LedgerId ledger, long jsn) {
    return key(PREFIX, ledger, jsn);
  }

  public static Bytes notedKey(LedgerId ledger, long jsn) {
    return key(NOTED, ledger, jsn);
  }

  private static Bytes key(Bytes table, LedgerId ledger, long jsn) {
    ByteBuffer key = ByteBuffer.allocate(KEY_BYTES);
    key.put(table.toArray()).put(ledger.digest().toArray()).putLong(jsn);
    return Bytes.wrap(key.array());
  }

  public static LedgerId ledgerOf(Bytes key) throws MalformedException {
    if (key.size() != KEY_BYTES) {
      throw new MalformedException("key of an erasure of " + key.size() + " bytes");
    }
    return new LedgerId(Digest.of(key.toArray(), 1));
  }

  public static long jsnOf(Bytes key) {
    return ByteBuffer.wrap(key.toArray()).getLong(1 + Digest.BYTES);
  }

  public Bytes encode() {
    CborWriter out = new CborWriter();
    out.array(3).uint(VERSION).uint(next).array(planned.size());
    for (ErasedFrame frame : planned) {
      ByteBuffer header = frame.header().encode();
      byte[] bytes = new byte[header.remaining()];
      header.get(bytes);
      out.array(4).uint(frame.frame()).bytes(bytes);
      out.array(frame.edits().zeros().size());
      for (FrameEdits.Range zeros : frame.edits().zeros()) {
        out.array(2).uint(zeros.offset()).uint(zeros.bytes());
      }
      out.array(frame.edits().marks().size());
      for (FrameEdits.Mark mark : frame.edits().marks()) {
        out.array(2).uint(mark.offset()).uint(Byte.toUnsignedInt(mark.value()));
      }
    }
    return out.toBytes();
  }

  public static PendingErasureRow decode(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("erasure row", 3);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("row version " + version + ", want " + VERSION);
    }
    long next = in.uint();
    int count = in.arrayAtMost("planned frames", FRAMES_MAX);
    List<ErasedFrame> planned = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      planned.add(frame(in));
    }
    in.end();
    return new PendingErasureRow(next, planned);
  }

  private static ErasedFrame frame(CborReader in) throws MalformedException {
    in.array("planned frame", 4);
    long frame = in.uint();
    FrameHeader header =
        FrameHeader.decode(ByteBuffer.wrap(in.bytes("frame header", FrameHeader.BYTES)));
    List<FrameEdits.Range> zeros = new ArrayList<>();
    List<FrameEdits.Mark> marks = new ArrayList<>();
    int ranges = in.arrayAtMost("ranges", FrameHeader.MAX_FRAME_BYTES);
    try {
      for (int i = 0; i < ranges; i++) {
        in.array("range", 2);
        zeros.add(new FrameEdits.Range(offset(in), offset(in)));
      }
      int marked = in.arrayAtMost("marks", FrameHeader.MAX_FRAME_BYTES);
      for (int i = 0; i < marked; i++) {
        in.array("mark", 2);
        marks.add(new FrameEdits.Mark(offset(in), (byte) in.uint("mark", 255)));
      }
      return new ErasedFrame(frame, header, new FrameEdits(zeros, marks));
    } catch (IllegalArgumentException e) {
      throw new MalformedException("planned frame: " + e.getMessage(), e);
    }
  }

  private static int offset(CborReader in) throws MalformedException {
    return (int) in.uint("offset", FrameHeader.MAX_FRAME_BYTES);
  }
}
