package io.tallystick.storage.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.testkit.contract.Frames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/// The one history of a stream: all that anybody was ever shown of it must fit together.
final class StreamHistory {
  private final List<Frames.Frame> frames = new ArrayList<>();
  private final Map<Long, Frames.Frame> acknowledged = new HashMap<>();
  private final Set<Long> erased = new HashSet<>();
  private int savepoint;

  StreamHistory() {}

  int size() {
    return frames.size();
  }

  int acknowledgedCount() {
    return acknowledged.size();
  }

  Frames.Frame frame(long number) {
    return frames.get((int) number);
  }

  /// The boundary from which takers read, and below which segments may be dropped.
  StreamPosition savepoint() {
    return savepoint < frames.size() ? frames.get(savepoint).position() : StreamStore.START;
  }

  /// Goes on with the savepoint at times. Nobody may be taking over.
  void savepoint(SplittableRandom random) {
    if (savepoint + 1 < frames.size() && random.nextInt(20) == 0) {
      savepoint += random.nextInt(frames.size() - savepoint);
    }
  }

  void mayBeErased(long number) {
    erased.add(number);
  }

  /// A frame that a writer was told is durable.
  void acknowledged(Frames.Frame frame) {
    long number = frame.position().number();
    Frames.Frame before = acknowledged.put(number, frame);
    assertThat(before).as("frame %d was acknowledged before", number).isNull();
    if (number < frames.size()) {
      requireSame(frames.get((int) number), frame);
    }
  }

  /// All that a reader is shown.
  void sees(StreamReader reader) throws IOException, CorruptStreamException {
    List<Frames.Frame> shown = shown(reader);
    for (Frames.Frame each : shown) {
      int number = (int) each.position().number();
      if (number < frames.size()) {
        requireSame(frames.get(number), each);
      } else {
        assertThat(number).isEqualTo(frames.size());
        frames.add(each);
        Frames.Frame told = acknowledged.get((long) number);
        if (told != null) {
          requireSame(told, each);
        }
      }
    }
  }

  /// Nothing if segments were dropped under the reader: it must look again.
  private static List<Frames.Frame> shown(StreamReader reader)
      throws IOException, CorruptStreamException {
    List<StreamReader.Segment> segments = reader.segments();
    if (segments.isEmpty()) {
      return List.of();
    }
    StreamReader.Segment first = segments.getFirst();
    try {
      return Frames.read(
          reader, new StreamPosition(FrameLocations.of(first.number(), 0), first.firstFrame()));
    } catch (CorruptStreamException e) {
      if (String.valueOf(e.getMessage()).contains("there is no such segment")) {
        return List.of();
      }
      throw e;
    }
  }

  private void requireSame(Frames.Frame known, Frames.Frame shown) {
    long number = known.position().number();
    assertThat(shown.position()).isEqualTo(known.position());
    assertThat(shown.infos()).as("frame %d", number).isEqualTo(known.infos());
    assertThat(shown.epoch()).isEqualTo(known.epoch());
    assertThat(shown.notes()).isEqualTo(known.notes());
    if (!erased.contains(number)) {
      assertThat(shown.payloads()).as("frame %d", number).isEqualTo(known.payloads());
    }
  }

  void requireAllAcknowledged() {
    for (Frames.Frame each : acknowledged.values()) {
      assertThat(each.position().number()).as("lost: %s", each).isLessThan(frames.size());
      requireSame(frames.get((int) each.position().number()), each);
    }
    assertThat(frames.stream().map(Frames.Frame::infos)).doesNotHaveDuplicates();
  }
}
