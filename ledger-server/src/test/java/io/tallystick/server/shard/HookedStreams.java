package io.tallystick.server.shard;

import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.PendingFrame;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Streams whose writers fail when a test says so, and which tell what was done with them.
final class HookedStreams implements StreamStore {
  final List<String> done = new ArrayList<>();

  /// Thrown by the next append; null if it is to succeed.
  @Nullable IOException appendFails;

  /// Thrown by each opening of a writer; null if that is to succeed.
  @Nullable IOException openFails;

  private final StreamStore streams;

  HookedStreams(StreamStore streams) {
    this.streams = streams;
  }

  @Override
  public StreamWriter openWriter(StreamId id, long epoch, StreamPosition from)
      throws IOException, CorruptStreamException {
    if (openFails != null) {
      throw openFails;
    }
    done.add("fence");
    return new HookedWriter(streams.openWriter(id, epoch, from));
  }

  @Override
  public long epochOf(StreamId id) throws IOException, CorruptStreamException {
    return streams.epochOf(id);
  }

  @Override
  public StreamReader openReader(StreamId id) throws IOException, CorruptStreamException {
    done.add("read");
    return streams.openReader(id);
  }

  @Override
  public StreamEraser openEraser(StreamId id) {
    done.add("erase");
    return streams.openEraser(id);
  }

  @Override
  public void close() throws IOException {
    streams.close();
  }

  private final class HookedWriter implements StreamWriter {
    private final StreamWriter writer;

    HookedWriter(StreamWriter writer) {
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
    public PendingFrame append(FrameBuffer frame) throws IOException {
      IOException failure = appendFails;
      if (failure != null) {
        appendFails = null;
        throw failure;
      }
      done.add("append");
      return writer.append(frame);
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
}
