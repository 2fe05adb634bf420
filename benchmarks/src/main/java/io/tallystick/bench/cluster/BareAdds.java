package io.tallystick.bench.cluster;

import io.tallystick.cluster.book.BookKeeperLogs;
import io.tallystick.cluster.book.BookKeeperSettings;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.replicated.EntryReader;
import io.tallystick.storage.replicated.LogWriter;
import io.tallystick.storage.replicated.NoSuchLogException;
import io.tallystick.storage.replicated.PendingAdd;
import io.tallystick.storage.replicated.Quorum;
import io.tallystick.storage.replicated.ReplicatedLogs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// What bookies do at best: frames that a shard's owner has written to them are added once more, to
/// a log of their own, one in flight, by the same client with the same settings.
final class BareAdds implements AutoCloseable {
  private static final int ENTRIES_MAX = 512;
  private static final int FRAMES_MIN = 16;

  private final BookKeeperLogs logs;

  private BareAdds(BookKeeperLogs logs) {
    this.logs = logs;
  }

  static BareAdds connect(String zooKeeper) throws IOException {
    return new BareAdds(
        BookKeeperLogs.connect(
            BookKeeperSettings.of("zk+hierarchical://" + zooKeeper + "/ledgers")));
  }

  /// A frame as it stands in a log.
  ///
  /// @param pieces one an entry
  record Frame(List<ByteBuffer> pieces, int journals) {
    long bytes() {
      return pieces.stream().mapToLong(ByteBuffer::remaining).sum();
    }
  }

  /// What was added.
  ///
  /// @param nanos of each frame, until its last piece was confirmed
  record Added(long journals, double seconds, List<Long> nanos) {
    Added {
      nanos = List.copyOf(nanos);
    }

    double perSecond() {
      return journals / seconds;
    }

    LongStream latencies() {
      return nanos.stream().mapToLong(Long::longValue);
    }
  }

  /// The newest frames with journals, of the newest segments of whatever shard.
  ///
  /// @throws IOException also if there are none
  List<Frame> newestFrames() throws IOException, MalformedException {
    List<Frame> frames = new ArrayList<>();
    List<Long> newestFirst =
        logs.list().stream()
            .map(ReplicatedLogs.Labelled::log)
            .sorted(Comparator.reverseOrder())
            .toList();
    for (long log : newestFirst) {
      try (EntryReader reader = logs.open(log)) {
        frames.addAll(framesOf(reader));
      } catch (NoSuchLogException _) {
        // It was replaced, or its savepoint is not kept any more.
      }
      if (frames.size() >= FRAMES_MIN) {
        return frames;
      }
    }
    if (frames.isEmpty()) {
      throw new IOException("no bookie has a frame");
    }
    return frames;
  }

  private static List<Frame> framesOf(EntryReader reader) throws IOException, MalformedException {
    List<Frame> frames = new ArrayList<>();
    long last = reader.lastConfirmed();
    if (last < 0) {
      return frames;
    }
    List<ByteBuffer> pieces = new ArrayList<>();
    long missing = 0;
    for (EntryReader.LogEntry entry : reader.read(Math.max(0, last - ENTRIES_MAX + 1), last)) {
      ByteBuffer piece = entry.bytes();
      if (missing == 0) {
        pieces = new ArrayList<>();
        FrameHeader header = headerOf(piece);
        missing = header == null ? 0 : header.alignedBytes();
      }
      if (missing > 0) {
        pieces.add(piece);
        missing -= piece.remaining();
        if (missing == 0) {
          addTo(frames, pieces);
        }
      }
    }
    return frames;
  }

  /// Null for the rest of a frame, and for what is no frame.
  private static @Nullable FrameHeader headerOf(ByteBuffer piece) throws MalformedException {
    boolean isFrame = piece.remaining() >= FrameHeader.BYTES && FrameHeader.mark(piece) != null;
    return isFrame ? FrameHeader.decode(piece.duplicate()) : null;
  }

  private static void addTo(List<Frame> frames, List<ByteBuffer> pieces) throws MalformedException {
    ByteBuffer whole = ByteBuffer.allocate(pieces.stream().mapToInt(ByteBuffer::remaining).sum());
    pieces.forEach(piece -> whole.put(piece.duplicate()));
    FrameHeader header = FrameHeader.decode(whole.flip());
    byte[] infos = new byte[header.infoBytes()];
    whole.get(FrameHeader.BYTES, infos);
    int journals = CommitFrame.checked(infos).blocks().stream().mapToInt(BlockInfo::journals).sum();
    if (journals > 0) {
      frames.add(new Frame(List.copyOf(pieces), journals));
    }
  }

  /// Adds frames, again from the first when they are at an end, and deletes them.
  Added add(List<Frame> frames, double forSeconds) throws IOException {
    LogWriter writer = logs.create(Quorum.FULL, Bytes.EMPTY);
    List<Long> nanos = new ArrayList<>();
    long journals = 0;
    long started = System.nanoTime();
    long deadline = started + (long) (forSeconds * 1e9);
    long now = started;
    while (now < deadline) {
      Frame frame = frames.get(nanos.size() % frames.size());
      PendingAdd newest = null;
      for (ByteBuffer piece : frame.pieces()) {
        newest = writer.add(piece.duplicate());
      }
      if (newest == null) {
        throw new AssertionError("a frame has a header");
      }
      newest.await();
      long ended = System.nanoTime();
      nanos.add(ended - now);
      journals += frame.journals();
      now = ended;
    }
    double elapsed = (now - started) / 1e9;
    writer.close();
    logs.delete(writer.log());
    return new Added(journals, elapsed, nanos);
  }

  @Override
  public void close() throws IOException {
    logs.close();
  }
}
