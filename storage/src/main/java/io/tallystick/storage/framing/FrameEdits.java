package io.tallystick.storage.framing;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The changes of an erasure in a frame: ranges that become zeros and single bytes that mark it.
/// All offsets count from the first byte of the frame, as `Location.offset` does. They lie behind
/// the header, which the eraser stamps itself.
///
/// @param zeros ranges in ascending order that do not touch each other
/// @param marks written after the zeros, in this order
public record FrameEdits(List<Range> zeros, List<Mark> marks) {
  /// @param bytes 1 or more
  public record Range(int offset, int bytes) {
    public Range {
      if (offset < FrameHeader.BYTES || bytes < 1 || offset > FrameHeader.MAX_FRAME_BYTES - bytes) {
        throw new IllegalArgumentException(
            String.format(Locale.ROOT, "%d bytes at %d are not inside a frame", bytes, offset));
      }
    }

    /// Beyond its last byte.
    public int end() {
      return offset + bytes;
    }
  }

  /// A byte and the value it gets.
  public record Mark(int offset, byte value) {
    public Mark {
      if (offset < FrameHeader.BYTES || offset >= FrameHeader.MAX_FRAME_BYTES) {
        throw new IllegalArgumentException("byte " + offset + " is not inside a frame");
      }
    }
  }

  public FrameEdits {
    zeros = List.copyOf(zeros);
    marks = List.copyOf(marks);
    if (zeros.isEmpty()) {
      throw new IllegalArgumentException("edits that erase nothing");
    }
    for (int i = 1; i < zeros.size(); i++) {
      if (zeros.get(i).offset() <= zeros.get(i - 1).end()) {
        throw new IllegalArgumentException(
            String.format(
                Locale.ROOT, "%s does not come after %s", zeros.get(i), zeros.get(i - 1)));
      }
    }
  }

  /// Zeros alone.
  public static FrameEdits zeros(List<Range> ranges) {
    return new FrameEdits(merged(ranges), List.of());
  }

  /// The same with other marks.
  public FrameEdits marked(List<Mark> others) {
    return new FrameEdits(zeros, others);
  }

  /// The same bytes in order, as few ranges as can be.
  private static List<Range> merged(List<Range> ranges) {
    List<Range> merged = new ArrayList<>();
    for (Range range :
        ranges.stream().sorted((a, b) -> Integer.compare(a.offset, b.offset)).toList()) {
      Range last = merged.isEmpty() ? null : merged.getLast();
      if (last == null || range.offset > last.end()) {
        merged.add(range);
      } else {
        int end = Math.max(last.end(), range.end());
        merged.set(merged.size() - 1, new Range(last.offset, end - last.offset));
      }
    }
    return merged;
  }

  /// @throws IllegalArgumentException if they reach beyond infos and payloads of a frame
  void checkWithin(FrameHeader frame) {
    if (end() > frame.notesOffset()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "edits up to byte %d of a frame whose payloads end at %d",
              end(),
              frame.notesOffset()));
    }
  }

  /// Beyond the last byte that is changed.
  private int end() {
    int end = zeros.getLast().end();
    for (Mark mark : marks) {
      end = Math.max(end, mark.offset() + 1);
    }
    return end;
  }
}
