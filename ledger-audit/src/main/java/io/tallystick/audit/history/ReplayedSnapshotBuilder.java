package io.tallystick.audit.history;

import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.chunk.Event;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.CompactRange;
import io.tallystick.audit.replay.ReplayRemovalRows;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Leaf;
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
import org.jspecify.annotations.Nullable;

/// Gathers what a purge's snapshot holds as the replay goes by: the journals that a purge keeps,
/// and whom it affects. Source: `docs/formats/removal.md`. Not thread-safe.
final class ReplayedSnapshotBuilder {
  private final TreeMap<Long, Event.Shown> kept = new TreeMap<>();

  /// Who signed journals of kinds 1 and 2, and the last of them.
  private final TreeMap<Digest, Long> signers = new TreeMap<>();

  /// By the kid that was replaced and signed for it.
  private final Map<Digest, Digest> successors = new HashMap<>();

  private long timeJsn = -1;
  private long timeSize = -1;

  /// The lowest leaf that the log has, the subtrees of those below, and there the paths of `kept`.
  private long start;

  private List<Digest> startFrontier = List.of();
  private final TreeMap<Long, List<Digest>> startPaths = new TreeMap<>();

  /// A snapshot whose affected members depend on where the purge before ended.
  ///
  /// @param snapshot in which nobody is affected
  /// @param signers of journals of kinds 1 and 2, and the last of them
  /// @param successors of kids that signed for them
  record Made(Snapshot snapshot, Map<Digest, Long> signers, Map<Digest, Digest> successors) {
    Made {
      signers = Map.copyOf(signers);
      successors = Map.copyOf(successors);
    }

    /// Nobody is absent.
    ///
    /// @param from the lowest jsn that goes
    Snapshot of(long from) {
      TreeSet<Digest> affected = new TreeSet<>();
      signers.forEach((signer, last) -> {
        if (last >= from) {
          affected.add(successor(signer));
        }
      });
      return snapshot.withAffected(affected);
    }

    private Digest successor(Digest signer) {
      Digest kid = signer;
      for (Digest next = successors.get(kid); next != null; next = successors.get(kid)) {
        kid = next;
      }
      return kid;
    }
  }

  /// The size that the newest time journal is about; negative if there is none.
  long timeSize() {
    return timeSize;
  }

  /// A leaf that stays.
  void keep(long jsn, Event.Shown shown) {
    // One more than a snapshot may have, so that a log with too many is known by it.
    if (kept.size() <= Snapshot.KEPT_MAX) {
      kept.put(jsn, shown);
    }
  }

  /// Begins behind the seal up to which the log was purged. The journals that stay follow.
  void begin(Snapshot before) {
    CompactRange range = new CompactRange();
    start = before.firstKept().value();
    range.restore(start - 1, before.frontier());
    range.append(Leaf.hash(before.seal()).toArray(), 0);
    startFrontier = range.subtrees();
    Snapshot.Kept genesis = before.kept().getFirst();
    keep(0, new Event.Shown(genesis.leaf(), genesis.attestation()));
    startPaths.put(0L, genesis.path());
    // Whom the purge affects, a purge affects that goes as far or farther and comes before it.
    before.affected().forEach(kid -> signers.put(kid, start - 1));
  }

  /// A journal that stays from below where the log begins.
  void keep(Beginning.Kept journal) {
    if (journal.journal().header().extension() instanceof Extension.Time time) {
      timeJsn = journal.jsn();
      timeSize = time.size().value();
    }
    keep(journal.jsn(), journal.shown());
    startPaths.put(journal.jsn(), journal.path());
  }

  /// A submission that keeps the rules.
  void submitted(Event.Submission submission) {
    switch (submission.extension()) {
      case Extension.None _ ->
          submission.kids().forEach(kid -> signers.put(kid, submission.lastJsn()));
      case Extension.Time time -> {
        kept.remove(timeJsn);
        timeJsn = submission.firstJsn();
        timeSize = time.size().value();
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

  /// Behind a seal that is the last leaf of `rows`.
  ///
  /// @param genesisParams as the genesis leaf has them
  /// @param window the signatures that can be used again, 32 bytes each
  Made build(Bytes genesisParams, int strand, SealLeaf seal, ReplayRemovalRows rows, Bytes window)
      throws AuditLimitException, IOException {
    long firstKept = seal.jsn().value() + 1;
    if (kept.size() > Snapshot.KEPT_MAX) {
      throw new AuditLimitException("more than " + Snapshot.KEPT_MAX + " journals would be kept");
    }
    NavigableMap<Long, List<Digest>> paths = new TreeMap<>();
    kept.keySet().forEach(jsn -> paths.put(jsn, new ArrayList<>()));
    Digest _ = new Paths(rows, paths, this).root(0, firstKept);
    List<Snapshot.Kept> shown = new ArrayList<>(kept.size());
    kept.forEach((jsn, each) ->
        shown.add(
            new Snapshot.Kept(
                each.leaf(), each.attestation(), paths.getOrDefault(jsn, List.of()))));
    List<Bytes> entries = entries(window);
    Snapshot snapshot =
        new Snapshot(
            genesisParams,
            strand,
            new Jsn(firstKept),
            seal.height(),
            seal.encode(),
            frontier(rows, firstKept - 1),
            shown,
            entries.size(),
            Snapshot.windowRoot(entries),
            List.of(),
            List.of());
    return new Made(snapshot, signers, successors);
  }

  /// The root of the leaves in that range, if it is one of the complete subtrees that the log
  /// begins behind.
  private @Nullable Digest subtree(long from, long to) {
    long at = 0;
    for (Digest root : startFrontier) {
      long size = Long.highestOneBit(start - at);
      if (at == from && at + size == to) {
        return root;
      }
      at += size;
    }
    return null;
  }

  private static List<Bytes> entries(Bytes window) {
    List<Bytes> entries = new ArrayList<>();
    for (int at = 0; at < window.size(); at += Snapshot.WINDOW_ENTRY_BYTES) {
      entries.add(window.slice(at, Snapshot.WINDOW_ENTRY_BYTES));
    }
    entries.sort(null);
    return entries;
  }

  private List<Digest> frontier(ReplayRemovalRows rows, long size) throws IOException {
    CompactRange range = new CompactRange();
    range.restore(start, startFrontier);
    for (long jsn = start; jsn < size; jsn++) {
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
    out.writeLong(timeSize);
    out.writeInt(signers.size());
    for (Map.Entry<Digest, Long> signer : signers.entrySet()) {
      out.write(signer.getKey().toArray());
      out.writeLong(signer.getValue());
    }
    out.writeLong(start);
    write(startFrontier, out);
    out.writeInt(startPaths.size());
    for (Map.Entry<Long, List<Digest>> each : startPaths.entrySet()) {
      out.writeLong(each.getKey());
      write(each.getValue(), out);
    }
    out.writeInt(successors.size());
    for (Map.Entry<Digest, Digest> each : new TreeMap<>(successors).entrySet()) {
      out.write(each.getKey().toArray());
      out.write(each.getValue().toArray());
    }
  }

  private static void write(List<Digest> hashes, DataOutputStream out) throws IOException {
    out.writeInt(hashes.size());
    for (Digest hash : hashes) {
      out.write(hash.toArray());
    }
  }

  private static List<Digest> hashes(DataInputStream in) throws IOException {
    int count = in.readInt();
    List<Digest> hashes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      hashes.add(Digest.of(in.readNBytes(Digest.BYTES)));
    }
    return hashes;
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
    timeSize = in.readLong();
    int kids = in.readInt();
    for (int i = 0; i < kids; i++) {
      signers.put(Digest.of(in.readNBytes(Digest.BYTES)), in.readLong());
    }
    start = in.readLong();
    startFrontier = hashes(in);
    int known = in.readInt();
    for (int i = 0; i < known; i++) {
      startPaths.put(in.readLong(), hashes(in));
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
  /// @param known what stands for the leaves that the log does not have
  private record Paths(
      ReplayRemovalRows rows,
      NavigableMap<Long, List<Digest>> paths,
      ReplayedSnapshotBuilder known) {
    Digest root(long from, long to) throws IOException {
      Map<Long, List<Digest>> within = paths.subMap(from, to);
      Digest subtree = known.subtree(from, to);
      if (subtree != null) {
        int height = Long.numberOfTrailingZeros(to - from);
        within.forEach((jsn, path) ->
            path.addAll(known.startPaths.getOrDefault(jsn, List.of()).subList(0, height)));
        return subtree;
      }
      if (to - from == 1) {
        return rows.leafHash(from);
      }
      if (within.isEmpty() && from >= known.start) {
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
