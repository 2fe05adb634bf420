package io.tallystick.storage.replicated;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.SegmentHeader;
import io.tallystick.storage.stream.StreamStore;
import org.jspecify.annotations.Nullable;

/// What is listed of a segment. Source: `docs/formats/replicated.md`.
///
/// @param log that holds it
/// @param epoch of the writer that listed it
/// @param firstFrame number of its first frame
/// @param bytesBefore bytes of frames in all earlier segments of the stream
/// @param generation 0, and one more each time that its log is replaced
/// @param thin whether an entry may have fewer copies than it should
/// @param isFile whether its log is a segment file, cut into entries without regard to frames; the
///   place of a frame is then its byte in the file, else the number of its first entry
/// @param pieceBytes of each entry but a frame's, or the file's, last
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
    boolean isFile,
    int pieceBytes,
    long frames,
    @Nullable End end,
    long nonce) {
  private static final int FORMAT = 1;
  private static final int FORMAT_OF_FILE = 2;
  private static final int FIELDS = 12;
  private static final int MEMBERS_MAX = 100;

  /// Where a closed segment ends.
  ///
  /// @param entries that whole frames have; what else its log holds is a torn tail. Of a file: the
  ///   place behind its last frame
  /// @param bytes of these frames
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
        isFile,
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
        isFile,
        pieceBytes,
        frames,
        end,
        newNonce);
  }

  Bytes encode() {
    CborWriter writer = new CborWriter().array(FIELDS);
    writer.uint(isFile ? FORMAT_OF_FILE : FORMAT).uint(log).uint(epoch);
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
    boolean isFile =
        ValueFields.begin(reader, "segment", FIELDS, FORMAT, FORMAT_OF_FILE) == FORMAT_OF_FILE;
    SegmentRecord record =
        new SegmentRecord(
            reader.uint(),
            reader.uint(),
            reader.uint(),
            reader.uint(),
            (int) reader.uint("generation", Integer.MAX_VALUE),
            quorum(reader),
            reader.bool(),
            isFile,
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

  /// How far it is from the place of a frame of so many bytes to that of the next.
  long places(int alignedBytes) {
    return isFile ? alignedBytes : Math.ceilDiv(alignedBytes, pieceBytes);
  }

  /// The place of its first frame.
  long firstPlace() {
    return isFile ? SegmentHeader.BYTES : 0;
  }

  /// The place of a frame, also if {@link StreamStore#START} says where it is.
  long placeOf(long frame) {
    return Math.max(FrameLocations.place(frame), firstPlace());
  }

  /// The entry that has a byte of a frame.
  ///
  /// @param place of the frame
  long entryOf(long place, long offset) {
    return isFile ? (place + offset) / pieceBytes : place + offset / pieceBytes;
  }

  /// Where in its entry a byte of a frame is.
  int offsetInEntry(long place, long offset) {
    return (int) ((isFile ? place + offset : offset) % pieceBytes);
  }

  /// The number of entries that have all that lies below a place.
  long entriesBelow(long place) {
    return isFile ? Math.ceilDiv(place, pieceBytes) : place;
  }
}
