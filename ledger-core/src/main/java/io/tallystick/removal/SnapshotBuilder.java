package io.tallystick.removal;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Makes a snapshot from the journals of a log: from genesis on, or from the snapshot of the purge
/// before on. Journals are added in order. Source: `docs/formats/removal.md`.
public final class SnapshotBuilder {
  private static final int ID_BYTES = 16;

  private final long sealTimeMs;
  private final TreeMap<Long, Kept> kept = new TreeMap<>();
  private final TreeSet<Bytes> window = new TreeSet<>(Bytes::compareTo);
  private final TreeSet<Digest> signers = new TreeSet<>();
  private final Map<Digest, Digest> successors = new HashMap<>();
  private long newestTime = -1;

  private record Kept(Bytes leaf, Bytes attestation) {}

  /// The block up to which a purge goes.
  ///
  /// @param seal its encoded seal leaf, `firstKept` − 1
  public record End(Bytes genesisParams, int strand, long firstKept, long height, Bytes seal) {}

  /// @param sealTimeMs time of the seal up to which the snapshot goes; a signature that expires
  ///   then can still be used
  public SnapshotBuilder(long sealTimeMs) {
    this.sealTimeMs = sealTimeMs;
  }

  /// Goes on from the purge before. Must come first.
  ///
  /// @param entries of that snapshot's window
  public void begin(Snapshot before, Collection<Bytes> entries) throws MalformedException {
    for (Snapshot.Kept each : before.kept()) {
      Leaf leaf = Leaf.decode(each.leaf());
      keep(leaf.jsn().value(), each.leaf(), each.attestation());
    }
    entries.forEach(this::addToWindow);
  }

  /// Genesis.
  public void genesis(Bytes leaf, Bytes attestation) throws MalformedException {
    keep(0, leaf, attestation);
  }

  /// A journal of kind 16 or above, which stays readable.
  public void governance(long jsn, Bytes leaf, Bytes attestation) throws MalformedException {
    keep(jsn, leaf, attestation);
  }

  private void keep(long jsn, Bytes encoded, Bytes attestation) throws MalformedException {
    if (Leaf.decode(encoded) instanceof JournalLeaf leaf) {
      RequestHeader header = RequestHeader.decode(leaf.header());
      if (header.kind() == Kind.TIME) {
        if (newestTime >= 0) {
          kept.remove(newestTime);
        }
        newestTime = jsn;
      }
      if (header.extension() instanceof Extension.Grant grant && grant.replaces().isPresent()) {
        Digest replaced = grant.replaces().get();
        if (kids(Attestation.decode(attestation, header.kind())).contains(replaced)) {
          successors.put(replaced, grant.key().kid());
        }
      }
    }
    kept.put(jsn, new Kept(encoded, attestation));
  }

  /// A submission of kinds 1 and 2: its signers are affected.
  public void signed(Bytes attestation) throws MalformedException {
    signers.addAll(kids(Attestation.decode(attestation, Kind.APPEND)));
  }

  private static List<Digest> kids(Attestation attestation) throws MalformedException {
    List<Digest> kids = new ArrayList<>();
    for (CoseSign1 signature : attestation.signatures()) {
      kids.add(ProtectedHeader.kid(signature.protectedHeader()));
    }
    return kids;
  }

  /// A signature id of any submission.
  ///
  /// @param high its first 8 bytes
  /// @param low the next 8
  /// @param firstJsn of the submission
  /// @param expiresMs the latest time at which it could be used again
  public void signature(long high, long low, long firstJsn, long expiresMs) {
    ByteBuffer entry = ByteBuffer.allocate(Snapshot.WINDOW_ENTRY_BYTES);
    entry.putLong(high).putLong(low).putLong(firstJsn).putLong(expiresMs);
    addToWindow(Bytes.wrap(entry.array()));
  }

  private void addToWindow(Bytes entry) {
    long expiresMs = ByteBuffer.wrap(entry.toArray()).getLong(ID_BYTES + Long.BYTES);
    if (expiresMs >= sealTimeMs) { // it can be used until then, and more leaves can have that time
      window.add(entry);
    }
  }

  /// The entries of the window, ascending.
  public List<Bytes> window() {
    return List.copyOf(window);
  }

  /// Who must sign: the signers of journals of kinds 1 and 2 since the purge before, each replaced
  /// by whoever took its place with its consent.
  public List<Digest> affected() {
    TreeSet<Digest> affected = new TreeSet<>();
    for (Digest kid : signers) {
      Digest now = kid;
      for (@Nullable Digest next = successors.get(now); next != null; next = successors.get(now)) {
        now = next;
      }
      affected.add(now);
    }
    return List.copyOf(affected);
  }

  /// The journals that stay readable, ascending.
  public SortedSet<Long> keptJsns() {
    return Collections.unmodifiableSortedSet(kept.navigableKeySet());
  }

  /// @param absent of the {@link #affected} those who do not sign
  /// @param frontier the roots of the complete subtrees of the tree of size `firstKept` − 1,
  ///   largest first
  /// @param paths of the {@link #keptJsns} in the tree of size `firstKept`, from the leaf up
  /// @throws IllegalArgumentException if the snapshot would break a rule, such as an absent member
  ///   who is not affected
  public Snapshot build(
      End end, Collection<Digest> absent, List<Digest> frontier, Map<Long, List<Digest>> paths) {
    List<Snapshot.Kept> journals = new ArrayList<>(kept.size());
    for (Map.Entry<Long, Kept> each : kept.entrySet()) {
      Kept journal = each.getValue();
      List<Digest> path = Objects.requireNonNull(paths.get(each.getKey()));
      journals.add(new Snapshot.Kept(journal.leaf(), journal.attestation(), path));
    }
    List<Bytes> entries = window();
    return new Snapshot(
        end.genesisParams(),
        end.strand(),
        new Jsn(end.firstKept()),
        end.height(),
        end.seal(),
        frontier,
        journals,
        entries.size(),
        Snapshot.windowRoot(entries),
        affected(),
        List.copyOf(new TreeSet<>(absent)));
  }
}
