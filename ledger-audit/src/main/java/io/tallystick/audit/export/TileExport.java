package io.tallystick.audit.export;

import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.AuditProgress;
import io.tallystick.audit.finding.CompactRange;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.ProgressMeter;
import io.tallystick.audit.history.ReplayedSnapshotState;
import io.tallystick.audit.options.OtherHead;
import io.tallystick.audit.source.LogCopy;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.audit.source.StartWatch;
import io.tallystick.audit.source.TileLogSource;
import io.tallystick.audit.source.TileRows;
import io.tallystick.audit.source.TileRows.Tile;
import io.tallystick.audit.statement.ClueFile;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Limits;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TilePath;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Writes a log as the files of its public read path, for any web server to serve: tiles of hashes,
/// bundles of leaves, attestations and operations, the key chain, and the signed checkpoint last,
/// so that its reader finds all that it covers. Beside it goes the newest one that witnesses
/// cosigned. A folder has one log and only grows: what an earlier export wrote is never changed,
/// and a log that does not continue it is refused. Of a log whose prefix was purged it writes what
/// is left and with what that begins, and takes away what the purge removed. Used once. Source:
/// C2SP tlog-tiles; docs/formats/tiles.md.
public final class TileExport implements AutoCloseable {
  private final FolderWriter files;
  private final boolean withBodies;
  private final Signatures signatures;
  private final AuditProgress progress;
  private final TileRows rows = new TileRows(0, 0);
  private final CompactRange tree = new CompactRange();
  private final List<Bytes> leaves = new ArrayList<>();
  private final List<Bytes> attestations = new ArrayList<>();
  private final List<Bytes> ops = new ArrayList<>();
  private final List<Bytes> bodies = new ArrayList<>();
  private Bytes attestation = Bytes.EMPTY;
  private long size;
  private boolean withOps;
  private Optional<ExportStart> start = Optional.empty();

  /// That an earlier export's checkpoint in this folder covers.
  private long exportedSize;

  /// @param folder made if need be; else empty, or of an earlier export of the same log
  /// @param withBodies whether salts and bodies are written too, which nobody can erase from copies
  public TileExport(
      Path folder, boolean withBodies, Signatures signatures, AuditProgress progress) {
    this.files = new FolderWriter(folder);
    this.withBodies = withBodies;
    this.signatures = signatures;
    this.progress = progress;
  }

  /// An export that was written.
  ///
  /// @param size of the log, with the leaves that were purged
  /// @param firstKept the lowest jsn that no purge removed; 0 if nothing was
  /// @param verifierKey of the checkpoint, as foreign tools take it: from the genesis of the ledger
  ///   that was pinned
  public record Exported(long size, long firstKept, Digest root, String verifierKey) {}

  /// Checks genesis, or with what a purged log begins, and the signed head, which is what readers
  /// trust; all else is for an audit.
  ///
  /// @throws LogFormatException if the source breaks off or has another genesis than the pinned
  /// @throws ProofRejectedException if the head is not the service's over these leaves, or the log
  ///   does not continue what an earlier export has
  /// @throws AuditLimitException if the clues or the state of what was purged have more than 1 GiB
  /// @throws UnreachableException if a purge or a recall came into force meanwhile
  public Exported write(StrandId pinned, LogSource source)
      throws IOException, LogFormatException, ProofRejectedException, AuditLimitException {
    return write(pinned, source, Optional.empty());
  }

  /// The same of a log that must contain a head which was trusted before.
  ///
  /// @throws ProofRejectedException also if it does not
  public Exported write(StrandId pinned, LogSource source, Optional<SignedHead> trusted)
      throws IOException, LogFormatException, ProofRejectedException, AuditLimitException {
    StartWatch watch = StartWatch.begin(source);
    try {
      return writeAll(pinned, source, trusted);
    } catch (LogFormatException | ProofRejectedException e) {
      watch.check();
      throw e;
    }
  }

  private Exported writeAll(StrandId pinned, LogSource source, Optional<SignedHead> trusted)
      throws IOException, LogFormatException, ProofRejectedException, AuditLimitException {
    // First, so that the log that is read then is no shorter.
    Optional<Bytes> cosigned = source.cosigned();
    start = ExportStart.of(pinned, source, signatures);
    try (LogReader log = source.open(firstLeaf(), 0)) {
      LogEntry first = log.next();
      if (first == null) {
        throw LogFormatException.truncated("the log has no leaf " + firstLeaf());
      }
      ExportHeads.checkReachesTrusted(trusted, log.size());
      ExportHeads heads = ExportHeads.of(pinned, start, first, signatures);
      withOps = heads.state();
      files.claim(TilePath.ORIGIN, heads.marker());
      if (!withBodies) {
        files.replace(TilePath.LEFT_OUT, TileLogSource.WITHOUT_BODIES);
      }
      Optional<ExportHeads.Earlier> earlier = heads.earlier(files.read(TilePath.CHECKPOINT));
      ExportHeads.checkReaches(earlier, log.size());
      Optional<OtherHead> witnessed = heads.cosigned(cosigned);
      exportedSize = earlier.map(ExportHeads.Earlier::size).orElse(0L);
      ProgressMeter meter = new ProgressMeter(progress, log.size());
      Step step =
          () -> {
            heads.checkContinues(earlier, size, tree);
            ExportHeads.checkTrusted(trusted, size, tree);
            heads.checkCosigned(witnessed, size, tree);
            if (start.isPresent()) {
              start.get().checkFrontier(size, tree);
            }
            meter.update(size);
          };
      purgedHashes(source, step);
      for (LogEntry entry = first; entry != null; entry = log.next()) {
        if (size >= firstKept()) {
          heads.follow(size, entry);
        }
        add(entry);
        step.taken();
      }
      Bytes checkpoint = log.end().checkpoint();
      heads.check(checkpoint, size, tree.root());
      ExportHeads.checkReachesTrusted(trusted, size);
      heads.checkReachesCosigned(witnessed, size);
      finish(heads, source, checkpoint, witnessed.flatMap(_ -> cosigned));
      return new Exported(size, firstKept(), tree.root(), heads.verifierKey());
    }
  }

  /// The checks that are made at each size.
  private interface Step {
    void taken() throws ProofRejectedException;
  }

  private long firstKept() {
    return start.map(ExportStart::firstKept).orElse(0L);
  }

  private long firstLeaf() {
    return start.map(ExportStart::firstLeaf).orElse(0L);
  }

  /// Builds the tree over the leaves that are gone from the hashes that stay.
  private void purgedHashes(LogSource source, Step step)
      throws IOException, LogFormatException, ProofRejectedException {
    while (size < firstLeaf()) {
      byte[] hashes =
          source
              .leafHashes(size / TilePath.WIDTH, TilePath.WIDTH)
              .orElseThrow(() ->
                  LogFormatException.truncated(
                      "the source has no hashes of the leaves that were purged"))
              .toArray();
      for (int at = 0; at < hashes.length; at += Digest.BYTES) {
        grow(Arrays.copyOfRange(hashes, at, at + Digest.BYTES));
        step.taken();
      }
    }
  }

  /// Writes the last files, those that make the others valid at the end, and removes what is gone.
  ///
  /// @param cosigned by witnesses too
  private void finish(
      ExportHeads heads, LogSource source, Bytes checkpoint, Optional<Bytes> cosigned)
      throws IOException, LogFormatException, ProofRejectedException, AuditLimitException {
    Optional<Bytes> clues = Optional.empty();
    Optional<Bytes> state = Optional.empty();
    if (start.isPresent()) {
      Beginning beginning = start.get().beginning();
      clues = ClueFile.of(source, beginning, LogCopy.BEFORE_BYTES_MAX);
      state = ReplayedSnapshotState.of(source, beginning, LogCopy.BEFORE_BYTES_MAX);
    }
    bundles();
    for (Tile tile : rows.partial()) {
      write(tile);
    }
    files.force();
    writeKeyChain(heads, source);
    // The files that an earlier checkpoint covers are read by the purge that was known then.
    if (exportedSize == 0) {
      writeStart(clues, state);
    }
    files.seal(TilePath.CHECKPOINT, checkpoint);
    if (exportedSize > 0) {
      writeStart(clues, state);
    }
    if (cosigned.isPresent()) {
      files.seal(TilePath.COSIGNED, cosigned.get());
    }
    removePurged();
    removeOldBodies();
    if (withBodies) {
      files.remove(TilePath.LEFT_OUT);
    }
  }

  /// With what the log begins; a purge that was taken back leaves nothing.
  ///
  /// @param clues of what was purged
  /// @param state likewise
  private void writeStart(Optional<Bytes> clues, Optional<Bytes> state)
      throws IOException, ProofRejectedException {
    replaceOrRemove(TilePath.SNAPSHOT_CLUES, clues);
    replaceOrRemove(TilePath.SNAPSHOT_STATE, state);
    if (start.isEmpty()) {
      files.remove(TilePath.PSEUDO_GENESIS);
      files.remove(TilePath.SNAPSHOT_WINDOW);
      return;
    }
    files.replace(TilePath.SNAPSHOT_WINDOW, start.get().shown().window());
    files.replace(TilePath.PSEUDO_GENESIS, start.get().shown().pseudoGenesis());
    files.force();
  }

  private void replaceOrRemove(String path, Optional<Bytes> content)
      throws IOException, ProofRejectedException {
    if (content.isPresent()) {
      files.replace(path, content.get());
    } else {
      files.remove(path);
    }
  }

  /// Removes the files that an earlier export wrote of bundles that a purge removed since.
  private void removePurged() throws IOException {
    for (long index = 0; index < firstLeaf() / TilePath.WIDTH; index++) {
      for (String path :
          List.of(
              TilePath.entries(index, TilePath.WIDTH),
              TilePath.attestations(index, TilePath.WIDTH),
              TilePath.ops(index, TilePath.WIDTH),
              TilePath.bodies(index, TilePath.WIDTH))) {
        files.remove(path);
        files.removePartial(path, "");
      }
    }
  }

  /// With it a receipt by a later key is verified from these files alone, and the signers of the
  /// purge with which the log begins.
  private void writeKeyChain(ExportHeads heads, LogSource source)
      throws IOException, LogFormatException, ProofRejectedException {
    Optional<Bytes> chain =
        heads.rotated() || start.isPresent() ? source.keyChain() : Optional.empty();
    boolean tells =
        chain.isPresent() && (heads.rotated() || !chain.get().equals(KeyChain.EMPTY.encode()));
    if (tells) {
      heads.checkChain(chain.get());
      files.seal(TilePath.KEY_CHAIN, chain.get());
    }
  }

  @Override
  public void close() {
    files.close();
  }

  private void add(LogEntry entry) throws IOException, LogFormatException, ProofRejectedException {
    if (!entry.attestation().isEmpty()) {
      attestation = entry.attestation();
    }
    leaves.add(entry.leaf());
    attestations.add(leaves.size() == 1 ? atFirst(entry) : entry.attestation());
    if (withOps) {
      ops.add(ops(entry));
    } else {
      entry.checkNoOps(size);
    }
    if (withBodies) {
      bodies.add(body(entry));
    }
    grow(TreeHasher.leafHash(entry.leaf()).toArray());
    if (leaves.size() == TilePath.WIDTH) {
      bundles();
    }
  }

  /// @param hash of the next leaf
  private void grow(byte[] hash) throws IOException, ProofRejectedException {
    tree.append(hash, 0);
    size++;
    rows.add(hash);
    for (Tile tile = rows.poll(); tile != null; tile = rows.poll()) {
      write(tile);
    }
  }

  /// With a bundle's first leaf goes the attestation of its batch, wherever that began: a bundle is
  /// checked by itself.
  private Bytes atFirst(LogEntry entry) throws LogFormatException {
    try {
      boolean within =
          Leaf.decode(entry.leaf()) instanceof JournalLeaf leaf && leaf.batchIndex() > 0;
      return within ? attestation : entry.attestation();
    } catch (MalformedException e) {
      throw LogFormatException.malformed(e);
    }
  }

  private Bytes ops(LogEntry entry) throws LogFormatException {
    if (entry.ops().size() > Limits.REQUEST_BYTES_MAX) {
      throw LogFormatException.malformed(
          String.format(
              Locale.ROOT,
              "operations of journal %d have %d bytes, at most %d",
              size,
              entry.ops().size(),
              Limits.REQUEST_BYTES_MAX));
    }
    return entry.ops();
  }

  private Bytes body(LogEntry entry) throws LogFormatException {
    if (size < firstKept()) {
      return Bytes.EMPTY;
    }
    return switch (entry.bodyState()) {
      case NONE, ERASED -> Bytes.EMPTY;
      case PRESENT -> TileBundle.body(entry.salt(), entry.body());
      // Written as nothing it would look like an erased one.
      case DAMAGED ->
          throw LogFormatException.damaged("the service says that body " + size + " is damaged");
    };
  }

  private void write(Tile tile) throws IOException, ProofRejectedException {
    long subtrees = (tile.index() * TilePath.WIDTH) + tile.width();
    long end = subtrees << (TilePath.HEIGHT * tile.level());
    write(TilePath.hashes(tile.level(), tile.index(), tile.width()), tile.hashes(), end);
  }

  /// Writes a file. One that a signed head covered never changes. One beyond may be left from a run
  /// that broke off, or whose source was refused at its end.
  ///
  /// @param end behind the file's last leaf
  private void write(String path, Bytes content, long end)
      throws IOException, ProofRejectedException {
    if (end <= exportedSize) {
      files.write(path, content);
    } else {
      files.replace(path, content);
    }
  }

  /// Bodies can be erased, and must not stay in files that a longer one took the place of.
  private void removeOldBodies() throws IOException {
    for (long index = firstLeaf() / TilePath.WIDTH; index * TilePath.WIDTH < size; index++) {
      int width = (int) Math.min(TilePath.WIDTH, size - index * TilePath.WIDTH);
      files.removePartial(
          TilePath.bodies(index, TilePath.WIDTH), withBodies ? TilePath.bodies(index, width) : "");
      if (!withBodies) {
        files.remove(TilePath.bodies(index, width));
      }
    }
  }

  private void bundles() throws IOException, ProofRejectedException {
    int width = leaves.size();
    if (width == 0) {
      return;
    }
    long index = (size - 1) / TilePath.WIDTH;
    write(TilePath.entries(index, width), TileBundle.ENTRIES.encode(leaves), size);
    write(TilePath.attestations(index, width), TileBundle.ATTESTATIONS.encode(attestations), size);
    if (withOps) {
      write(TilePath.ops(index, width), TileBundle.OPS.encode(ops), size);
    }
    if (withBodies) {
      // A body can be erased: its item becomes empty.
      files.replace(TilePath.bodies(index, width), TileBundle.BODIES.encode(bodies));
    }
    leaves.clear();
    attestations.clear();
    ops.clear();
    bodies.clear();
  }
}
