package io.tallystick.audit.evidence;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.audit.source.LogSource;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Extension;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// A log as its source tells it, from which proofs are made. Nothing of it is believed: evidence
/// that is made from it is confirmed before it is written. Source of the paths: RFC 9162 sections
/// 2.1.3.1 and 2.1.4.1.
public final class EvidenceLog {
  /// 512 MiB of leaf hashes.
  public static final int LEAVES_MAX = 1 << 24;

  private final Bytes genesisParams;
  private final List<Digest> leafHashes = new ArrayList<>();
  private final Map<Digest, Bytes> attestations = new HashMap<>();
  private final Map<Digest, PublicKey> keys = new HashMap<>();

  private EvidenceLog(Bytes genesisParams) {
    this.genesisParams = genesisParams;
  }

  /// Reads a whole log.
  ///
  /// @param attestations whose are kept, by their hash
  /// @throws LogFormatException if it is none, or does not begin with a genesis leaf
  /// @throws AuditLimitException if it has more than {@link #LEAVES_MAX} leaves
  public static EvidenceLog read(LogSource source, List<Digest> attestations)
      throws IOException, LogFormatException, AuditLimitException {
    try (LogSource.LogReader reader = source.open()) {
      if (reader.size() > LEAVES_MAX) {
        throw new AuditLimitException(
            String.format(
                Locale.ROOT,
                "a log of %d leaves; evidence is made from at most %d",
                reader.size(),
                LEAVES_MAX));
      }
      EvidenceLog log = null;
      for (LogEntry entry = reader.next(); entry != null; entry = reader.next()) {
        log = log == null ? new EvidenceLog(genesisParams(entry)) : log;
        log.add(entry, attestations);
      }
      if (log == null) {
        throw LogFormatException.malformed("a log without a leaf");
      }
      return log;
    }
  }

  private static Bytes genesisParams(LogEntry entry) throws LogFormatException {
    try {
      if (Leaf.decode(entry.leaf()) instanceof GenesisLeaf genesis) {
        return genesis.genesisParams();
      }
    } catch (MalformedException e) {
      throw LogFormatException.malformed("leaf 0: " + e.getMessage());
    }
    throw LogFormatException.malformed("leaf 0 is no genesis leaf");
  }

  private void add(LogEntry entry, List<Digest> wanted) {
    leafHashes.add(Leaf.hash(entry.leaf()));
    Bytes attestation = entry.attestation();
    if (!attestation.isEmpty()) {
      Digest hash = Attestation.hash(attestation);
      if (wanted.contains(hash)) {
        attestations.put(hash, attestation);
      }
    }
    readKeys(entry.leaf());
  }

  /// A leaf that is malformed names no key; whoever makes evidence from it shows why.
  private void readKeys(Bytes encoded) {
    try {
      switch (Leaf.decode(encoded)) {
        case GenesisLeaf genesis ->
            GenesisParams.decode(genesis.genesisParams()).owners().forEach(this::add);
        case JournalLeaf journal -> {
          switch (RequestHeader.decode(journal.header()).extension()) {
            case Extension.MemberAdd added -> add(added.key());
            case Extension.Grant grant -> add(grant.key());
            default -> {}
          }
        }
        default -> {}
      }
    } catch (MalformedException _) {
      // As above.
    }
  }

  private void add(PublicKey key) {
    keys.putIfAbsent(key.kid(), key);
  }

  public Bytes genesisParams() {
    return genesisParams;
  }

  public long size() {
    return leafHashes.size();
  }

  Optional<Bytes> attestation(Digest hash) {
    return Optional.ofNullable(attestations.get(hash));
  }

  /// A key that genesis or a journal names, whether or not it may sign.
  Optional<PublicKey> key(Digest kid) {
    return Optional.ofNullable(keys.get(kid));
  }

  /// @param size above `index`, at most {@link #size}
  InclusionProof inclusion(long index, long size) {
    List<Digest> path = new ArrayList<>();
    include(Math.toIntExact(index), 0, Math.toIntExact(size), path);
    return new InclusionProof(index, size, path);
  }

  private void include(int index, int from, int to, List<Digest> path) {
    if (to - from == 1) {
      return;
    }
    int middle = from + split(to - from);
    if (index < middle) {
      include(index, from, middle, path);
      path.add(root(middle, to));
    } else {
      include(index, middle, to, path);
      path.add(root(from, middle));
    }
  }

  /// @param from at least 1
  /// @param to at least `from`, at most {@link #size}
  ConsistencyProof consistency(long from, long to) {
    List<Digest> path = new ArrayList<>();
    if (from < to) {
      join(Math.toIntExact(from), 0, Math.toIntExact(to), true, path);
    }
    return new ConsistencyProof(from, to, path);
  }

  /// @param old the end of the older tree, within the range
  /// @param whole whether the older tree is a complete subtree from leaf 0 on, which is left out
  private void join(int old, int from, int to, boolean whole, List<Digest> path) {
    if (old == to) {
      if (!whole) {
        path.add(root(from, to));
      }
      return;
    }
    int middle = from + split(to - from);
    if (old <= middle) {
      join(old, from, middle, whole, path);
      path.add(root(middle, to));
    } else {
      join(old, middle, to, false, path);
      path.add(root(from, middle));
    }
  }

  /// The largest power of two below a width of 2 or more.
  private static int split(int width) {
    return Integer.highestOneBit(width - 1);
  }

  Digest root(int from, int to) {
    return TreeHasher.rootOverLeafHashes(leafHashes.subList(from, to));
  }
}
