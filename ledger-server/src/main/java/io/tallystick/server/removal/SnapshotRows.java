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
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The snapshots that this shard has made: those that purges name, and of each ledger the newest
/// few that none names yet. `"n" ‖ ledgerId ‖ height u64 ‖ digest → [1, Snapshot bstr, window bstr,
/// from]`, the window's entries side by side. Thread-safe. Source: `docs/formats/savepoint.md`.
public final class SnapshotRows {
  private static final Bytes PREFIX = Bytes.utf8("n");
  private static final int VERSION = 1;
  private static final int WINDOW_BYTES_MAX = 1 << 30;
  private static final int HEIGHT_AT = 1 + Digest.BYTES;
  private static final int DIGEST_AT = HEIGHT_AT + Long.BYTES;

  /// Snapshots of one ledger that no purge names.
  private static final int OFFERED_MAX = 4;

  private final MetaStore meta;

  /// Keys of those that a purge may come to name.
  private final Set<Bytes> pinned;

  /// @param window its entries, ascending
  /// @param from where the purge before ended: whom a purge affects is told from there on
  public record Held(Snapshot snapshot, List<Bytes> window, long from) {
    public Held {
      window = List.copyOf(window);
    }
  }

  /// Of which nobody else knows the pins.
  public SnapshotRows(MetaStore meta) {
    this(meta, new HashSet<>());
  }

  /// @param pinned keys of those that a purge may come to name: they stay so when the shard opens
  ///   itself again and other rows take the place of these. Guarded by its own lock
  public SnapshotRows(MetaStore meta, Set<Bytes> pinned) {
    this.meta = meta;
    this.pinned = pinned;
  }

  private static Bytes prefix(LedgerId ledger) {
    byte[] key = new byte[1 + Digest.BYTES];
    PREFIX.copyInto(key, 0);
    ledger.digest().copyInto(key, 1);
    return Bytes.wrap(key);
  }

  private static Bytes key(LedgerId ledger, long height, Digest digest) {
    ByteBuffer key = ByteBuffer.allocate(DIGEST_AT + Digest.BYTES);
    key.put(prefix(ledger).toArray()).putLong(height).put(digest.toArray());
    return Bytes.wrap(key.array());
  }

  private static long heightOf(Bytes key) {
    return ByteBuffer.wrap(key.toArray()).getLong(HEIGHT_AT);
  }

  private static Digest digestOf(Bytes key) {
    return Digest.of(key.toArray(), DIGEST_AT);
  }

  /// Keeps a snapshot, durable on return. Of those that no purge names, or may come to name, only a
  /// few stay, the highest.
  ///
  /// @param named digests that purges name
  /// @return the heights of all that are kept
  public Set<Long> keep(LedgerId ledger, Held held, Set<Digest> named) throws IOException {
    synchronized (pinned) {
      return keepAlone(ledger, held, named);
    }
  }

  private Set<Long> keepAlone(LedgerId ledger, Held held, Set<Digest> named) throws IOException {
    Bytes encoded = held.snapshot().encode();
    Bytes key = key(ledger, held.snapshot().height(), held.snapshot().digest());
    List<Bytes> free = new ArrayList<>();
    Set<Long> heights = new HashSet<>();
    meta.scan(
        prefix(ledger),
        null,
        (each, _) -> {
          if (pinned.contains(each) || named.contains(digestOf(each)) || each.equals(key)) {
            heights.add(heightOf(each));
          } else {
            free.add(each);
          }
          return true;
        });
    MetaBatch batch = new MetaBatch();
    int dropped = Math.max(0, free.size() + 1 - OFFERED_MAX);
    free.subList(0, dropped).forEach(batch::delete);
    free.subList(dropped, free.size()).forEach(each -> heights.add(heightOf(each)));
    heights.add(held.snapshot().height());
    CborWriter window = new CborWriter();
    held.window().forEach(window::raw);
    batch.put(
        key,
        new CborWriter()
            .array(4)
            .uint(VERSION)
            .bytes(encoded)
            .bytes(window.toBytes())
            .uint(held.from())
            .toBytes());
    meta.write(batch);
    return heights;
  }

  /// The snapshot that a purge is about to name: it is kept from now on, until the process ends.
  public Optional<Held> pin(LedgerId ledger, long height, Digest digest)
      throws IOException, CorruptStreamException {
    synchronized (pinned) {
      Optional<Held> held = find(ledger, height, digest);
      if (held.isPresent()) {
        pinned.add(key(ledger, height, digest));
      }
      return held;
    }
  }

  /// Whether a snapshot with that digest is held, of whatever height.
  public boolean holds(LedgerId ledger, Digest digest) throws IOException {
    boolean[] found = {false};
    meta.scan(
        prefix(ledger),
        null,
        (each, _) -> {
          found[0] = digestOf(each).equals(digest);
          return !found[0];
        });
    return found[0];
  }

  /// @throws CorruptStreamException if the row is damaged
  private Optional<Held> find(LedgerId ledger, long height, Digest digest)
      throws IOException, CorruptStreamException {
    Bytes row = meta.get(key(ledger, height, digest));
    if (row == null) {
      return Optional.empty();
    }
    try {
      CborReader in = new CborReader(row);
      in.array("snapshot row", 4);
      long version = in.uint();
      if (version != VERSION) {
        throw new MalformedException("row version " + version + ", want " + VERSION);
      }
      Snapshot snapshot = Snapshot.decode(Bytes.wrap(in.bytes("snapshot", Snapshot.BYTES_MAX)));
      Bytes window = Bytes.wrap(in.bytes("window", WINDOW_BYTES_MAX));
      long from = in.uint();
      in.end();
      return Optional.of(new Held(snapshot, entries(window), from));
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "snapshot " + digest + " of " + ledger, 0, String.valueOf(e.getMessage()));
    }
  }

  /// The snapshot that a purge names.
  ///
  /// @throws CorruptStreamException also if it is missing
  public Held named(LedgerId ledger, Purge purge) throws IOException, CorruptStreamException {
    return find(ledger, purge.height(), purge.snapshot())
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
