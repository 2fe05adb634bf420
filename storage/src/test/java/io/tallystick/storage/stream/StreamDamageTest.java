package io.tallystick.storage.stream;

import static io.tallystick.testkit.contract.Frames.SHARD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.contract.Frames;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: damage is told from a torn tail. Method: a stream of two segments, written in full, is
/// damaged at rest and opened again.
class StreamDamageTest {
  private static final int LAST = 6;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final InMemoryDisk disk = new InMemoryDisk();
  private List<Frames.Frame> good = List.of();

  @BeforeEach
  void writeStream() throws Exception {
    good = write(disk, SHARD, new SplittableRandom(7));
  }

  private static List<Frames.Frame> write(
      InMemoryDisk disk, StreamId shard, SplittableRandom nonces) throws Exception {
    try (StreamStore store =
        LocalStreamStore.openDeterministic(disk, Frames.DIRECTORY, Frames.SMALL, nonces)) {
      StreamWriter writer = store.openWriter(shard, 1, StreamStore.START);
      for (int i = 0; i <= LAST; i++) {
        writer.append(Frames.frame("infos of " + i, "payload ".repeat(40 + i))).awaitDurable();
      }
      return shard.equals(SHARD) ? Frames.read(store, StreamStore.START) : List.of();
    }
  }

  /// One flipped bit in each byte: refused; or, in the last frame only, cut like a torn tail; or
  /// confined to one payload; or without any effect.
  @Seeded(runs = 2)
  void noticesEveryFlippedBit(SplittableRandom random) throws Exception {
    Set<Outcome> outcomes = EnumSet.noneOf(Outcome.class);
    for (String name : disk.names()) {
      if (name.endsWith("spare.seg")) {
        continue;
      }
      for (int at = 0; at < disk.content(name).length; at++) {
        InMemoryDisk damaged = disk.copy();
        damaged.flipBit(name, at, random.nextInt(8));
        Outcome outcome = open(damaged);
        assertThat(expected(name, at)).as("%s at %d", name, at).contains(outcome);
        outcomes.add(outcome);
      }
    }
    assertThat(outcomes).as("each kind occurs").containsExactlyInAnyOrder(Outcome.values());
  }

  private enum Outcome {
    REFUSED,
    LAST_FRAME_CUT,
    ONE_PAYLOAD_CHANGED,
    NO_EFFECT
  }

  private Outcome open(InMemoryDisk damaged) throws Exception {
    try (StreamStore store = Frames.store(damaged)) {
      store.openWriter(SHARD, 2, StreamStore.START);
      List<Frames.Frame> found = Frames.read(store, StreamStore.START);
      if (found.equals(good)) {
        return Outcome.NO_EFFECT;
      }
      if (found.equals(good.subList(0, LAST))) {
        return Outcome.LAST_FRAME_CUT;
      }
      assertThat(found).extracting(Frames.Frame::infos).isEqualTo(infosOf(good));
      assertThat(found).filteredOn(frame -> !good.contains(frame)).hasSize(1);
      return Outcome.ONE_PAYLOAD_CHANGED;
    } catch (CorruptStreamException e) {
      assertThat(e.file()).startsWith(Frames.DIRECTORY);
      return Outcome.REFUSED;
    }
  }

  private List<Outcome> expected(String name, int at) {
    if (name.endsWith("EPOCH") || at < 64) {
      return List.of(Outcome.REFUSED);
    }
    int frame = frameAt(name, at);
    if (frame < 0) {
      return List.of(Outcome.NO_EFFECT);
    }
    int offset = at - positionOf(good.get(frame));
    int infosEnd = FrameHeader.BYTES + good.get(frame).infos().length();
    if (offset < infosEnd) {
      return List.of(frame == LAST ? Outcome.LAST_FRAME_CUT : Outcome.REFUSED);
    }
    if (offset < infosEnd + good.get(frame).payloads().length()) {
      return List.of(frame == LAST ? Outcome.LAST_FRAME_CUT : Outcome.ONE_PAYLOAD_CHANGED);
    }
    if (offset < bytesOf(good.get(frame))) { // notes
      return List.of(frame == LAST ? Outcome.LAST_FRAME_CUT : Outcome.REFUSED);
    }
    return List.of(Outcome.NO_EFFECT); // padding
  }

  private static int bytesOf(Frames.Frame frame) {
    return FrameHeader.BYTES
        + frame.infos().length()
        + frame.payloads().length()
        + frame.notes().length();
  }

  /// The frame in whose aligned bytes the position lies; -1 behind the last one.
  private int frameAt(String name, int at) {
    for (int i = 0; i <= LAST; i++) {
      Frames.Frame frame = good.get(i);
      int start = positionOf(frame);
      int bytes = bytesOf(frame);
      if (fileOf(frame).equals(name) && at >= start && at < start + (bytes + 63) / 64 * 64) {
        return i;
      }
    }
    return -1;
  }

  @Test
  void refusesAFrameOverwrittenByAnotherOfTheSameSegment() throws Exception {
    for (int from = 0; from < 3; from++) {
      for (int onto = 0; onto < 3; onto++) {
        if (from != onto) {
          InMemoryDisk damaged = disk.copy();
          copyFrame(damaged, disk, good.get(from), good.get(onto));
          assertRefused(damaged, String.format(Locale.ROOT, "holds frame %d, want %d", from, onto));
        }
      }
    }
  }

  @Test
  void refusesTheLastFrameOverwrittenByAnEarlierOne() throws Exception {
    copyFrame(disk, disk, good.get(LAST - 1), good.get(LAST));
    assertRefused(disk, "holds frame 5, want 6");
  }

  @Test
  void refusesAFrameOfAnotherShardEvenWithTheRightNumber() throws Exception {
    InMemoryDisk other = new InMemoryDisk();
    write(other, new StreamId(4), new SplittableRandom(8));
    Frames.Frame last = good.getLast();
    byte[] segment = other.content(fileOf(last).replace("00000003/", "00000004/"));
    int start = positionOf(last);
    disk.overwrite(fileOf(last), start, Arrays.copyOfRange(segment, start, start + 512));
    assertRefused(disk, "holds a frame of another segment");
  }

  @Test
  void refusesASegmentThatIsMissingOrMisplaced() throws Exception {
    InMemoryDisk withoutFirst = disk.copy();
    withoutFirst.delete(fileOf(good.getFirst()));
    assertRefused(withoutFirst, "missing");
    InMemoryDisk withoutAny = disk.copy();
    withoutAny.delete(fileOf(good.getFirst()));
    withoutAny.delete(fileOf(good.getLast()));
    assertRefused(withoutAny, "missing");
    InMemoryDisk renamed = disk.copy();
    renamed.rename(fileOf(good.getLast()), fileOf(good.getLast()).replace("1.seg", "2.seg"));
    assertRefused(renamed, "want shard 3 segment 2");
  }

  /// The next segment's header tells how long one was, the savepoint how long the last one was.
  @Test
  void refusesASegmentThatWasCutOff() throws Exception {
    InMemoryDisk closed = disk.copy();
    closed.open(fileOf(good.getFirst())).truncate(100);
    try (StreamStore store = Frames.store(closed)) {
      StreamPosition last = good.getLast().position();
      assertThatThrownBy(() -> store.openWriter(SHARD, 2, last))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("cut off");
    }
    InMemoryDisk open = disk.copy();
    StreamPosition savepoint = good.getLast().position();
    long position = positionOf(good.getLast());
    open.open(fileOf(good.getLast())).truncate(position - 1);
    try (StreamStore store = Frames.store(open)) {
      assertThatThrownBy(() -> store.openWriter(SHARD, 2, savepoint))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("cut off: " + position);
    }
  }

  @Test
  void refusesASavepointThatLiesBetweenFrames() {
    long frame = good.get(1).position().frame();
    for (long off : new long[] {frame + 64, frame + 1, 9L << 32 | 64}) {
      try (StreamStore store = Frames.store(disk)) {
        assertThatThrownBy(() -> store.openWriter(SHARD, 2, new StreamPosition(off, 1)))
            .as("position %x", off)
            .isInstanceOf(CorruptStreamException.class);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  /// A client's payload may be a copy of the stream's own bytes, or imitate a later frame: neither
  /// must keep the service from starting after a crash.
  @Test
  void cutsATornFrameWhoseBodyLooksLikeFrames() throws Exception {
    InMemoryDisk copy = disk.copy();
    byte[] forged = bytes(FrameHeader.stamp(0, 1, 99, NOTHING, NOTHING, NOTHING));
    byte[] segment = disk.content(fileOf(good.getLast()));
    int start = positionOf(good.getLast());
    FrameBuffer frame = new FrameBuffer();
    frame.infos().put(new byte[64]); // keeps the payload aligned
    frame.payloads().put(segment, start, 64).put(forged);
    try (StreamStore store = Frames.store(copy)) {
      store.openWriter(SHARD, 2, StreamStore.START).append(frame).awaitDurable();
      assertThat(Frames.read(store, StreamStore.START)).hasSize(LAST + 2);
    }
    int torn = start + (bytesOf(good.getLast()) + 63) / 64 * 64;
    copy.flipBit(fileOf(good.getLast()), torn + 70, 0);
    try (StreamStore store = Frames.store(copy)) {
      TornTail cut = store.openWriter(SHARD, 3, StreamStore.START).cut().orElseThrow();
      assertThat(cut)
          .returns(fileOf(good.getLast()), TornTail::file)
          .returns((long) torn, TornTail::offset)
          .returns(LAST + 1L, TornTail::frame);
      assertThat(cut.bytes()).isGreaterThan(128);
      assertThat(Frames.read(store, StreamStore.START)).isEqualTo(good);
    }
    try (StreamStore store = Frames.store(copy)) {
      assertThat(store.openWriter(SHARD, 4, StreamStore.START).cut()).isEmpty();
    }
    assertThat(copy.content(fileOf(good.getLast())))
        .as("nothing of it is left")
        .startsWith(Arrays.copyOf(segment, torn))
        .endsWith(new byte[copy.content(fileOf(good.getLast())).length - torn]);
  }

  /// Frames of newer software are acknowledged: cutting them would lose them.
  @Test
  void refusesFramesOfAFormatThatItDoesNotKnow() throws Exception {
    for (int from = 0; from <= LAST; from++) {
      InMemoryDisk newer = disk.copy();
      for (Frames.Frame frame : good.subList(from, good.size())) {
        byte[] segment = newer.content(fileOf(frame));
        int start = positionOf(frame);
        ByteBuffer header = ByteBuffer.wrap(segment, start, FrameHeader.BYTES).slice();
        header.putShort(4, (short) 3).putInt(60, FrameHeader.crc(header, 0, 60));
        newer.overwrite(fileOf(frame), start, bytes(header));
      }
      assertRefused(newer, "frame format 3 is unknown; this software reads up to 2");
      InMemoryDisk behind = newer.copy();
      Frames.Frame first = good.get(from);
      behind.flipBit(fileOf(first), positionOf(first) + 8, 0);
      if (from < LAST) {
        boolean inLast = fileOf(first).equals(fileOf(good.getLast()));
        assertRefused(
            behind,
            inLast
                ? "frame " + from + " is bad, but frame " + (from + 1) + " stands at"
                : "frame header checksum is wrong");
      }
    }
  }

  @Test
  void goesOnBehindFramesOfFormat1() throws Exception {
    InMemoryDisk old = new InMemoryDisk();
    try (StreamStore store = Frames.store(old)) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      for (int i = 0; i < 9; i++) {
        FrameBuffer frame = new FrameBuffer();
        frame.infos().put(new byte[] {(byte) i});
        frame.payloads().put(new byte[300]);
        writer.append(frame).awaitDurable();
      }
      for (Frames.Frame frame : Frames.read(store, StreamStore.START)) {
        byte[] segment = old.content(fileOf(frame));
        int start = positionOf(frame);
        FrameHeader now = FrameHeader.decode(ByteBuffer.wrap(segment, start, 64));
        FrameHeader then =
            new FrameHeader(1, now.nonce(), 1, now.number(), 1, 300, 0, 0, 0, 0)
                .withSections(
                    ByteBuffer.wrap(segment, start + 64, 1),
                    ByteBuffer.wrap(segment, start + 65, 300));
        old.overwrite(fileOf(frame), start, bytes(then));
      }
    }
    try (StreamStore store = Frames.store(old)) {
      StreamWriter writer = store.openWriter(SHARD, 2, StreamStore.START);
      assertThat(writer.cut()).isEmpty();
      writer.append(Frames.frame("new", "")).awaitDurable();
    }
    try (StreamStore store = Frames.store(old)) {
      store.openWriter(SHARD, 3, StreamStore.START);
      assertThat(Frames.infos(store)).hasSize(10).last().isEqualTo("new");
    }
  }

  @Test
  void reportsDamageThatAppearsWhileReading() throws Exception {
    try (StreamStore store = Frames.store(disk)) {
      store.openWriter(SHARD, 2, StreamStore.START);
      disk.flipBit(fileOf(good.get(2)), positionOf(good.get(2)) + 66, 3);
      assertThatThrownBy(() -> Frames.read(store, StreamStore.START))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("info section checksum of frame 2")
          .hasMessageContaining(fileOf(good.get(2)));
    }
  }

  /// What `tally demo` does to a store: the checksum no longer tells, only the hashes above do.
  @Test
  void acceptsAPayloadWhoseChecksumWasRepaired() throws Exception {
    Frames.Frame target = good.get(1);
    byte[] segment = disk.content(fileOf(target));
    int start = positionOf(target);
    FrameHeader header = FrameHeader.decode(ByteBuffer.wrap(segment, start, 64));
    segment[start + header.payloadOffset()] ^= 1;
    ByteBuffer payloads =
        ByteBuffer.wrap(segment, start + header.payloadOffset(), header.payloadBytes());
    FrameHeader repaired = header.withPayloads(payloads);
    disk.overwrite(fileOf(target), start, bytes(repaired));
    disk.flipBit(fileOf(target), start + header.payloadOffset(), 0);
    repaired.checkPayloads(payloads);
    assertThat(open(disk)).isEqualTo(Outcome.ONE_PAYLOAD_CHANGED);
  }

  private void assertRefused(InMemoryDisk damaged, String message) throws IOException {
    try (StreamStore store = Frames.store(damaged)) {
      assertThatThrownBy(() -> store.openWriter(SHARD, 2, StreamStore.START))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining(message);
    }
  }

  private static void copyFrame(
      InMemoryDisk damaged, InMemoryDisk source, Frames.Frame from, Frames.Frame onto)
      throws IOException {
    byte[] segment = source.content(fileOf(from));
    int start = positionOf(from);
    damaged.overwrite(
        fileOf(onto), positionOf(onto), Arrays.copyOfRange(segment, start, start + 448));
  }

  private static byte[] bytes(FrameHeader header) {
    return bytes(header.encode());
  }

  private static byte[] bytes(ByteBuffer header) {
    byte[] bytes = new byte[FrameHeader.BYTES];
    header.get(0, bytes);
    return bytes;
  }

  private static List<String> infosOf(List<Frames.Frame> frames) {
    return frames.stream().map(Frames.Frame::infos).toList();
  }

  private static String fileOf(Frames.Frame frame) {
    return LocalStreamStore.fileOf(Frames.DIRECTORY, SHARD, frame.position().frame());
  }

  private static int positionOf(Frames.Frame frame) {
    return (int) LocalStreamStore.positionOf(frame.position().frame());
  }
}
