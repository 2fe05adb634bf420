package io.tallystick.server.removal;

import io.tallystick.cose.CoseSign1;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.removal.SnapshotBuilder;
import io.tallystick.server.clue.ClueImage;
import io.tallystick.server.clue.SnapshotClues;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.note.NoteWriter;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.JournalCheck;
import io.tallystick.server.seal.LeafBuilder;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.state.StateImages;
import io.tallystick.server.world.Purge;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Makes the snapshot of a strand at one of its seals, from its journals, each compared with the
/// tree. Appends go on beside it. Not thread-safe.
public final class SnapshotMaker {
  /// The last, and the one before, with which the log begins again if the last is recalled.
  private static final int PURGES_KEPT = 2;

  private final SnapshotRows rows;
  private final StateImages states;
  private final Stillness still;
  private final Disk disk;
  private final BatchHasher hasher;
  private final LeafBuilder leaves;

  /// @param still while it is held, files that are not needed any more stay until the next time
  public SnapshotMaker(
      SnapshotRows rows, StateImages states, Stillness still, Disk disk, BatchHasher hasher) {
    this.rows = rows;
    this.states = states;
    this.still = still;
    this.disk = disk;
    this.hasher = hasher;
    this.leaves = new LeafBuilder(hasher);
  }

  /// Makes it and keeps it, durable on return. Not for the threads that commit and index.
  ///
  /// @param height of the last block that a purge would remove
  /// @param absent kids of affected members who do not sign
  /// @throws RequestRejectedException `OUT_OF_RANGE`, `PURGE_TOO_LOW`; `TARGET_INVALID` if one is
  ///   absent who is not affected; `TOO_LARGE`
  public SnapshotRows.Held make(
      StrandIndex strand, LogReader log, long height, Collection<Digest> absent)
      throws IOException, CorruptStreamException, RequestRejectedException {
    return begin(strand, log, height, absent).finish();
  }

  /// The same, but for what waits until its notes are durable.
  public Made begin(StrandIndex strand, LogReader log, long height, Collection<Digest> absent)
      throws IOException, CorruptStreamException, RequestRejectedException {
    SealedHead head = strand.head();
    if (height < 1 || height >= head.blocks()) {
      throw new RequestRejectedException(
              RejectionCode.OUT_OF_RANGE,
              String.format(Locale.ROOT, "block %d, want 1 to %d", height, head.blocks() - 1))
          .withLimit(head.blocks() - 1);
    }
    Optional<Purge> last = head.governance().removals().lastPurge();
    BlockRow end = strand.block(height);
    if (last.isPresent() && end.size() <= last.get().jsn()) {
      throw last.get().tooLow(end.size());
    }
    Set<Long> heights = new HashSet<>(Set.of(height));
    last.ifPresent(purge -> heights.add(purge.height()));
    rows.checkFetched(strand.strand(), heights);
    try {
      SnapshotRows.Held made = make(strand, log, height, end, last, absent);
      Set<Digest> named =
          head.governance().removals().purges().reversed().stream()
              .limit(PURGES_KEPT)
              .map(Purge::snapshot)
              .collect(Collectors.toSet());
      StrandId id = strand.strand();
      long erasures = states.erasures(id);
      return new Made(
          strand, made, rows.keepLater(id, made, named, () -> checkWhole(id, erasures)));
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "journals of " + strand.strand(), 0, String.valueOf(e.getMessage()));
    }
  }

  private SnapshotRows.Held make(
      StrandIndex strand,
      LogReader log,
      long height,
      BlockRow end,
      Optional<Purge> last,
      Collection<Digest> absent)
      throws IOException, CorruptStreamException, RequestRejectedException, MalformedException {
    SnapshotBuilder builder = new SnapshotBuilder(end.timeMs());
    if (last.isPresent()) {
      SnapshotRows.Held before = rows.named(strand.strand().ledger(), last.get());
      builder.begin(before.snapshot(), before.window());
    }
    long from = last.map(purge -> purge.height() + 1).orElse(0L);
    long firstPurged = last.map(Purge::firstKept).orElse(0L);
    try (StateImages.Making state =
        strand.hasState() ? states.begin(strand, height, last, hasher) : null) {
      addBlocks(builder, state, strand, log, from, height);
      SnapshotRows.Held made = build(builder, strand, height, end, absent, firstPurged);
      if (state != null) {
        state.finish(log, end.size());
      }
      return made;
    }
  }

  /// Other copies of values were made objects than an occult has left.
  private void checkWhole(StrandId strand, long erasures) throws RequestRejectedException {
    if (states.erasuresUntilNow(strand) != erasures) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "an occult came meanwhile; prepare the purge again");
    }
  }

  /// A snapshot that counts once its notes are durable.
  public final class Made {
    private final StrandIndex strand;
    private final SnapshotRows.Held held;
    private final CompletableFuture<SnapshotRows.Outcome> noted;

    private Made(
        StrandIndex strand, SnapshotRows.Held held, CompletableFuture<SnapshotRows.Outcome> noted) {
      this.strand = strand;
      this.held = held;
      this.noted = noted;
    }

    /// Whether {@link #finish} waits no more.
    public boolean isDone() {
      return noted.isDone();
    }

    /// Waits for the notes, and deletes what is not needed any more.
    ///
    /// @throws RequestRejectedException `RATE_LIMITED`, `STORAGE_FULL`, `UNAVAILABLE`
    public SnapshotRows.Held finish() throws IOException, RequestRejectedException {
      try {
        deleteOthers(strand, NoteWriter.await(noted).heights());
        return held;
      } finally {
        rows.deleteUnnamed();
      }
    }
  }

  private void deleteOthers(StrandIndex strand, Set<Long> heights) throws IOException {
    if (still.beginChange()) {
      try {
        ClueImage.deleteOthers(disk, strand.strand(), heights);
        states.deleteOthers(strand.strand(), heights);
      } finally {
        still.endChange();
      }
    }
  }

  /// Also writes the image from which the clues are rebuilt when these blocks are gone, and the
  /// clues from which an auditor goes on.
  private void addBlocks(
      SnapshotBuilder builder,
      StateImages.@Nullable Making state,
      StrandIndex strand,
      LogReader log,
      long from,
      long height)
      throws IOException, CorruptStreamException, MalformedException {
    Long clues = strand.head().governance().features().firstHeights().get(Feature.CLUE_TRIE);
    if (clues == null || clues > height) {
      for (long each = from; each <= height; each++) {
        var _ = add(builder, state, strand, log, each);
      }
      return;
    }
    try (ClueImage.Writer image = new ClueImage.Writer(disk, strand.strand(), height)) {
      if (from > 0 && clues < from) {
        image.addAll(strand.strand(), from - 1);
      }
      for (long each = from; each <= height; each++) {
        image.add(add(builder, state, strand, log, each));
      }
      image.finish();
    }
    SnapshotClues.write(disk, strand, height);
  }

  private BlockInfo add(
      SnapshotBuilder builder,
      StateImages.@Nullable Making state,
      StrandIndex strand,
      LogReader log,
      long height)
      throws IOException, CorruptStreamException, MalformedException {
    BlockRow row = strand.block(height);
    BlockInfo block = log.block(strand, row);
    JournalCheck.checkLeaves(strand.accumulator(), strand.strand(), row, leaves.leafHashes(block));
    if (state != null) {
      state.add(block, row.place());
    }
    for (int i = 0; i < block.submissions(); i++) {
      int first = block.firstJournal(i);
      long jsn = block.firstJsn() + first;
      Bytes attestation = block.attestation(i);
      if (block.genesis()) {
        builder.genesis(LeafBuilder.leaf(block, first), attestation);
      } else if (block.governance(first)) {
        builder.governance(jsn, LeafBuilder.leaf(block, first), attestation);
      } else {
        builder.signed(attestation);
      }
      for (int k = 0; k < block.signatureIds(i); k++) {
        builder.signature(
            block.signatureId(i, k, true),
            block.signatureId(i, k, false),
            jsn,
            block.latestExpiresMs(i));
      }
      if (block.governance(first)) {
        addServiceSignatures(builder, block, i, attestation);
      }
    }
    return block;
  }

  /// Adds the signatures of the service's keys: of a key rotation a block has the ids of the
  /// members' signatures only.
  private static void addServiceSignatures(
      SnapshotBuilder builder, BlockInfo block, int submission, Bytes attestation)
      throws MalformedException {
    int journal = block.firstJournal(submission);
    Bytes header = block.header(journal);
    if (RequestHeader.decode(header).kind() != Kind.KEY_ROTATION) {
      return;
    }
    Bytes payload = RequestHeader.hash(header).toBytes();
    for (CoseSign1 signature : Attestation.decode(attestation, Kind.KEY_ROTATION).signatures()) {
      Digest id = signature.signatureId(payload);
      builder.signature(
          id.firstWord(),
          id.secondWord(),
          block.firstJsn() + journal,
          block.latestExpiresMs(submission));
    }
  }

  private static SnapshotRows.Held build(
      SnapshotBuilder builder,
      StrandIndex strand,
      long height,
      BlockRow end,
      Collection<Digest> absent,
      long firstPurged)
      throws IOException, CorruptStreamException, RequestRejectedException {
    SnapshotBuilder.End at =
        new SnapshotBuilder.End(
            strand.ledger().paramsBytes(),
            strand.strand().strand(),
            end.size(),
            height,
            strand.sealLeaf(height, end));
    if (!builder.affected().containsAll(absent)) {
      throw new RequestRejectedException(
          RejectionCode.TARGET_INVALID, "absent members must be affected: " + builder.affected());
    }
    Map<Long, List<Digest>> paths = new HashMap<>();
    for (long jsn : builder.keptJsns()) {
      paths.put(jsn, strand.accumulator().inclusion(jsn, end.size()).path());
    }
    List<Digest> frontier = strand.accumulator().subtrees(end.size() - 1);
    try {
      return new SnapshotRows.Held(
          builder.build(at, absent, frontier, paths), builder.window(), firstPurged);
    } catch (IllegalArgumentException e) {
      // More journals are kept, or signatures open, than a snapshot has room for.
      throw new RequestRejectedException(
          RejectionCode.TOO_LARGE, String.valueOf(e.getMessage()), e);
    }
  }
}
