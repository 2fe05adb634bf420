package io.tallystick.storage.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fuzz.Edits;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Goal: no bytes of a stream's files make recovery or a reader do anything but read back what was
/// written or refuse. Method: Jazzer; `docs/testing.md`. Checksums are made right before a header
/// is decoded, or nothing behind them would ever be reached.
class StreamFuzzTest extends FuzzContract {
  private static final StreamId SHARD = new StreamId(3);
  private static final int SEGMENT = 2;
  private static final int FRAME_CRC_AT = 60;
  private static final int FRAME_1_CRC_AT = 48;
  private static final int SEGMENT_CRC_AT = 44;
  private static final int EPOCH_CRC_AT = 24;
  private static final int FRAMES = 5;
  private static final String DIRECTORY = "stream";
  private static final StreamSettings SMALL = new StreamSettings(1024, 256, 512);

  private static final List<String> NAMES = new ArrayList<>();
  private static final Edits STREAM = new Edits(List.of(written()));

  /// The files of a stream of two segments.
  private static List<Bytes> written() {
    InMemoryDisk disk = new InMemoryDisk();
    try (LocalStreamStore store = store(disk)) {
      StreamWriter writer = store.openWriter(SHARD, 1, StreamStore.START);
      for (int i = 0; i < FRAMES; i++) {
        FrameBuffer frame = new FrameBuffer();
        frame.infos().put(infos(i).getBytes(UTF_8));
        frame.payloads().put("payload ".repeat(16 + i).getBytes(UTF_8));
        writer.append(frame).awaitDurable();
      }
      List<Bytes> files = new ArrayList<>();
      for (String name : disk.names()) {
        if (!name.endsWith("spare.seg")) {
          NAMES.add(name);
          files.add(Bytes.wrap(disk.content(name)));
        }
      }
      return files;
    } catch (IOException | CorruptStreamException e) {
      throw new AssertionError(e);
    }
  }

  private static String infos(int frame) {
    return "infos of " + frame;
  }

  private static LocalStreamStore store(InMemoryDisk disk) {
    return LocalStreamStore.openDeterministic(disk, DIRECTORY, SMALL, new SplittableRandom(5));
  }

  @Override
  protected long allocatedBytesMax() {
    return 4L << 20; // a whole store is opened and read
  }

  @FuzzTest
  void frameHeader(byte[] input) {
    decoder(
        sealed(input, FrameHeader.BYTES, isFormat1(input) ? FRAME_1_CRC_AT : FRAME_CRC_AT),
        bytes -> Bytes.wrap(FrameHeader.decode(buffer(bytes)).encode().array()));
  }

  private static boolean isFormat1(byte[] input) {
    return input.length > 5 && input[4] == 0 && input[5] == 1;
  }

  @FuzzTest
  void segmentHeader(byte[] input) {
    decoder(
        sealed(input, SegmentHeader.BYTES, SEGMENT_CRC_AT),
        bytes ->
            Bytes.wrap(
                SegmentHeader.decode(buffer(bytes), SHARD.shard(), SEGMENT).encode().array()));
  }

  @FuzzTest
  void epochFile(byte[] input) {
    decoder(
        sealed(input, input.length, EPOCH_CRC_AT),
        bytes -> {
          InMemoryDisk disk = new InMemoryDisk();
          StreamFiles files = new StreamFiles(disk, DIRECTORY, SHARD);
          disk.open(files.epoch()).close();
          disk.overwrite(files.epoch(), 0, bytes.toArray());
          return Bytes.wrap(EpochFile.encode(SHARD.shard(), new EpochFile(files).read()).array());
        },
        CorruptStreamException.class);
  }

  /// What is read back is the first of what was written, however many: a torn tail is cut.
  @FuzzTest
  void stream(byte[] program) {
    attempt(() -> check(read(STREAM.apply(program))), CorruptStreamException.class);
  }

  private static void check(List<String> found) throws MalformedException {
    for (int i = 0; i < found.size(); i++) {
      if (!found.get(i).equals(infos(i))) {
        throw new AssertionError("frame " + i + " is " + found.get(i));
      }
    }
    if (found.size() > FRAMES) {
      throw new AssertionError(found.size() + " frames");
    }
  }

  private static List<String> read(List<Bytes> files) throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    for (int i = 0; i < files.size(); i++) {
      disk.open(NAMES.get(i)).close();
      disk.overwrite(NAMES.get(i), 0, stamped(files.get(i)));
    }
    List<String> found = new ArrayList<>();
    try (LocalStreamStore store = store(disk)) {
      store.openWriter(SHARD, 2, StreamStore.START);
      try (StreamReader reader = store.openReader(SHARD);
          FrameCursor cursor = reader.tail(StreamStore.START)) {
        while (cursor.next()) {
          found.add(UTF_8.decode(cursor.infos()).toString());
        }
      }
    }
    return found;
  }

  /// With the checksum of every frame header made right, except where a header has been moved.
  private static byte[] stamped(Bytes file) {
    ByteBuffer bytes = ByteBuffer.wrap(file.toArray());
    for (int at = 0; at + FrameHeader.BYTES <= bytes.capacity(); at += FrameHeader.ALIGNMENT) {
      if (bytes.getInt(at) == FrameHeader.MAGIC) {
        bytes.putInt(at + FRAME_CRC_AT, FrameHeader.crc(bytes, at, FRAME_CRC_AT));
      }
    }
    return bytes.array();
  }

  /// The first `size` bytes with the right checksum at `crcAt`; as they are if there are fewer.
  private static byte[] sealed(byte[] input, int size, int crcAt) {
    if (input.length < size || input.length < crcAt + Integer.BYTES) {
      return input;
    }
    ByteBuffer bytes = ByteBuffer.allocate(size).put(input, 0, size);
    bytes.putInt(crcAt, FrameHeader.crc(bytes, 0, crcAt));
    return bytes.array();
  }

  private static ByteBuffer buffer(Bytes bytes) {
    return ByteBuffer.wrap(bytes.toArray());
  }
}
