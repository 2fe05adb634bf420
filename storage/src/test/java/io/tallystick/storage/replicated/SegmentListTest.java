package io.tallystick.storage.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.StreamPosition;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SegmentListTest {
  private static final int EMPTY = 50_000;

  private static ListedSegment segment(int number, long firstFrame) {
    SegmentRecord record =
        new SegmentRecord(
            number, 1, firstFrame, 0, 0, Quorum.FULL, false, false, 1_024, 0, null, 0);
    return new ListedSegment(number, record, 0);
  }

  /// Each takeover begins a segment, also one that fails behind that.
  @Test
  void aBoundaryIsFoundBehindAnyNumberOfEmptySegments() {
    List<ListedSegment> segments = new ArrayList<>(List.of(segment(0, 0)));
    for (int i = 1; i <= EMPTY; i++) {
      segments.add(segment(i, 7));
    }
    SegmentList list = new SegmentList();
    list.follow(segments, list.end());
    StreamPosition boundary = new StreamPosition(FrameLocations.of(0, 30), 7);
    assertThat(list.resolve(boundary))
        .isEqualTo(new StreamPosition(FrameLocations.of(EMPTY, 0), 7));
    StreamPosition within = new StreamPosition(FrameLocations.of(0, 12), 3);
    assertThat(list.resolve(within)).isEqualTo(within);
  }
}
