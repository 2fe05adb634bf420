package io.tallystick.audit;

import io.tallystick.audit.LogSource.LogReader;
import io.tallystick.crypto.BatchHasher;
import io.tallystick.crypto.CpuBatchHasher;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.NoteKey;
import io.tallystick.note.SignedNote;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TilePath;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Writes a log as the files of its public read path, for any web server to serve: tiles of hashes,
/// bundles of leaves and attestations, and the signed checkpoint last, so that whoever reads it
/// finds all that it covers. Used once. Source: C2SP tlog-tiles; docs/formats/tiles.md.
public final class TileExport implements AutoCloseable {
  private static final BatchHasher CPU = new CpuBatchHasher();

  private final FolderWriter files;
  private final boolean withBodies;
  private final AuditProgress progress;
  private final List<HashRow> levels = new ArrayList<>();
  private final CompactRange tree = new CompactRange();
  private final List<Bytes> leaves = new ArrayList<>();
  private final List<Bytes> attestations = new ArrayList<>();
  private final List<Bytes> bodies = new ArrayList<>();
  private Bytes attestation = Bytes.EMPTY;
  private Bytes genesis = Bytes.EMPTY;
  private long size;

  /// @param folder made if need be; an earlier export there of the same log is overwritten
  /// @param withBodies whether salts and bodies are written too, which nobody can erase from copies
  public TileExport(Path folder, boolean withBodies, AuditProgress progress) {
    this.files = new FolderWriter(folder);
    this.withBodies = withBodies;
    this.progress = progress;
  }

  /// What was written.
  ///
  /// @param verifierKey of the checkpoint, as foreign tools take it: from the genesis leaf
  public record Exported(long size, Digest root, String verifierKey) {}

  /// @throws LogFormatException if the source's leaves are not those its checkpoint was signed for
  public Exported write(LogSource source) throws IOException, LogFormatException {
    try (LogReader log = source.open()) {
      ProgressMeter meter = new ProgressMeter(progress, log.size());
      for (LogEntry entry = log.next(); entry != null; entry = log.next()) {
        add(entry);
        meter.update(size);
      }
      Bytes checkpoint = log.end().checkpoint();
      checkRoot(checkpoint);
      String verifierKey = verifierKey(log.strand());
      bundles();
      for (int level = 0; level < levels.size(); level++) {
        tile(level);
      }
      files.force();
      files.seal(TilePath.CHECKPOINT, checkpoint);
      return new Exported(size, tree.root(), verifierKey);
    }
  }

  @Override
  public void close() {
    files.close();
  }

  private void add(LogEntry entry) throws IOException, LogFormatException {
    if (!entry.attestation().isEmpty()) {
      attestation = entry.attestation();
    }
    if (size == 0) {
      genesis = entry.leaf();
    }
    leaves.add(entry.leaf());
    attestations.add(leaves.size() == 1 ? atFirst(entry) : entry.attestation());
    bodies.add(
        entry.bodyState() == BodyState.PRESENT ? join(entry.salt(), entry.body()) : Bytes.EMPTY);
    byte[] hash = TreeHasher.leafHash(entry.leaf()).toArray();
    tree.append(hash, 0);
    size++;
    hash(0, hash);
    if (leaves.size() == TilePath.WIDTH) {
      bundles();
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

  private static Bytes join(Bytes salt, Bytes body) {
    byte[] both = new byte[salt.size() + body.size()];
    salt.copyInto(both, 0);
    body.copyInto(both, salt.size());
    return Bytes.wrap(both);
  }

  /// A full tile is one hash of the level above: the root over its own.
  private void hash(int level, byte[] hash) throws IOException {
    if (level == levels.size()) {
      levels.add(new HashRow());
    }
    HashRow row = levels.get(level);
    row.add(hash);
    if (row.count == TilePath.WIDTH) {
      tile(level);
      Digest root = TreeHasher.rootInPlace(CPU, row.hashes.clone(), row.count);
      row.next();
      hash(level + 1, root.toArray());
    }
  }

  private void tile(int level) throws IOException {
    HashRow row = levels.get(level);
    if (row.count > 0) {
      Bytes hashes = Bytes.copyOf(row.hashes, 0, row.count * Digest.BYTES);
      files.write(TilePath.hashes(level, row.index, row.count), hashes);
    }
  }

  private void bundles() throws IOException {
    int width = leaves.size();
    if (width == 0) {
      return;
    }
    long index = (size - 1) / TilePath.WIDTH;
    files.write(TilePath.entries(index, width), TileBundle.ENTRIES.encode(leaves));
    files.write(TilePath.attestations(index, width), TileBundle.ATTESTATIONS.encode(attestations));
    if (withBodies) {
      files.write(TilePath.bodies(index, width), TileBundle.BODIES.encode(bodies));
    }
    leaves.clear();
    attestations.clear();
    bodies.clear();
  }

  private String verifierKey(StrandId strand) throws LogFormatException {
    try {
      if (Leaf.decode(genesis) instanceof GenesisLeaf leaf) {
        GenesisParams params = GenesisParams.decode(leaf.genesisParams());
        return new NoteKey(params.authority().origin(strand), params.noteKey()).vkey();
      }
      throw LogFormatException.malformed("the first leaf is not genesis");
    } catch (MalformedException e) {
      throw LogFormatException.malformed(e);
    }
  }

  private void checkRoot(Bytes note) throws LogFormatException {
    try {
      Checkpoint signed = Checkpoint.parse(SignedNote.decode(note).text());
      if (signed.size().value() != size || !signed.root().digest().equals(tree.root())) {
        throw LogFormatException.malformed(
            "the checkpoint is of size %s and root %s, the log has %d leaves and root %s"
                .formatted(signed.size(), signed.root(), size, tree.root()));
      }
    } catch (MalformedException e) {
      throw LogFormatException.malformed(e);
    }
  }

  /// The hashes of the tile a level is at.
  private static final class HashRow {
    private final byte[] hashes = new byte[TilePath.WIDTH * Digest.BYTES];
    private long index;
    private int count;

    void add(byte[] hash) {
      System.arraycopy(hash, 0, hashes, count * Digest.BYTES, Digest.BYTES);
      count++;
    }

    void next() {
      index++;
      count = 0;
    }
  }
}
