package io.tallystick.server.host;

import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.TimeProof;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.node.AnchoredAt;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.Appending;
import io.tallystick.node.NewestHead;
import io.tallystick.node.ProvenTime;
import io.tallystick.node.StampedHead;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.TimeJournals;
import io.tallystick.node.UnanchoredHead;
import io.tallystick.note.Checkpoint;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.seal.TimeRequest;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.world.NewestTime;
import io.tallystick.server.world.ServiceTerms;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The time journals of a shard's strands. What a request names is read from what is sealed, and
/// never changes; the sequencer judges the rest. Those of one strand are written one after the
/// other, so that each finds the one before sealed. Source: `docs/architecture.md`, "Life of an
/// anchor".
final class ShardTimeJournals implements TimeJournals {
  private static final int LOCKS = 64;

  /// As long as a proxy waits for a server.
  private static final long SEALED_SECONDS_MAX = 30;

  /// Genesis and its seal.
  private static final int FIRST_SIZE = 2;

  private final Shard shard;
  private final StrandReads strands;
  private final HeadSigner signer;
  private final RandomGenerator salts;
  private final Object[] locks = new Object[LOCKS];

  /// @param salts thread-safe
  ShardTimeJournals(Shard shard, StrandReads strands, HeadSigner signer, RandomGenerator salts) {
    this.shard = shard;
    this.strands = strands;
    this.signer = signer;
    this.salts = salts;
    Arrays.setAll(locks, _ -> new Object());
  }

  @Override
  public List<UnanchoredHead> unanchored(@Nullable StrandId after, int limit) {
    List<UnanchoredHead> waiting = new ArrayList<>();
    for (LedgerId id : shard.sequencer().ledgers(after == null ? null : after.ledger())) {
      if (waiting.size() >= limit) {
        break;
      }
      StrandHead head = shard.sequencer().head(id);
      if (head != null && !head.anchored()) { // most are, and are not opened for this
        waitingHead(new StrandId(id, 0)).ifPresent(waiting::add);
      }
    }
    return waiting;
  }

  /// Empty also for a strand that cannot be read now: the others go on, and reads say what it is.
  private Optional<UnanchoredHead> waitingHead(StrandId strand) {
    try {
      return strands.read(strand, this::waitingHead);
    } catch (RequestRejectedException _) {
      return Optional.empty();
    }
  }

  private Optional<UnanchoredHead> waitingHead(StrandIndex index)
      throws IOException, CorruptStreamException {
    SealedHead head = index.head();
    Optional<NewestTime> newest = head.governance().newestTime();
    if (newest.isEmpty()) {
      BlockRow genesis = index.block(0);
      return Optional.of(
          new UnanchoredHead(
              index.strand(),
              checkpoint(index, FIRST_SIZE, new JournalRoot(genesis.headRoot())),
              true,
              head.size() - head.blocks(),
              genesis.timeMs()));
    }
    NewestTime time = newest.get();
    if (time.coversAll(head.size())) {
      return Optional.empty();
    }
    long covered = index.heightOf(time.size() - 1);
    long seals = head.height() - covered;
    return Optional.of(
        new UnanchoredHead(
            index.strand(),
            checkpoint(index, head.size(), new JournalRoot(head.root())),
            false,
            head.size() - time.size() - seals - 1,
            firstAbove(index, covered, time).timeMs()));
  }

  /// The first block above the one at `covered` that has more than the time journal.
  private static BlockRow firstAbove(StrandIndex index, long covered, NewestTime time)
      throws IOException, CorruptStreamException {
    BlockRow next = index.block(covered + 1);
    return time.coversAll(next.size()) && next.firstJsn() == time.jsn()
        ? index.block(covered + 2)
        : next;
  }

  private static Checkpoint checkpoint(StrandIndex index, long size, JournalRoot root) {
    String origin = index.ledger().params().origin(index.strand().strand());
    return new Checkpoint(origin, new TreeSize(size), root);
  }

  @Override
  public NewestHead newest(StrandId strand) throws RequestRejectedException {
    return strands.read(strand, this::newest);
  }

  private NewestHead newest(StrandIndex index)
      throws IOException, CorruptStreamException, RequestRejectedException {
    SealedHead head = index.head();
    Checkpoint newest = checkpoint(index, head.size(), new JournalRoot(head.root()));
    Optional<NewestTime> time = head.governance().newestTime();
    return time.isPresent() && time.get().coversAll(head.size())
        ? new NewestHead(newest, Optional.of(stamped(index, time.get().jsn())))
        : new NewestHead(newest, Optional.empty());
  }

  @Override
  public Optional<StampedHead> stamped(StrandId strand, long size) throws RequestRejectedException {
    return strands.read(
        strand,
        index -> {
          Optional<NewestTime> newest = index.head().governance().newestTime();
          return newest.isPresent() && newest.get().size() >= size
              ? Optional.of(stamped(index, newest.get().jsn()))
              : Optional.empty();
        });
  }

  private StampedHead stamped(StrandIndex index, long jsn)
      throws IOException, CorruptStreamException, RequestRejectedException {
    JournalLeaf leaf = timeLeaf(index, jsn);
    RequestHeader header = header(leaf);
    if (!(header.extension() instanceof Extension.Time time)) {
      throw damaged(jsn, new MalformedException("it names no head"));
    }
    return new StampedHead(
        jsn,
        leaf.timeMs(),
        TimeRequest.genTimeMs(header),
        checkpoint(index, time.size().value(), time.root()));
  }

  @Override
  public AnchoredAt append(TimeAnchor anchor) throws RequestRejectedException {
    StrandId strand = anchor.strand();
    TimeProof proof = anchor.proof();
    int bytes = proof.encode().size();
    if (bytes > Limits.TIME_PROOF_BYTES_MAX) {
      throw new RequestRejectedException(
              RejectionCode.TOO_LARGE,
              String.format(
                  Locale.ROOT,
                  "time proof of %d bytes, at most %d",
                  bytes,
                  Limits.TIME_PROOF_BYTES_MAX))
          .withLimit(Limits.TIME_PROOF_BYTES_MAX);
    }
    synchronized (locks[Math.floorMod(strand.hashCode(), LOCKS)]) {
      ServiceTerms service = strands.read(strand, index -> index.head().members().service());
      Extension.Time time = strands.read(strand, index -> timeOf(index, anchor.head(), proof));
      return await(
          strands.read(
              strand,
              _ -> TimeRequest.sign(strand, time, anchor.provenMs(), newSalt(), signer, service)));
    }
  }

  @Override
  public Optional<ProvenTime> lastAt(StrandId strand, long timeMs) throws RequestRejectedException {
    return strands.read(strand, index -> index.times().lastAt(timeMs, index.head().size()));
  }

  private JournalLeaf timeLeaf(StrandIndex index, long jsn)
      throws IOException, CorruptStreamException, RequestRejectedException {
    try {
      if (Leaf.decode(shard.log().journal(index, jsn, false).leaf()) instanceof JournalLeaf leaf) {
        return leaf;
      }
      throw new MalformedException("it is no journal");
    } catch (MalformedException e) {
      throw damaged(jsn, e);
    }
  }

  private static RequestHeader header(JournalLeaf leaf) throws RequestRejectedException {
    try {
      return RequestHeader.decode(leaf.header());
    } catch (MalformedException e) {
      throw damaged(leaf.jsn().value(), e);
    }
  }

  private static RequestRejectedException damaged(long jsn, MalformedException why) {
    return new RequestRejectedException(
        RejectionCode.DAMAGED, "time journal " + jsn + ": " + why.getMessage(), why);
  }

  private Bytes newSalt() {
    byte[] salt = new byte[Limits.SALT_BYTES];
    salts.nextBytes(salt);
    return Bytes.wrap(salt);
  }

  private static Extension.Time timeOf(StrandIndex index, Checkpoint stamped, TimeProof proof)
      throws IOException, CorruptStreamException, RequestRejectedException {
    SealedHead head = index.head();
    Optional<NewestTime> newest = head.governance().newestTime();
    long size = stamped.size().value();
    long least = newest.map(time -> time.jsn() + 1).orElse((long) FIRST_SIZE);
    if (size < least || size > head.size()) {
      throw outOfRange(
          size, String.format(Locale.ROOT, "want %d to %d", least, head.size()), head.size());
    }
    BlockRow row = index.block(index.heightOf(size - 1));
    if (row.size() != size) {
      throw outOfRange(size, "the block there ends with size " + row.size(), head.size());
    }
    Checkpoint sealed = checkpoint(index, size, new JournalRoot(row.headRoot()));
    if (!sealed.equals(stamped)) {
      throw new RequestRejectedException(
          RejectionCode.PRECONDITION_FAILED,
          String.format(
              Locale.ROOT, "the head of size %d is %s, stamped is %s", size, sealed, stamped));
    }
    Optional<JournalRef> previous = Optional.empty();
    if (newest.isPresent()) {
      long jsn = newest.get().jsn();
      previous = Optional.of(new JournalRef(new Jsn(jsn), index.accumulator().leafHash(jsn)));
    }
    return new Extension.Time(stamped.size(), stamped.root(), previous, proof);
  }

  private static RequestRejectedException outOfRange(long size, String detail, long limit) {
    return new RequestRejectedException(
            RejectionCode.OUT_OF_RANGE, "time of size " + size + ": " + detail)
        .withLimit(limit);
  }

  /// Waits until it is sealed, which it is as soon as it can be read. A shard that stops answers,
  /// too.
  private AnchoredAt await(VerifiedSubmission submission) throws RequestRejectedException {
    AppendTicket ticket = AppendTicket.open();
    shard.append(List.of(new Appending(submission, ticket)), 0);
    try {
      Committed landed = ticket.receipted().get(SEALED_SECONDS_MAX, TimeUnit.SECONDS).committed();
      return new AnchoredAt(landed.firstJsn(), landed.timeMs());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RequestRejectedException refusal) {
        throw refusal;
      }
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "the shard stopped before the time journal was sealed", e);
    } catch (TimeoutException e) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "not sealed within " + SEALED_SECONDS_MAX + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "interrupted", e);
    }
  }
}
