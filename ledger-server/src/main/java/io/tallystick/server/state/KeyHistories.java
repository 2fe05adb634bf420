package io.tallystick.server.state;

import io.tallystick.journal.Op;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.OpsRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.HistoryQuery;
import io.tallystick.node.KeyVersion;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ReadValue;
import io.tallystick.node.StateHistory;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Purge;
import io.tallystick.state.KeyWrite;
import io.tallystick.state.WriteProof;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// Makes histories of keys from the journals, each write with its proof, and as far as the states
/// between the writes are kept with what shows that none is left out. Thread-safe. Source:
/// `docs/formats/forest.md`.
final class KeyHistories {
  /// The most versions of one page: each may need a state of its own.
  private static final int VERSIONS_MAX = 100;

  /// A page ends behind the version whose proofs and value pass it.
  private static final long BYTES_WANTED = 1 << 20;

  /// Genesis and its seal come before it.
  private static final long FIRST_JOURNAL = 2;

  private final Evidence evidence;
  private final LogReader log;
  private final ValueReader values;
  private final States states;

  /// A page ends before the version for whose state more operations in all would be carried out
  /// again than these.
  private static final long OPERATIONS_WANTED = 200_000;

  /// The key as of a block.
  interface States {
    /// @return empty if that state cannot be had now
    Optional<ProvenState> at(long height)
        throws IOException, CorruptStreamException, RequestRejectedException;

    /// What it takes to make that state.
    Replay replay(long height) throws IOException, CorruptStreamException;
  }

  /// Operations that are carried out again to make a state.
  ///
  /// @param base height of the state that it is made from; those between a base and several states
  ///   are carried out once
  /// @param operations at most so many
  record Replay(long base, long operations) {
    static final Replay NONE = new Replay(0, 0);
  }

  KeyHistories(Evidence evidence, LogReader log, ValueReader values, States states) {
    this.evidence = evidence;
    this.log = log;
    this.values = values;
    this.states = states;
  }

  /// @param size of the tree; see {@link HistoryQuery}
  StateHistory read(StrandIndex strand, HistoryQuery query, long size)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long newest = checkedHeight(strand, size);
    long before = Math.min(size, query.before().orElse(size));
    checkNewer(query, before, size);
    Optional<Purge> purge = strand.head().governance().removals().lastPurge();
    long from = purge.map(Purge::firstKept).orElse(0L);
    if (before < from) {
      throw strand.head().governance().removals().purged(before);
    }
    int limit = Math.min(query.limit(), VERSIONS_MAX);
    WriteScan scan = WriteScan.run(log, strand, query.key(), limit, from, before);
    List<WriteScan.Found> found = scan.found();
    if (query.withValues()) {
      found = readable(strand, found);
    }
    List<Long> heights = List.of();
    if (query.withStates()) {
      heights = heights(strand, query, found, newest);
      found = found.subList(0, affordable(heights, found.size()));
    }
    boolean whole = found.size() == scan.found().size();
    long end = whole ? scan.end() : found.getLast().jsn();
    boolean over = whole && end == from;
    List<KeyVersion> versions = versions(strand, query, found, size);
    Optional<ProvenState> oldest = Optional.empty();
    if (query.withStates()) {
      oldest = addStates(versions, heights, over);
    }
    int fitting = fitting(versions);
    if (fitting < versions.size()) {
      versions = versions.subList(0, fitting);
      end = versions.getLast().write().jsn().value();
      over = false;
      oldest = Optional.empty();
    }
    OptionalLong purged =
        over && purge.isPresent() ? OptionalLong.of(purge.get().jsn()) : OptionalLong.empty();
    return new StateHistory(size, versions, end, over, purged, oldest);
  }

  private static void checkNewer(HistoryQuery query, long before, long size)
      throws RequestRejectedException {
    if (query.newer().isEmpty()) {
      return;
    }
    long newer = query.newer().getAsLong();
    if (newer < Math.max(before, FIRST_JOURNAL) || newer >= size) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED,
          String.format(
              Locale.ROOT,
              "newer write %d: want a journal not below %d and below size %d",
              newer,
              Math.max(before, FIRST_JOURNAL),
              size));
    }
  }

  /// The height of the block that a tree ends with.
  private static long checkedHeight(StrandIndex strand, long size)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long height = strand.heightOf(size - 1);
    long signed = strand.block(height).size();
    if (signed != size) {
      throw new RequestRejectedException(
              RejectionCode.OUT_OF_RANGE,
              String.format(
                  Locale.ROOT,
                  "no head was signed at size %d, the next one is at %d",
                  size,
                  signed))
          .withLimit(signed);
    }
    return height;
  }

  /// As many as one page has the values of.
  private List<WriteScan.Found> readable(StrandIndex strand, List<WriteScan.Found> found)
      throws IOException {
    int count = values.countOfPage(strand, found.stream().map(WriteScan.Found::held).toList());
    return found.subList(0, count);
  }

  private List<KeyVersion> versions(
      StrandIndex strand, HistoryQuery query, List<WriteScan.Found> found, long size)
      throws IOException, CorruptStreamException, RequestRejectedException {
    List<ReadValue> read =
        query.withValues()
            ? values.read(strand, found.stream().map(WriteScan.Found::held).toList())
            : Collections.nCopies(found.size(), ReadValue.NONE);
    List<KeyVersion> versions = new ArrayList<>(found.size());
    for (WriteScan.Found each : found) {
      WriteProof proof = proof(strand, each, size);
      boolean put = each.held().entry().isPresent();
      versions.add(
          new KeyVersion(
              proof,
              checked(strand, query.key(), proof),
              put ? read.get(versions.size()) : ReadValue.NONE,
              Optional.empty()));
    }
    return versions;
  }

  private WriteProof proof(StrandIndex strand, WriteScan.Found found, long size)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Bytes leaf = log.leaf(strand, found.jsn());
    BlockRow row = found.row();
    Bytes seal = strand.sealLeaf(found.height(), row);
    List<Bytes> ops = found.ops().values().stream().map(Op::encode).toList();
    return new WriteProof(
        leaf,
        evidence.inclusion(strand, found.jsn(), size, TreeHasher.leafHash(leaf)),
        ops.get(found.index()),
        OpsRoot.proof(ops, found.index()),
        seal,
        evidence.inclusion(strand, row.sealJsn(), size, TreeHasher.leafHash(seal)));
  }

  /// The leaf was proven to be the sealed one, so its path leads to the tree's root.
  private static KeyWrite checked(StrandIndex strand, Bytes key, WriteProof proof)
      throws RequestRejectedException {
    try {
      InclusionProof inclusion = proof.inclusion();
      Digest root = inclusion.rootFrom(TreeHasher.leafHash(proof.leaf()));
      return proof.verify(key, strand.strand(), inclusion.size(), new JournalRoot(root));
    } catch (ProofRejectedException e) {
      throw ProvenStateReader.damaged(e);
    }
  }

  /// The height of the state that shows whether a version stood until the next newer one, for each
  /// version; the last is that before the oldest. None of them: -1.
  private static List<Long> heights(
      StrandIndex strand, HistoryQuery query, List<WriteScan.Found> found, long newest)
      throws IOException, CorruptStreamException {
    long last = newest;
    if (query.newer().isPresent()) {
      last = strand.heightOf(query.newer().getAsLong()) - 1;
    }
    List<Long> heights = new ArrayList<>();
    for (WriteScan.Found each : found) {
      heights.add(each.height() <= last ? last : -1L);
      last = each.height() - 1;
    }
    heights.add(last);
    return heights;
  }

  /// For how many of the first versions the states are made in one call, at least one.
  private int affordable(List<Long> heights, int versions)
      throws IOException, CorruptStreamException {
    long operations = 0;
    long base = -1;
    for (int i = 0; i < versions; i++) {
      if (heights.get(i) >= 0) {
        Replay replay = states.replay(heights.get(i));
        operations += replay.base == base ? 0 : replay.operations;
        base = replay.base;
      }
      if (i > 0 && operations > OPERATIONS_WANTED) {
        return i;
      }
    }
    return versions;
  }

  /// Looks the states up from the oldest on: a state that is made anew is made from an older one.
  ///
  /// @return what the state held before the oldest version, of a history that is over
  private Optional<ProvenState> addStates(
      List<KeyVersion> versions, List<Long> heights, boolean over)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Optional<ProvenState> oldest = over ? states.at(heights.getLast()) : Optional.empty();
    for (int i = versions.size() - 1; i >= 0; i--) {
      if (heights.get(i) >= 0) {
        KeyVersion bare = versions.get(i);
        versions.set(
            i, new KeyVersion(bare.proof(), bare.write(), bare.value(), states.at(heights.get(i))));
      }
    }
    return oldest;
  }

  /// How many of the first versions one page has, at least one if there is any.
  private static int fitting(List<KeyVersion> versions) {
    long bytes = 0;
    for (int i = 0; i < versions.size(); i++) {
      KeyVersion version = versions.get(i);
      bytes += version.value().sizeBytes() + version.proof().byteCount();
      bytes += version.still().map(it -> it.proof().encode().size()).orElse(0);
      if (bytes >= BYTES_WANTED) {
        return i + 1;
      }
    }
    return versions.size();
  }
}
