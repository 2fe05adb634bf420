package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.evidence.Anchor;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestDraft;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.TreeSize;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptProposal;
import io.tallystick.server.shard.Epochs;
import io.tallystick.server.shard.LocalEpochs;
import io.tallystick.server.shard.ShardStoppedException;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Goal: a shard may be taken over from an older savepoint, with an epoch that all takers share,
/// and proposals and anchors are not lost. Method: two nodes on one stream, with a disk and a meta
/// store for each; the second has copies from before the first one's newest savepoint.
class TakeoverTest {
  private static final int JOURNALS = 60;
  private static final StreamId SHARD = new StreamId(0);

  private final Fixtures fixtures = Fixtures.ledger();
  private final LocalStreamStore streams =
      LocalStreamStore.openDeterministic(
          new InMemoryDisk(), "stream", TestNode.SMALL_SEGMENTS, new Random(1));
  private final AtomicLong epoch = new AtomicLong(6);
  private final Epochs shared = _ -> epoch.incrementAndGet();
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();

  private TestNode open(InMemoryDisk on, InMemoryMetaStore rows, Epochs epochs) throws Exception {
    return new TestNode(
        on,
        rows,
        streams,
        epochs,
        TestNode.CONFIG.withSavepointEvery(10, 60_000),
        new CpuBatchHasher(),
        Fixtures.RECEIPT);
  }

  private List<Receipted> append(TestNode node, int first) throws Exception {
    List<Receipted> receipts = new ArrayList<>();
    for (int i = first; i < first + JOURNALS; i++) {
      receipts.add(node.append(fixtures.single(i)));
    }
    return receipts;
  }

  private static Throwable failureOf(CompletableFuture<?> future) throws Exception {
    try {
      return new AssertionError("it was answered with " + future.get(60, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      return e.getCause() == null ? e : e.getCause();
    }
  }

  @Test
  void aTakerReplaysWhatItsSavepointLacksAndFencesTheOther() throws Exception {
    TestNode first = open(disk, meta, shared);
    first.found();
    List<Receipted> receipts = new ArrayList<>(append(first, 0));
    first.node.close();
    InMemoryDisk olderDisk = disk.copy();
    InMemoryMetaStore olderMeta = meta.copy();

    TestNode again = open(disk, meta, shared);
    receipts.addAll(append(again, JOURNALS));
    assertThatThrownBy(() -> new LocalEpochs(olderMeta, streams).next(SHARD))
        .as("what the older savepoint knows of epochs is not enough")
        .isInstanceOf(StreamFencedException.class);

    KeptProposal proposal = propose(again);
    KeptAnchor anchor = anchor(again);

    TestNode taker = open(olderDisk, olderMeta, shared);
    assertThat(
            taker
                .node
                .openProposals()
                .orElseThrow()
                .find(fixtures.strand().ledger(), proposal.requestHash()))
        .as("changed behind the savepoint")
        .contains(proposal);
    assertThat(
            taker
                .node
                .keptAnchors()
                .orElseThrow()
                .nearest(fixtures.strand(), 9, Set.of(Fixtures.ALICE.publicKey().kid())))
        .contains(anchor);
    assertThat(streams.epochOf(SHARD)).isEqualTo(9);
    checkRefused(again);
    checkFenced(again);
    assertThat(streams.epochOf(SHARD)).as("it does not take over in turn").isEqualTo(9);

    for (Receipted receipt : receipts) {
      assertThat(taker.verify(receipt).size().value()).isPositive();
    }
    assertThat(taker.append(fixtures.single(JOURNALS)).committed().repeated()).isTrue();
    Receipted next = taker.append(fixtures.single(2 * JOURNALS));
    assertThat(next.committed().repeated()).isFalse();
    assertThat(next.committed().firstJsn())
        .isEqualTo(receipts.getLast().committed().firstJsn() + 2);
    again.node.close();
    taker.close();
  }

  private KeptProposal propose(TestNode node) throws Exception {
    KeptProposal kept =
        new KeptProposal(
            Proposal.of(
                    RequestDraft.govern(
                            fixtures.strand(),
                            Kind.CLOSE,
                            Extension.Close.INSTANCE,
                            Fixtures.TIME_MS,
                            Bytes.wrap(new byte[32]))
                        .withExpiry(Fixtures.TIME_MS + 600_000)
                        .build())
                .signedBy(Fixtures.ALICE),
            KeptProposal.Outcome.Open.INSTANCE);
    assertThat(node.node.openProposals().orElseThrow().replace(null, kept)).isTrue();
    return kept;
  }

  private KeptAnchor anchor(TestNode node) throws Exception {
    Anchor anchor = new Anchor(fixtures.strand(), new TreeSize(2), new JournalRoot(Digest.ZERO));
    KeptAnchor kept =
        new KeptAnchor(anchor, Fixtures.ALICE.publicKey().kid(), anchor.sign(Fixtures.ALICE));
    node.node.keptAnchors().orElseThrow().keep(kept);
    return kept;
  }

  /// Its next append meets the fence. If work behind an earlier append (a savepoint) has met it
  /// before, the append is refused instead: at once, or when the sequencer takes it.
  private void checkRefused(TestNode fenced) throws Exception {
    Throwable failure;
    try {
      failure = failureOf(fenced.submit(fixtures.single(2 * JOURNALS)).receipted());
    } catch (RequestRejectedException atOnce) {
      failure = atOnce;
    }
    if (failure instanceof RequestRejectedException refused) {
      assertThat(refused.code()).isEqualTo(RejectionCode.UNAVAILABLE);
      assertThat(refused).hasMessageContaining("epoch 8 was taken over by epoch 9");
    } else {
      assertThat(failure).isInstanceOf(ShardStoppedException.class);
    }
  }

  /// It takes no appends any more; its reads go on.
  private void checkFenced(TestNode fenced) throws Exception {
    Waiting.until("it takes no appends", () -> !fenced.node.health().appendable());
    assertThat(fenced.node.health().readable()).isTrue();
    assertThat(fenced.node.journal(fixtures.strand(), 2, true).leaf()).isNotNull();
  }
}
