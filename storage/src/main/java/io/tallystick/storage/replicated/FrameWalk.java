package io.tallystick.storage.replicated;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameScan;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Walks the frames of one segment in order, as far as its log holds whole ones. Not thread-safe.
final class FrameWalk {
  private final PieceSource source;
  private final SegmentRecord segment;
  private final FrameScan scan = new FrameScan();

  private long entry;
  private long number;
  private long bytes;
  private long epoch;

  /// @param entry where it begins
  /// @param number of the frame that belongs there
  /// @param bytes of the segment's frames before it
  /// @param epoch of the frame before; -1 for none
  FrameWalk(
      PieceSource.Entries entries,
      SegmentRecord segment,
      long entry,
      long number,
      long bytes,
      long epoch) {
    this.source = new PieceSource(entries, segment);
    this.segment = segment;
    this.entry = entry;
    this.number = number;
    this.bytes = bytes;
    this.epoch = epoch;
  }

  /// Goes over the next frame.
  ///
  /// @param limit entries from this one on do not count
  /// @return null if the frame is not whole below the limit
  /// @throws MalformedException if what stands there is not the frame that belongs there
  @Nullable FrameHeader next(long limit) throws IOException, MalformedException {
    if (entry >= limit) {
      return null;
    }
    FrameHeader frame = scan.header(source.at(entry, limit), 0);
    FrameScan.checkFollows(frame, segment.frames(), number, epoch);
    long pieces = segment.places(frame.alignedBytes());
    if (pieces > limit - entry) {
      return null;
    }
    entry += pieces;
    number++;
    bytes += frame.alignedBytes();
    epoch = frame.epoch();
    return frame;
  }

  /// Checks infos and notes of the frame that was gone over last.
  ///
  /// @throws MalformedException if one is damaged
  void check(FrameHeader frame) throws IOException, MalformedException {
    source.at(entry - segment.places(frame.alignedBytes()), entry);
    scan.infos(source, frame, 0);
    scan.notes(source, frame, 0);
  }

  /// The entry behind the last frame.
  long entry() {
    return entry;
  }

  /// Number of the frame behind the last one.
  long number() {
    return number;
  }

  long bytes() {
    return bytes;
  }

  long epoch() {
    return epoch;
  }
}
