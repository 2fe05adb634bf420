package io.tallystick.audit;

import io.tallystick.journal.Leaf;
import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.SignedNote;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TilePath;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A log read from its public files, at the size of the checkpoint that lies there. There is no
/// head receipt among them: the checkpoint's signature is what the log is held to.
///
/// @param bodies whether salts and bodies are read too, where they are published
public record TileLogSource(TileFiles files, boolean bodies) implements LogSource {
  private static final Pattern ORIGIN = Pattern.compile(".*/l/([0-9a-f]{64})/(0|[1-9][0-9]{0,8})");

  /// Bundles that are fetched before they are wanted.
  private static final int AHEAD = 8;

  @Override
  public LogReader open() throws IOException, LogFormatException {
    return open(0, 0);
  }

  /// Reads from that leaf's bundle on.
  @Override
  public LogReader open(long jsn, long source) throws IOException, LogFormatException {
    Bytes note = required(TilePath.CHECKPOINT, SignedNote.NOTE_BYTES_MAX);
    try {
      Checkpoint checkpoint = Checkpoint.parse(SignedNote.decode(note).text());
      Matcher origin = ORIGIN.matcher(checkpoint.origin());
      if (!origin.matches()) {
        throw LogFormatException.malformed("no ledger's log: origin " + checkpoint.origin());
      }
      StrandId strand =
          new StrandId(LedgerId.fromHex(origin.group(1)), Integer.parseInt(origin.group(2)));
      Reader reader = new Reader(strand, checkpoint.size().value(), note, jsn);
      reader.skipTo(jsn);
      return reader;
    } catch (MalformedException e) {
      throw LogFormatException.malformed(e);
    }
  }

  private Bytes required(String path, int bytesMax) throws IOException, LogFormatException {
    return files
        .read(path, bytesMax)
        .orElseThrow(() -> LogFormatException.truncated("there is no " + path));
  }

  /// A file's path by its width.
  private interface Path {
    String of(long index, int width);
  }

  private List<Bytes> bundle(TileBundle kind, Path path, long index, int width)
      throws IOException, LogFormatException {
    Optional<Bytes> file = files.read(path.of(index, width), kind.bytesMax());
    int items = width;
    if (file.isEmpty() && width < TilePath.WIDTH) {
      // The log has grown meanwhile, and the partial file made way for the full one.
      file = files.read(path.of(index, TilePath.WIDTH), kind.bytesMax());
      items = TilePath.WIDTH;
    }
    if (file.isEmpty()) {
      throw LogFormatException.truncated("there is no " + path.of(index, width));
    }
    try {
      return kind.decode(file.get(), items).subList(0, width);
    } catch (MalformedException e) {
      throw LogFormatException.malformed(path.of(index, items) + " " + e.getMessage());
    }
  }

  /// @param bodies empty if they were not asked for
  private record Bundle(List<Bytes> leaves, List<Bytes> attestations, List<Bytes> bodies) {}

  private Bundle fetch(long index, int width) throws IOException, LogFormatException {
    return new Bundle(
        bundle(TileBundle.ENTRIES, TilePath::entries, index, width),
        bundle(TileBundle.ATTESTATIONS, TilePath::attestations, index, width),
        bodies ? bundle(TileBundle.BODIES, TilePath::bodies, index, width) : List.of());
  }

  private final class Reader implements LogReader {
    private final StrandId strand;
    private final long size;
    private final Bytes checkpoint;
    private final ExecutorService fetchers = Executors.newVirtualThreadPerTaskExecutor();
    private final Deque<Future<Bundle>> coming = new ArrayDeque<>();
    private long fetched;
    private long read;
    private @Nullable Bundle bundle;
    private Bytes attestation = Bytes.EMPTY;

    Reader(StrandId strand, long size, Bytes checkpoint, long jsn) {
      this.strand = strand;
      this.size = size;
      this.checkpoint = checkpoint;
      this.read = jsn / TilePath.WIDTH * TilePath.WIDTH;
      this.fetched = read;
    }

    void skipTo(long jsn) throws IOException, LogFormatException {
      while (read < Math.min(jsn, size)) {
        var _ = next();
      }
    }

    @Override
    public StrandId strand() {
      return strand;
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public @Nullable LogEntry next() throws IOException, LogFormatException {
      if (read >= size) {
        return null;
      }
      int at = (int) (read % TilePath.WIDTH);
      if (at == 0 || bundle == null) {
        bundle = await();
      }
      Bytes leaf = bundle.leaves().get(at);
      boolean journal = isJournal(leaf);
      Bytes own = own(bundle.attestations().get(at), at, journal);
      read++;
      if (!journal) {
        return new LogEntry(leaf, own, BodyState.NONE, Bytes.EMPTY, Bytes.EMPTY);
      }
      Bytes body = bodies ? bundle.bodies().get(at) : Bytes.EMPTY;
      if (body.size() < Limits.SALT_BYTES) {
        return new LogEntry(leaf, own, BodyState.ERASED, Bytes.EMPTY, Bytes.EMPTY);
      }
      return new LogEntry(
          leaf,
          own,
          BodyState.PRESENT,
          body.slice(0, Limits.SALT_BYTES),
          body.slice(Limits.SALT_BYTES, body.size() - Limits.SALT_BYTES));
    }

    /// A bundle's first leaf comes with the attestation of a batch that began before it.
    private Bytes own(Bytes beside, int at, boolean journal) throws LogFormatException {
      if (at == 0 && journal && beside.isEmpty()) {
        throw LogFormatException.malformed(
            "no attestation with journal " + read + ", the first of its bundle");
      }
      boolean again = at == 0 && beside.equals(attestation);
      if (!beside.isEmpty()) {
        attestation = beside;
      }
      return again ? Bytes.EMPTY : beside;
    }

    /// Only how a body is missing depends on it; the audit decodes the leaf.
    private static boolean isJournal(Bytes leaf) {
      return leaf.size() > 1 && leaf.unsafeArray()[1] == Leaf.JOURNAL;
    }

    private Bundle await() throws IOException, LogFormatException {
      while (fetched < size && coming.size() < AHEAD) {
        long index = fetched / TilePath.WIDTH;
        int width = (int) Math.min(TilePath.WIDTH, size - fetched);
        coming.add(fetchers.submit(() -> fetch(index, width)));
        fetched += width;
      }
      try {
        return coming.remove().get();
      } catch (ExecutionException e) {
        switch (e.getCause()) {
          case IOException failure -> throw failure;
          case LogFormatException failure -> throw failure;
          case null, default -> throw new AssertionError("a fetch failed in an unforeseen way", e);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted at jsn " + read, e);
      }
    }

    @Override
    public LogEnd end() {
      return new LogEnd(checkpoint, Bytes.EMPTY);
    }

    @Override
    public void close() {
      fetchers.shutdownNow();
      fetchers.close();
    }
  }
}
