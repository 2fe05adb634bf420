package io.tallystick.audit;

import io.tallystick.audit.replay.RemovalRows;
import io.tallystick.journal.Extension;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.removal.Snapshot;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// Gathers what a purge's snapshot holds as the replay goes by: the journals that a purge keeps,
/// and whom it affects. Source: `docs/formats/removal.md`. Not thread-safe.
final class SnapshotBuilder {
  private final TreeMap<Long, Event.Shown> kept = new TreeMap<>();
  private final TreeSet<Digest> signers = new TreeSet<>();

  /// By the kid that was replaced and signed for it.
  private final Map<Digest, Digest> successors = new HashMap<>();

  private long timeJsn = -1;

  /// A leaf that stays.
  void keep(long jsn, Event.Shown shown) {
    // One more than a snapshot may have, so that a log with too many is known by it.
    if (kept.size() <= Snapshot.KEPT_MAX) {
      kept.put(jsn, shown);
    }
  }

  /// A submission that keeps the rules.
  void submitted(Event.Submission submission) {
    switch (submission.extension()) {
      case Extension.None _ -> signers.addAll(submission.kids());
      case Extension.Time _ -> {
        kept.remove(timeJsn);
        timeJsn = submission.firstJsn();
      }
      case Extension.Grant grant ->
          grant
              .replaces()
              .filter(submission.kids()::contains)
              .ifPresent(kid -> successors.put(kid, grant.key().kid()));
      case Extension.MemberAdd _,
          Extension.MemberRevoke _,
          Extension.Parameters _,
          Extension.KeyRotation _,
          Extension.Removal _,
          Extension.Close _ -> {}
    }
    submission.shown().ifPresent(shown -> keep(submission.firstJsn(), shown));
  }

  /// Behind a seal that is the last leaf of `rows`; nobody is absent.
  ///
  /// @param genesisParams as the genesis leaf has them
  /// @param window the signatures that can be used again, 32 bytes each
  Snapshot build(Bytes genesisParams, int strand, SealLeaf seal, RemovalRows rows, Bytes window)
      throws AuditLimitException, IOException {
    long firstKept = seal.jsn().value() + 1;
    if (kept.size() > Snapshot.KEPT_MAX) {
      throw new AuditLimitException("more than " + Snapshot.KEPT_MAX + " journals would be kept");
    }
    NavigableMap<Long, List<Digest>> paths = new TreeMap<>();
    kept.keySet().forEach(jsn -> paths.put(jsn, new ArrayList<>()));
    Digest _ = new Paths(rows, paths).root(0, firstKept);
    List<Snapshot.Kept> shown = new ArrayList<>(kept.size());
    kept.forEach((jsn, each) ->
        shown.add(
            new Snapshot.Kept(
                each.leaf(), each.attestation(), paths.getOrDefault(jsn, List.of()))));
    List<Bytes> entries = entries(window);
    return new Snapshot(
        genesisParams,
        strand,
        new Jsn(firstKept),
        seal.height(),
        seal.encode(),
        frontier(rows, firstKept - 1),
        shown,
        entries.size(),
        Snapshot.windowRoot(entries),
        affected(),
        List.of());
  }

  /// Who must sign, each followed to its successor.
  private List<Digest> affected() {
    TreeSet<Digest> affected = new TreeSet<>();
    for (Digest signer : signers) {
      Digest kid = signer;
      for (Digest next = successors.get(kid); next != null; next = successors.get(kid)) {
        kid = next;
      }
      affected.add(kid);
    }
    return List.copyOf(affected);
  }

  private static List<Bytes> entries(Bytes window) {
    List<Bytes> entries = new ArrayList<>();
    for (int at = 0; at < window.size(); at += Snapshot.WINDOW_ENTRY_BYTES) {
      entries.add(window.slice(at, Snapshot.WINDOW_ENTRY_BYTES));
    }
    entries.sort(null);
    return entries;
  }

  private static List<Digest> frontier(RemovalRows rows, long size) throws IOException {
    CompactRange range = new CompactRange();
    for (long jsn = 0; jsn < size; jsn++) {
      range.append(rows.leafHash(jsn).toArray(), 0);
    }
    return range.subtrees();
  }

  /// Writes what it has gathered, for {@link #readFrom}.
  void writeTo(DataOutputStream out) throws IOException {
    out.writeInt(kept.size());
    for (Map.Entry<Long, Event.Shown> each : kept.entrySet()) {
      out.writeLong(each.getKey());
      write(each.getValue().leaf(), out);
      write(each.getValue().attestation(), out);
    }
    out.writeLong(timeJsn);
    out.writeInt(signers.size());
    for (Digest signer : signers) {
      out.write(signer.toArray());
    }
    out.writeInt(successors.size());
    for (Map.Entry<Digest, Digest> each : new TreeMap<>(successors).entrySet()) {
      out.write(each.getKey().toArray());
      out.write(each.getValue().toArray());
    }
  }

  private static void write(Bytes bytes, DataOutputStream out) throws IOException {
    out.writeInt(bytes.size());
    out.write(bytes.unsafeArray());
  }

  /// Before anything was gathered. Its writer is trusted.
  void readFrom(DataInputStream in) throws IOException {
    int leaves = in.readInt();
    for (int i = 0; i < leaves; i++) {
      kept.put(in.readLong(), new Event.Shown(read(in), read(in)));
    }
    timeJsn = in.readLong();
    int kids = in.readInt();
    for (int i = 0; i < kids; i++) {
      signers.add(Digest.of(in.readNBytes(Digest.BYTES)));
    }
    int pairs = in.readInt();
    for (int i = 0; i < pairs; i++) {
      Digest replaced = Digest.of(in.readNBytes(Digest.BYTES));
      successors.put(replaced, Digest.of(in.readNBytes(Digest.BYTES)));
    }
  }

  private static Bytes read(DataInputStream in) throws IOException {
    return Bytes.wrap(in.readNBytes(in.readInt()));
  }

  /// The inclusion paths of some leaves, by the definition of RFC 9162 section 2.1.3.1.
  ///
  /// @param paths by jsn, to be filled from the leaf up
  private record Paths(RemovalRows rows, NavigableMap<Long, List<Digest>> paths) {
    Digest root(long from, long to) throws IOException {
      if (to - from == 1) {
        return rows.leafHash(from);
      }
      Map<Long, List<Digest>> within = paths.subMap(from, to);
      if (within.isEmpty()) {
        CompactRange range = new CompactRange();
        for (long jsn = from; jsn < to; jsn++) {
          range.append(rows.leafHash(jsn).toArray(), 0);
        }
        return range.root();
      }
      long middle = from + Long.highestOneBit(to - from - 1);
      Digest left = root(from, middle);
      Digest right = root(middle, to);
      within.forEach((jsn, path) -> path.add(jsn < middle ? right : left));
      return TreeHasher.nodeHash(left, right);
    }
  }
}
