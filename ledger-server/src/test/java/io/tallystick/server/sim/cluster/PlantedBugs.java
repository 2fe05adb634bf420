package io.tallystick.server.sim.cluster;

import io.tallystick.model.Bytes;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.EntryReader;
import io.tallystick.storage.replicated.LogWriter;
import io.tallystick.storage.replicated.OutcomeUnknownException;
import io.tallystick.storage.replicated.Quorum;
import io.tallystick.storage.replicated.ReplicatedLogs;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.PendingFrame;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamUnavailableException;
import io.tallystick.storage.stream.StreamWriter;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Wrappers of what a shard stands on that have the planted fault. Without one they change nothing.
final class PlantedBugs {
  private final Bug bug;

  PlantedBugs(Bug bug) {
    this.bug = bug;
  }

  boolean is(Bug asked) {
    return bug == asked;
  }

  /// What one server sees of logs and coordination.
  record Facades(ReplicatedLogs logs, Coordination coordination) {}

  Facades facades(ReplicatedLogs logs, Coordination coordination) {
    return switch (bug) {
      case LISTS_WITHOUT_CHECK -> new Facades(logs, new CarelessList(coordination));
      case DELETES_LISTED_LOG -> {
        NotingLogs noting = new NotingLogs(logs);
        yield new Facades(noting, new RashCleaner(coordination, noting));
      }
      default -> new Facades(logs, coordination);
    };
  }

  StreamStore streams(StreamStore store, ShardClaims claims) {
    return switch (bug) {
      case SIGNS_BEFORE_CONFIRMATION ->
          new WrappedStreams(store, (_, writer) -> new HastyWriter(writer));
      case WRITES_FRAME_AGAIN ->
          new WrappedStreams(store, (id, writer) -> new AgainWriter(store, claims, id, writer));
      default -> store;
    };
  }

  private static boolean lists(Coordination.Change change) {
    return change instanceof Coordination.Change.Create && change.path().contains("/segments/");
  }

  /// Lists a segment without a look at the owner, in place of one that is listed already.
  private record CarelessList(Coordination coordination) implements Coordination {
    @Override
    public Optional<Versioned> read(String path) throws IOException {
      return coordination.read(path);
    }

    @Override
    public List<String> children(String path) throws IOException {
      return coordination.children(path);
    }

    @Override
    public void commit(List<Change> changes) throws IOException {
      if (changes.stream().noneMatch(PlantedBugs::lists)) {
        coordination.commit(changes);
        return;
      }
      List<Change> unchecked =
          changes.stream().filter(change -> !(change instanceof Change.Check)).toList();
      try {
        coordination.commit(unchecked);
      } catch (ChangeRefusedException _) {
        coordination.commit(unchecked.stream().map(CarelessList::whatever).toList());
      }
    }

    private static Change whatever(Change change) {
      return switch (change) {
        case Change.Create(String path, Bytes value, boolean _) ->
            new Change.Put(path, value, Change.ANY);
        case Change.Put(String path, Bytes value, int _) -> new Change.Put(path, value, Change.ANY);
        case Change.Check _, Change.Delete _ -> change;
      };
    }
  }

  /// Remembers the log that was made last.
  private static final class NotingLogs implements ReplicatedLogs {
    private final ReplicatedLogs logs;
    private long newest = -1;

    NotingLogs(ReplicatedLogs logs) {
      this.logs = logs;
    }

    @Override
    public LogWriter create(Quorum quorum, Bytes label) throws IOException {
      LogWriter writer = logs.create(quorum, label);
      newest = writer.log();
      return writer;
    }

    @Override
    public EntryReader open(long log) throws IOException {
      return logs.open(log);
    }

    @Override
    public EntryReader recover(long log) throws IOException {
      return logs.recover(log);
    }

    @Override
    public void delete(long log) throws IOException {
      logs.delete(log);
    }

    @Override
    public List<Labelled> list() throws IOException {
      return logs.list();
    }

    @Override
    public int machines() throws IOException {
      return logs.machines();
    }
  }

  /// Deletes a log when its listing is not answered.
  private record RashCleaner(Coordination coordination, NotingLogs logs) implements Coordination {
    @Override
    public Optional<Versioned> read(String path) throws IOException {
      return coordination.read(path);
    }

    @Override
    public List<String> children(String path) throws IOException {
      return coordination.children(path);
    }

    @Override
    public void commit(List<Change> changes) throws IOException {
      try {
        coordination.commit(changes);
      } catch (OutcomeUnknownException e) {
        if (changes.stream().anyMatch(PlantedBugs::lists)) {
          logs.delete(logs.newest);
        }
        throw e;
      }
    }
  }

  /// Makes a writer of a writer.
  private interface Wrapping {
    StreamWriter wrap(StreamId id, StreamWriter writer);
  }

  private record WrappedStreams(StreamStore streams, Wrapping wrapping) implements StreamStore {
    @Override
    public StreamWriter openWriter(StreamId id, long epoch, StreamPosition from)
        throws IOException, CorruptStreamException {
      return wrapping.wrap(id, streams.openWriter(id, epoch, from));
    }

    @Override
    public long epochOf(StreamId id) throws IOException, CorruptStreamException {
      return streams.epochOf(id);
    }

    @Override
    public StreamReader openReader(StreamId id) throws IOException, CorruptStreamException {
      return streams.openReader(id);
    }

    @Override
    public StreamEraser openEraser(StreamId id) {
      return streams.openEraser(id);
    }

    @Override
    public void close() throws IOException {
      streams.close();
    }
  }

  /// A writer that has another.
  private abstract static class WrappedWriter implements StreamWriter {
    StreamWriter writer;

    WrappedWriter(StreamWriter writer) {
      this.writer = writer;
    }

    @Override
    public StreamPosition end() {
      return writer.end();
    }

    @Override
    public long epoch() {
      return writer.epoch();
    }

    @Override
    public void roll() throws IOException {
      writer.roll();
    }

    @Override
    public long writtenBytes() {
      return writer.writtenBytes();
    }

    @Override
    public void close() throws IOException {
      writer.close();
    }
  }

  /// A wait for a frame.
  private interface Awaiting {
    void await() throws IOException;
  }

  private record WrappedFrame(PendingFrame frame, Awaiting awaiting) implements PendingFrame {
    @Override
    public StreamPosition position() {
      return frame.position();
    }

    @Override
    public boolean isDone() {
      return frame.isDone();
    }

    @Override
    public void awaitDurable() throws IOException {
      awaiting.await();
    }
  }

  /// Takes what was sent for confirmed.
  private static final class HastyWriter extends WrappedWriter {
    HastyWriter(StreamWriter writer) {
      super(writer);
    }

    @Override
    public PendingFrame append(FrameBuffer frame) throws IOException {
      PendingFrame pending = writer.append(frame);
      return new WrappedFrame(
          pending,
          () -> {
            try {
              pending.awaitDurable();
            } catch (IOException _) {
              // It was sent.
            }
          });
    }
  }

  /// Writes a frame again if nothing is known of it.
  private static final class AgainWriter extends WrappedWriter {
    private final StreamStore store;
    private final ShardClaims claims;
    private final StreamId id;

    AgainWriter(StreamStore store, ShardClaims claims, StreamId id, StreamWriter writer) {
      super(writer);
      this.store = store;
      this.claims = claims;
      this.id = id;
    }

    @Override
    public PendingFrame append(FrameBuffer frame) throws IOException {
      PendingFrame pending = writer.append(frame);
      return new WrappedFrame(
          pending,
          () -> {
            try {
              pending.awaitDurable();
            } catch (StreamUnavailableException _) {
              again(frame, pending.position());
            }
          });
    }

    private void again(FrameBuffer frame, StreamPosition at) throws IOException {
      try {
        writer = store.openWriter(id, claims.claim(id).epoch(), at);
        writer.append(frame).awaitDurable();
      } catch (CorruptStreamException e) {
        throw new IOException(e);
      }
    }
  }
}
