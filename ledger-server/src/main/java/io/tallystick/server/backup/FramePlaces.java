package io.tallystick.server.backup;

import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.SegmentHeader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Where frames lie in the segment files of a backup, 4 bytes a frame. One thread's.
final class FramePlaces {
  private static final int FRAMES_MIN = 1 << 10;

  private final List<Segment> segments = new ArrayList<>();

  /// Positions of frames in their files, in units of the alignment.
  private int[] positions = new int[FRAMES_MIN];

  private long firstFrame;
  private int frames;
  private long end = SegmentHeader.BYTES; // in the last segment

  private record Segment(int number, long firstFrame) {}

  /// Begins a file behind the ones before.
  void begin(int segment, long number) {
    if (segments.isEmpty()) {
      firstFrame = number;
    }
    segments.add(new Segment(segment, number));
    end = SegmentHeader.BYTES;
  }

  /// The next frame of the file.
  void add(int alignedBytes) {
    if (frames == positions.length) {
      positions = Arrays.copyOf(positions, 2 * frames);
    }
    positions[frames++] = (int) (end / FrameHeader.ALIGNMENT);
    end += alignedBytes;
  }

  /// Forgets a file and those behind it.
  void dropFrom(int segment) {
    while (!segments.isEmpty() && segments.getLast().number >= segment) {
      frames = (int) (segments.removeLast().firstFrame - firstFrame);
    }
  }

  /// Forgets the files before one.
  void dropBefore(int segment) {
    int gone = 0;
    while (gone < segments.size() && segments.get(gone).number < segment) {
      gone++;
    }
    if (gone == 0) {
      return;
    }
    long first = gone < segments.size() ? segments.get(gone).firstFrame : next();
    int count = (int) (first - firstFrame);
    System.arraycopy(positions, count, positions, 0, frames - count);
    frames -= count;
    firstFrame = first;
    segments.subList(0, gone).clear();
  }

  /// Number of the frame that comes next.
  long next() {
    return firstFrame + frames;
  }

  long first() {
    return firstFrame;
  }

  /// The location of a frame, or of the end.
  ///
  /// @param before where it lay; the segment has the same number
  long of(long number, long before) {
    if (number < firstFrame || segments.isEmpty()) {
      return FrameLocations.of(FrameLocations.segment(before), SegmentHeader.BYTES); // it is gone
    }
    if (number == next()) {
      return FrameLocations.of(segments.getLast().number, end);
    }
    long position =
        Integer.toUnsignedLong(positions[(int) (number - firstFrame)]) * FrameHeader.ALIGNMENT;
    return FrameLocations.of(segmentOf(number), position);
  }

  private int segmentOf(long number) {
    int low = 0;
    int high = segments.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (segments.get(middle).firstFrame <= number) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return segments.get(low).number;
  }
}
