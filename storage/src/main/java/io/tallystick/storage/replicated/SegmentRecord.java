package io.tallystick.storage.replicated;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameHeader;
import org.jspecify.annotations.Nullable;

/// What is listed of a segment. Source: `docs/formats/replicated.md`.
///
/// @param log that holds it
/// @param epoch of the writer that listed it
/// @param firstFrame number of its first frame
/// @param bytesBefore bytes of frames in all earlier segments of the stream
/// @param generation 0, and one more each time that its log is replaced
/// @param thin whether an entry may have fewer copies than it should
/// @param pieceBytes frames are cut into entries of so many bytes
/// @param frames nonce that its frames repeat
/// @param end null while it is written
/// @param nonce drawn at random each time that this is written
record SegmentRecord(
    long log,
    long epoch,
    long firstFrame,
    long bytesBefore,
    int generation,
    Quorum quorum,
    boolean thin,
    int pieceBytes,
    long frames,
    @Nullable End end,
    long nonce) {
  private static final int FORMAT = 1;
  private static final int FIELDS = 12;
  private static final int MEMBERS_MAX = 100;

  /// Where a closed segment ends.
  ///
  /// @param entries that whole frames have; what else its log holds is a torn tail
  /// @param bytes of these entries
  /// @param nextFrame number of the frame behind its last one
  record End(long entries, long bytes, long nextFrame) {}

  SegmentRecord closed(End at, boolean isThin, long newNonce) {
    return new SegmentRecord(
        log,
        epoch,
        firstFrame,
        bytesBefore,
        generation,
        quorum,
        thin || isThin,
        pieceBytes,
        frames,
        at,
        newNonce);
  }

  /// The same segment in another log.
  SegmentRecord replaced(long newLog, Quorum newQuorum, boolean isThin, long newNonce) {
    return new SegmentRecord(
        newLog,
        epoch,
        firstFrame,
        bytesBefore,
        Math.addExact(generation, 1),
        newQuorum,
        isThin,
        pieceBytes,
        frames,
        end,
        newNonce);
  }

  Bytes encode() {
    CborWriter writer = new CborWriter().array(FIELDS).uint(FORMAT).uint(log).uint(epoch);
    writer.uint(firstFrame).uint(bytesBefore).uint(generation);
    writer.array(3).uint(quorum.ensemble()).uint(quorum.write()).uint(quorum.ack());
    writer.bool(thin).uint(pieceBytes);
    ValueFields.write(writer, frames);
    if (end == null) {
      writer.nil();
    } else {
      writer.array(3).uint(end.entries).uint(end.bytes).uint(end.nextFrame);
    }
    return ValueFields.write(writer, nonce).toBytes();
  }

  static SegmentRecord decode(Bytes value) throws MalformedException {
    CborReader reader = new CborReader(value);
    ValueFields.begin(reader, "segment", FIELDS, FORMAT);
    SegmentRecord record =
        new SegmentRecord(
            reader.uint(),
            reader.uint(),
            reader.uint(),
            reader.uint(),
            (int) reader.uint("generation", Integer.MAX_VALUE),
            quorum(reader),
            reader.bool(),
            (int) reader.uint("pieceBytes", ReplicatedSettings.PIECE_BYTES_MAX),
            ValueFields.read(reader),
            end(reader),
            ValueFields.read(reader));
    reader.end();
    if (record.pieceBytes < FrameHeader.BYTES) {
      throw new MalformedException("pieces of " + record.pieceBytes + " bytes");
    }
    return record;
  }

  private static Quorum quorum(CborReader reader) throws MalformedException {
    reader.array("quorum", 3);
    int ensemble = (int) reader.uint("ensemble", MEMBERS_MAX);
    int write = (int) reader.uint("write", MEMBERS_MAX);
    int ack = (int) reader.uint("ack", MEMBERS_MAX);
    try {
      return new Quorum(ensemble, write, ack);
    } catch (IllegalArgumentException e) {
      throw new MalformedException(String.valueOf(e.getMessage()), e);
    }
  }

  private static @Nullable End end(CborReader reader) throws MalformedException {
    if (reader.nil()) {
      return null;
    }
    reader.array("end", 3);
    return new End(reader.uint(), reader.uint(), reader.uint());
  }

  /// Entries that a frame of so many bytes has.
  long pieces(int alignedBytes) {
    return Math.ceilDiv(alignedBytes, pieceBytes);
  }
}
