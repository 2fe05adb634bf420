package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.stream.SegmentSink;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// Keeps a segment that a reader hands over, or several, one behind the other.
final class CopiedSegment implements SegmentSink {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final List<Long> numbers = new ArrayList<>();
  private final List<Long> damaged = new ArrayList<>();
  private final List<Integer> begins = new ArrayList<>();
  private int begun;

  CopiedSegment() {}

  byte[] bytes() {
    return bytes.toByteArray();
  }

  /// Numbers of its frames.
  List<Long> numbers() {
    return numbers;
  }

  /// Numbers of the frames whose payload section is damaged.
  List<Long> damaged() {
    return damaged;
  }

  /// The bytes from the first of a frame on.
  ///
  /// @param index of the frame in the segment
  ByteBuffer frame(int index) {
    return ByteBuffer.wrap(bytes()).position(begins.get(index)).slice();
  }

  @Override
  public void header(ByteBuffer header) {
    begun = bytes.size();
    keep(header);
  }

  @Override
  public void frame(long number, ByteBuffer frame, int infoBytes) {
    numbers.add(number);
    begins.add(bytes.size());
    keep(frame);
  }

  @Override
  public void damaged(long number, long position) {
    assertThat(position).isEqualTo(bytes.size() - begun);
    damaged.add(number);
  }

  private void keep(ByteBuffer from) {
    byte[] copy = new byte[from.remaining()];
    from.get(copy);
    bytes.writeBytes(copy);
  }
}
