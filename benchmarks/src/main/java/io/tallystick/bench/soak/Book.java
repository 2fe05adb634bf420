package io.tallystick.bench.soak;

import io.tallystick.model.Bytes;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// What one process of clients sent and what it was told, written before it acts on it. Handed to
/// the operating system and not forced: the process is killed, the machine is not. Thread-safe.
final class Book implements AutoCloseable {
  private static final int ENTRY_BYTES_MAX = 8 << 20;

  /// One line of the book; `id` is that of a request.
  sealed interface Entry {
    long id();

    record Sent(long id, SoakRequest request) implements Entry {}

    /// Its receipt was verified.
    record Held(long id, Answer.Receipted answer) implements Entry {}

    /// Sent again although its receipt was held, and answered as before.
    record Again(long id) implements Entry {}

    record Refused(long id, Answer.Refused answer) implements Entry {}

    record Silent(long id) implements Entry {}
  }

  /// Takes a book's entries in order.
  interface Reader {
    void read(Entry entry) throws IOException;
  }

  private final FileChannel channel;
  private long nextId;

  /// Goes on behind what is there; an entry that was cut off by a kill is taken off.
  ///
  /// @param reader is shown what is there
  Book(Path file, Reader reader) throws IOException {
    long whole =
        read(
            file,
            entry -> {
              nextId = Math.max(nextId, entry.id() + 1);
              reader.read(entry);
            });
    channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
            .truncate(whole)
            .position(whole);
  }

  /// @return length of the part with whole entries
  static long read(Path file, Reader reader) throws IOException {
    if (Files.notExists(file)) {
      return 0;
    }
    long whole = 0;
    long size = Files.size(file);
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16))) {
      while (size - whole >= Integer.BYTES) {
        int length = in.readInt();
        if (length < 1 || length > ENTRY_BYTES_MAX) {
          throw new IOException(file + ": an entry of " + length + " bytes at " + whole);
        }
        if (size - whole - Integer.BYTES < length) {
          break;
        }
        reader.read(decode(in.readNBytes(length)));
        whole += Integer.BYTES + length;
      }
    }
    return whole;
  }

  /// @return the request's id
  synchronized long sent(SoakRequest request) throws IOException {
    long id = nextId++;
    write(new Entry.Sent(id, request));
    return id;
  }

  synchronized void write(Entry entry) throws IOException {
    byte[] encoded = encode(entry);
    ByteBuffer framed = ByteBuffer.allocate(Integer.BYTES + encoded.length);
    framed.putInt(encoded.length).put(encoded).flip();
    while (framed.hasRemaining()) {
      channel.write(framed);
    }
  }

  private static byte[] encode(Entry entry) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    switch (entry) {
      case Entry.Sent(long id, SoakRequest request) -> {
        out.writeByte('S');
        out.writeLong(id);
        request.write(out);
      }
      case Entry.Held(long id, Answer.Receipted answer) -> {
        out.writeByte('H');
        out.writeLong(id);
        out.writeLong(answer.firstJsn());
        out.writeLong(answer.timeMs());
        out.writeBoolean(answer.repeated());
        SoakRequest.write(out, answer.evidence());
        out.writeBoolean(answer.isRange());
      }
      case Entry.Again(long id) -> {
        out.writeByte('A');
        out.writeLong(id);
      }
      case Entry.Refused(long id, Answer.Refused answer) -> {
        out.writeByte('R');
        out.writeLong(id);
        out.writeUTF(answer.code());
        out.writeBoolean(answer.isFinal());
      }
      case Entry.Silent(long id) -> {
        out.writeByte('N');
        out.writeLong(id);
      }
    }
    return bytes.toByteArray();
  }

  private static Entry decode(byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    byte type = in.readByte();
    long id = in.readLong();
    return switch (type) {
      case 'S' -> new Entry.Sent(id, SoakRequest.read(in));
      case 'H' -> {
        long firstJsn = in.readLong();
        long timeMs = in.readLong();
        boolean repeated = in.readBoolean();
        Bytes evidence = SoakRequest.readBytes(in);
        yield new Entry.Held(
            id, new Answer.Receipted(firstJsn, timeMs, repeated, evidence, in.readBoolean()));
      }
      case 'A' -> new Entry.Again(id);
      case 'R' -> new Entry.Refused(id, new Answer.Refused(in.readUTF(), in.readBoolean()));
      case 'N' -> new Entry.Silent(id);
      default -> throw new IOException("a book has an entry of type " + type);
    };
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
