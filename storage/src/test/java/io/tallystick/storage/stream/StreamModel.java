package io.tallystick.storage.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.disk.Disk;
import io.tallystick.testkit.contract.Frames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// What a stream may hold after each step, across any number of crashes: all that was acknowledged
/// or seen by a recovery, then perhaps the one frame that was in flight, and nothing else.
final class StreamModel {
  private static final int PAYLOAD_BYTES_MAX = 1500;

  private final List<Frames.Frame> durable = new ArrayList<>();
  private Frames.@Nullable Frame inFlight;
  private StreamPosition savepoint = StreamStore.START;
  private long epoch;
  private int made;

  StreamModel() {}

  List<Frames.Frame> durable() {
    return durable;
  }

  /// Opens the stream and checks what is there against what may be.
  StreamWriter recover(StreamStore store, SplittableRandom random)
      throws IOException, CorruptStreamException {
    boolean fromSavepoint = random.nextBoolean();
    StreamWriter writer =
        store.openWriter(Frames.SHARD, ++epoch, fromSavepoint ? savepoint : StreamStore.START);
    List<Frames.Frame> found = Frames.read(store, StreamStore.START);
    if (found.size() > durable.size() && inFlight != null) {
      durable.add(inFlight);
    }
    inFlight = null;
    assertThat(found).isEqualTo(durable);
    return writer;
  }

  /// Recovers, then writes frames (and now and then closes a segment).
  void run(Disk disk, int frames, SplittableRandom random)
      throws IOException, CorruptStreamException {
    try (StreamStore store = Frames.store(disk)) {
      StreamWriter writer = recover(store, random);
      for (int i = 0; i < frames; i++) {
        append(writer, random.nextInt(PAYLOAD_BYTES_MAX));
        maybeSave(writer, random);
        if (random.nextInt(8) == 0) {
          writer.roll();
        }
      }
    }
  }

  void append(StreamWriter writer, int payloadBytes) throws IOException {
    String infos = String.format(Locale.ROOT, "frame %d of epoch %d", made++, writer.epoch());
    String payloads =
        String.format(Locale.ROOT, "p%d.", made).repeat(payloadBytes).substring(0, payloadBytes);
    PendingFrame pending = writer.append(Frames.frame(infos, payloads));
    Frames.Frame frame =
        new Frames.Frame(
            pending.position(), writer.epoch(), infos, payloads, Frames.notesOf(infos));
    inFlight = frame;
    pending.awaitDurable();
    durable.add(frame);
    inFlight = null;
  }

  /// A failed append of which the writer said that nothing was kept.
  void forgetInFlight() {
    inFlight = null;
  }

  private void maybeSave(StreamWriter writer, SplittableRandom random) {
    if (random.nextInt(4) == 0) {
      savepoint = writer.end();
      assertThat(savepoint.number()).isEqualTo(durable.size());
    }
  }
}
