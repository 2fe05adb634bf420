package io.tallystick.server.removal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.world.Purge;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The snapshots that this shard has made: those that purges name, and of each ledger the newest
/// that none names yet. `"n" ‖ ledgerId ‖ digest → [1, Snapshot bstr, window bstr]`, the window's
/// entries side by side. Thread-safe. Source: `docs/formats/savepoint.md`.
public final class SnapshotRows {
  private static final Bytes PREFIX = Bytes.utf8("n");
  private static final int VERSION = 1;
  private static final int WINDOW_BYTES_MAX = 1 << 30;

  private final MetaStore meta;

  /// @param window its entries, ascending
  public record Held(Snapshot snapshot, List<Bytes> window) {
    public Held {
      window = List.copyOf(window);
    }
  }

  public SnapshotRows(MetaStore meta) {
    this.meta = meta;
  }

  private static Bytes prefix(LedgerId ledger) {
    byte[] key = new byte[1 + Digest.BYTES];
    PREFIX.copyInto(key, 0);
    ledger.digest().copyInto(key, 1);
    return Bytes.wrap(key);
  }

  private static Bytes key(LedgerId ledger, Digest digest) {
    byte[] key = new byte[1 + 2 * Digest.BYTES];
    prefix(ledger).copyInto(key, 0);
    digest.copyInto(key, 1 + Digest.BYTES);
    return Bytes.wrap(key);
  }

  /// Keeps a snapshot, durable on return, in place of any other that no purge names.
  ///
  /// @param named digests that purges name
  public Digest keep(LedgerId ledger, Held held, Set<Digest> named) throws IOException {
    Bytes encoded = held.snapshot().encode();
    Digest digest = held.snapshot().digest();
    Bytes key = key(ledger, digest);
    MetaBatch batch = new MetaBatch();
    List<Bytes> old = new ArrayList<>();
    meta.scan(prefix(ledger), null, (each, _) -> old.add(each));
    for (Bytes each : old) {
      Digest of = Digest.of(each.toArray(), 1 + Digest.BYTES);
      if (!each.equals(key) && !named.contains(of)) {
        batch.delete(each);
      }
    }
    CborWriter window = new CborWriter();
    held.window().forEach(window::raw);
    batch.put(
        key,
        new CborWriter().array(3).uint(VERSION).bytes(encoded).bytes(window.toBytes()).toBytes());
    meta.write(batch);
    return digest;
  }

  /// @throws CorruptStreamException if the row is damaged
  public Optional<Held> find(LedgerId ledger, Digest digest)
      throws IOException, CorruptStreamException {
    Bytes row = meta.get(key(ledger, digest));
    if (row == null) {
      return Optional.empty();
    }
    try {
      CborReader in = new CborReader(row);
      in.array("snapshot row", 3);
      long version = in.uint();
      if (version != VERSION) {
        throw new MalformedException("row version " + version + ", want " + VERSION);
      }
      Snapshot snapshot = Snapshot.decode(Bytes.wrap(in.bytes("snapshot", Snapshot.BYTES_MAX)));
      Bytes window = Bytes.wrap(in.bytes("window", WINDOW_BYTES_MAX));
      in.end();
      return Optional.of(new Held(snapshot, entries(window)));
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "snapshot " + digest + " of " + ledger, 0, String.valueOf(e.getMessage()));
    }
  }

  /// The snapshot that a purge names.
  ///
  /// @throws CorruptStreamException also if it is missing
  public Held named(LedgerId ledger, Purge purge) throws IOException, CorruptStreamException {
    return find(ledger, purge.snapshot())
        .orElseThrow(() ->
            new CorruptStreamException(
                "snapshots of " + ledger, purge.jsn(), "that of the purge is missing"));
  }

  private static List<Bytes> entries(Bytes window) throws MalformedException {
    if (window.size() % Snapshot.WINDOW_ENTRY_BYTES != 0) {
      throw new MalformedException("window of " + window.size() + " bytes");
    }
    List<Bytes> entries = new ArrayList<>(window.size() / Snapshot.WINDOW_ENTRY_BYTES);
    for (int at = 0; at < window.size(); at += Snapshot.WINDOW_ENTRY_BYTES) {
      entries.add(window.slice(at, Snapshot.WINDOW_ENTRY_BYTES));
    }
    return entries;
  }
}
