package io.tallystick.audit.source;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.TileRows.Tile;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Limits;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.SignedNote;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.Snapshot;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TileItems;
import io.tallystick.tile.TilePath;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A log read from its public files, at the size of the checkpoint that lies there. There is no
/// head receipt among them: the checkpoint's signature is what the log is held to. Tiles of hashes
/// are compared with what the leaves hash to, for others build proofs from them.
///
/// @param bodies whether salts and bodies are read too, where they are published
public record TileLogSource(TileFiles files, boolean bodies) implements LogSource {
  public static final Bytes WITHOUT_BODIES = Bytes.utf8("bodies\n");

  private static final int LEFT_OUT_BYTES_MAX = 256;

  /// Whether these files say that they are without bodies. It is their keeper's word: what follows
  /// from it is that less is checked, which the report says.
  public static boolean withoutBodies(TileFiles files) throws IOException, LogFormatException {
    return files
        .read(TilePath.LEFT_OUT, LEFT_OUT_BYTES_MAX)
        .filter(WITHOUT_BODIES::equals)
        .isPresent();
  }

  private static final Pattern ORIGIN = Pattern.compile(".*/l/([0-9a-f]{64})/(0|[1-9][0-9]{0,8})");

  private static final int KEY_CHAIN_BYTES_MAX = 16 << 20;

  private static final int PSEUDO_GENESIS_BYTES_MAX = 65 << 20;
  private static final int WINDOW_BYTES_MAX =
      Limits.OPEN_SIGNATURES_MAX * Snapshot.WINDOW_ENTRY_BYTES;

  private static final BatchHasher CPU = BatchHasher.cpu();

  @Override
  public LogReader open() throws IOException, LogFormatException {
    return open(0, 0);
  }

  /// Reads from that leaf's bundle on.
  @Override
  public LogReader open(long jsn, long source) throws IOException, LogFormatException {
    Bytes note = reader().checkpoint();
    try {
      Checkpoint checkpoint = Checkpoint.parse(SignedNote.decode(note).text());
      Matcher origin = ORIGIN.matcher(checkpoint.origin());
      if (!origin.matches()) {
        throw LogFormatException.malformed("no ledger's log: origin " + checkpoint.origin());
      }
      StrandId strand =
          new StrandId(LedgerId.fromHex(origin.group(1)), Integer.parseInt(origin.group(2)));
      long size = checkpoint.size().value();
      Optional<Bytes> begins = files.read(TilePath.PSEUDO_GENESIS, PSEUDO_GENESIS_BYTES_MAX);
      Optional<TilesBelow> below =
          begins.isEmpty() ? Optional.empty() : TilesBelow.of(reader(), size, jsn, begins.get());
      boolean state = hasState(begins, size);
      return new Reader(strand, size, note, jsn, state, below);
    } catch (MalformedException e) {
      throw LogFormatException.malformed(e);
    }
  }

  /// As an export has it, or a service gives it.
  @Override
  public Optional<Bytes> keyChain() throws IOException, LogFormatException {
    return files.read(TilePath.KEY_CHAIN, KEY_CHAIN_BYTES_MAX);
  }

  /// As an export has it, or a service gives it.
  @Override
  public Optional<Bytes> cosigned() throws IOException, LogFormatException {
    Optional<Bytes> exported = files.read(TilePath.COSIGNED, SignedNote.NOTE_BYTES_MAX);
    return exported.isPresent()
        ? exported
        : files.read(TilePath.CHECKPOINT + "?cosigned=true", SignedNote.NOTE_BYTES_MAX);
  }

  /// As an export has it, or a service gives it.
  @Override
  public Optional<PurgedStart> purged() throws IOException, LogFormatException {
    Optional<Bytes> file = files.read(TilePath.PSEUDO_GENESIS, PSEUDO_GENESIS_BYTES_MAX);
    return file.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new PurgedStart(
                file.get(), reader().required(TilePath.SNAPSHOT_WINDOW, WINDOW_BYTES_MAX)));
  }

  @Override
  public Optional<InputStream> purgedClues() throws IOException, LogFormatException {
    return inMemory(TilePath.SNAPSHOT_CLUES);
  }

  @Override
  public Optional<InputStream> purgedState() throws IOException, LogFormatException {
    return inMemory(TilePath.SNAPSHOT_STATE);
  }

  private Optional<InputStream> inMemory(String path) throws IOException, LogFormatException {
    return files
        .read(path, LogCopy.BEFORE_BYTES_MAX)
        .map(file -> new ByteArrayInputStream(file.unsafeArray()));
  }

  /// Computed from the hash tiles.
  @Override
  public Optional<ConsistencyProof> consistency(long from, long to)
      throws IOException, LogFormatException {
    return Optional.of(new TileProofs(reader(), to).consistency(from, to));
  }

  @Override
  public Optional<Bytes> leafHashes(long index, int width) throws IOException, LogFormatException {
    return Optional.of(reader().hashes(0, index, width));
  }

  /// Only the log of a ledger with a state has files of operations.
  ///
  /// @param begins the pseudo-genesis of a purged log
  private boolean hasState(Optional<Bytes> begins, long size)
      throws IOException, LogFormatException {
    if (begins.isPresent()) {
      try {
        Bytes snapshot = PseudoGenesis.decode(begins.get()).snapshot();
        return GenesisParams.decode(Snapshot.decode(snapshot).genesisParams()).stateParams()
            != null;
      } catch (MalformedException e) {
        throw LogFormatException.malformed(e);
      }
    }
    int width = (int) Math.min(TilePath.WIDTH, size);
    return width > 0
        && StateFeature.isOn(
            reader().bundle(TileBundle.ENTRIES, TilePath::entries, 0, width).item(0));
  }

  /// @param ops null if the ledger has no state
  /// @param bodies null if they were not asked for
  /// @param hashes of its leaves, hash `i` at `32 * i`
  /// @param root over its leaves
  /// @param tileFault what is wrong with the tile of its leaf hashes; null if that is right
  private record Bundle(
      TileItems leaves,
      TileItems attestations,
      @Nullable TileItems ops,
      @Nullable TileItems bodies,
      Bytes hashes,
      Digest root,
      @Nullable LogFormatException tileFault) {
    long bytes() {
      long apart = bodies == null ? 0 : bodies.bytes().length;
      apart += ops == null ? 0 : ops.bytes().length;
      return leaves.bytes().length + attestations.bytes().length + apart;
    }

    /// Only how a body is missing depends on it; the audit decodes the leaf.
    boolean isJournal(int at) {
      return leaves.size(at) > 1 && leaves.bytes()[leaves.start(at) + 1] == Leaf.JOURNAL;
    }

    boolean attests(int at, byte[] attestation) {
      int start = attestations.start(at);
      return Arrays.equals(
          attestations.bytes(),
          start,
          start + attestations.size(at),
          attestation,
          0,
          attestation.length);
    }
  }

  private TileReader reader() {
    return new TileReader(files);
  }

  private Bundle fetch(boolean state, long index, int width)
      throws IOException, LogFormatException {
    TileReader reader = reader();
    TileItems leaves = reader.bundle(TileBundle.ENTRIES, TilePath::entries, index, width);
    TileItems attestations =
        reader.bundle(TileBundle.ATTESTATIONS, TilePath::attestations, index, width);
    TileItems ops = state ? reader.bundle(TileBundle.OPS, TilePath::ops, index, width) : null;
    TileItems apart =
        bodies ? reader.bundle(TileBundle.BODIES, TilePath::bodies, index, width) : null;
    byte[] hashes = new byte[width * Digest.BYTES];
    for (int i = 0; i < width; i++) {
      TreeHasher.leafHash(leaves.bytes(), leaves.start(i), leaves.size(i))
          .copyInto(hashes, i * Digest.BYTES);
    }
    Bytes leafHashes = Bytes.copyOf(hashes);
    LogFormatException tileFault = null;
    try {
      reader.check(new Tile(0, index, 0, leafHashes));
    } catch (LogFormatException e) {
      tileFault = e;
    }
    Digest root = TreeHasher.rootInPlace(CPU, hashes, width);
    return new Bundle(leaves, attestations, ops, apart, leafHashes, root, tileFault);
  }

  private final class Reader implements LogReader {
    private final StrandId strand;
    private final long size;
    private final Bytes checkpoint;
    private final BundlePrefetch<Bundle> ahead;
    private final long from;
    private long read;
    private final TileRows rows;
    private final Optional<TilesBelow> below;
    private @Nullable Bundle bundle;
    private byte[] attestation = {};

    Reader(
        StrandId strand,
        long size,
        Bytes checkpoint,
        long jsn,
        boolean state,
        Optional<TilesBelow> below) {
      this.strand = strand;
      this.size = size;
      this.checkpoint = checkpoint;
      this.from = jsn;
      this.read = jsn / TilePath.WIDTH * TilePath.WIDTH;
      this.ahead =
          new BundlePrefetch<>(
              read, size, (index, width) -> fetch(state, index, width), Bundle::bytes);
      this.rows = new TileRows(1, read / TilePath.WIDTH);
      this.below = below;
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
      EntryRun one = new EntryRun();
      return next(one) ? one.entry(0) : null;
    }

    @Override
    public boolean next(EntryRun run) throws IOException, LogFormatException {
      while (read < Math.min(from, size)) {
        boolean _ = tell(new EntryRun());
      }
      return tell(run);
    }

    private boolean tell(EntryRun run) throws IOException, LogFormatException {
      int at = (int) (read % TilePath.WIDTH);
      Bundle from = bundle;
      if (from != null && (at == 0 || read >= size)) {
        bundle = null;
        checkTiles(from);
        from = null;
      }
      if (read >= size) {
        return false;
      }
      if (from == null) {
        from = ahead.next();
        bundle = from;
      }
      TileItems apart = from.bodies();
      if (below.isPresent() && apart != null) {
        below.get().checkBody(read, apart.size(at));
      }
      boolean journal = from.isJournal(at);
      run.begin(0);
      run.hashed(from.hashes().unsafeArray(), at * Digest.BYTES);
      copy(from.leaves(), at, run);
      if (isOwn(from, at, journal)) {
        copy(from.attestations(), at, run);
      } else {
        run.field(0);
      }
      if (from.ops() != null) {
        copy(from.ops(), at, run);
      } else {
        run.field(0);
      }
      run.end(body(apart, at, journal, run));
      read++;
      return true;
    }

    /// When its leaves have been told: what is wrong with one of them is the better answer.
    private void checkTiles(Bundle told) throws IOException, LogFormatException {
      if (told.tileFault() != null) {
        throw told.tileFault();
      }
      checkBelow(0, (read - 1) / TilePath.WIDTH);
      if (read % TilePath.WIDTH == 0) {
        rows.add(told.root().toArray());
      }
      for (Tile tile = rows.poll(); tile != null; tile = rows.poll()) {
        reader().check(tile);
        checkBelow(tile.level(), tile.index());
      }
      if (read >= size) {
        for (Tile tile : rows.partial()) {
          reader().check(tile);
        }
        if (below.isPresent()) {
          below.get().checkRest();
        }
      }
    }

    private void checkBelow(int level, long index) throws IOException, LogFormatException {
      if (below.isPresent()) {
        below.get().check(level, index);
      }
    }

    /// A bundle's first journal comes with the attestation of a batch that began before it.
    private boolean isOwn(Bundle from, int at, boolean journal) throws LogFormatException {
      if (from.attestations().size(at) == 0) {
        if (at == 0 && journal) {
          throw LogFormatException.malformed(
              "no attestation with journal " + read + ", the first of its bundle");
        }
        return false;
      }
      if (at == 0 && journal && from.attests(at, attestation)) {
        return false;
      }
      attestation = from.attestations().item(at).unsafeArray();
      return true;
    }

    private BodyState body(@Nullable TileItems bodies, int at, boolean journal, EntryRun run)
        throws LogFormatException {
      if (bodies == null || bodies.size(at) == 0) {
        run.field(0);
        run.field(0);
        return journal ? BodyState.ERASED : BodyState.NONE;
      }
      if (bodies.size(at) < Limits.SALT_BYTES) {
        throw LogFormatException.malformed(
            String.format(
                Locale.ROOT, "salt and body of journal %d have %d bytes", read, bodies.size(at)));
      }
      int start = bodies.start(at);
      copy(bodies.bytes(), start, Limits.SALT_BYTES, run);
      copy(bodies.bytes(), start + Limits.SALT_BYTES, bodies.size(at) - Limits.SALT_BYTES, run);
      return BodyState.PRESENT;
    }

    private static void copy(TileItems items, int at, EntryRun run) {
      copy(items.bytes(), items.start(at), items.size(at), run);
    }

    private static void copy(byte[] bytes, int start, int size, EntryRun run) {
      int to = run.field(size);
      System.arraycopy(bytes, start, run.bytes(), to, size);
    }

    @Override
    public LogEnd end() {
      return LogEnd.ofPublicFiles(checkpoint);
    }

    @Override
    public void close() {
      ahead.close();
    }
  }
}
