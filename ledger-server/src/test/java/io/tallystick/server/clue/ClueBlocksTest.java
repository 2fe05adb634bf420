package io.tallystick.server.clue;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Feature;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendWaiter;
import io.tallystick.node.Appending;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LineageQuery;
import io.tallystick.node.ProvenLineage;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.LocalEpochs;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamSettings;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a page of a lineage reads a bounded number of bytes of blocks, however few leaves it takes
/// of each; the pages join all the same. Method: batches of 40 journals of which one names the
/// clue, and a limit of some of them.
class ClueBlocksTest {
  private static final int BLOCKS = 12;
  private static final int BATCH = 40;
  private static final Signatures SIGNATURES = SignatureProviders.best();

  private final Fixtures ledger = Fixtures.ledger().withFeatures(Set.of(Feature.CLUE_TRIE));
  private final Digest clueId = Commitments.clueId(ledger.strand().ledger(), "a");
  private final List<Long> jsns = new ArrayList<>();
  private final InMemoryDisk disk = new InMemoryDisk();
  private LocalStreamStore streams;
  private Shard shard;

  private static final class Ignoring implements AppendWaiter {
    @Override
    public boolean wantsCommitted() {
      return false;
    }

    @Override
    public void committed(Committed outcome) {}

    @Override
    public void failed(Throwable cause) {
      throw new AssertionError(cause);
    }

    @Override
    public Stream stream() {
      return _ -> {};
    }
  }

  @BeforeEach
  void append() throws Exception {
    streams =
        LocalStreamStore.openDeterministic(
            disk, "stream", new StreamSettings(256 << 10, 16 << 10, 64 << 10), new Random(1));
    InMemoryMetaStore meta = new InMemoryMetaStore();
    ShardStorage storage =
        new ShardStorage(
            disk,
            meta,
            streams,
            new StreamId(0),
            new LocalEpochs(meta, streams),
            () -> Instant.ofEpochMilli(Fixtures.TIME_MS));
    shard =
        Shard.open(
            storage,
            ShardConfig.defaults().withFreeBytesMin(0),
            ArrayLimits.DEFAULT,
            new CpuBatchHasher(),
            new HeadSigner(new Authority("localhost"), Fixtures.NOTE, Fixtures.RECEIPT),
            new CompositeMeterRegistry(),
            Runnable::run,
            (_, task) -> task.run());
    LedgerName name = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
    var _ =
        shard.found(
            FoundingVerifier.verify(
                ledger.params().encode(), ledger.genesisAttestation().encode(), name, SIGNATURES));
    turn();
    for (int i = 0; i < BLOCKS; i++) {
      append(i * BATCH);
    }
  }

  @AfterEach
  void close() throws Exception {
    shard.close();
    streams.close();
  }

  private void turn() throws Exception {
    assertThat(shard.commitTurn(0)).isTrue();
    assertThat(shard.indexTurn(0)).isTrue();
  }

  private void append(int first) throws Exception {
    List<SignedRequest> requests = new ArrayList<>(ledger.requests(first, BATCH));
    requests.set(7, ledger.draft(first + 7).withClues(List.of("a")).build());
    Submission batch = ledger.submission(requests, Fixtures.ALICE);
    jsns.add(strand().head().size() + 7);
    VerifiedSubmission verified =
        new SubmissionVerifier(SIGNATURES, Set.of(Feature.CLUE_TRIE))
            .verify(ledger.strand(), batch.requests(), batch.attestation(), ledger.keys());
    shard.append(List.of(new Appending(verified, new Ignoring())), 0);
    turn();
  }

  private StrandIndex strand() throws Exception {
    return shard.indexer().strand(ledger.strand());
  }

  private long blockBytes() throws Exception {
    return shard.log().cost(strand(), jsns.getFirst()).bytes();
  }

  private ClueReader reads(long blockBytes) {
    return new ClueReader(shard.evidence(), shard.log(), shard.indexer().recentHeads(), blockBytes);
  }

  private LineageQuery query(long from, boolean descending, long asOf) {
    return new LineageQuery(clueId, from, false, descending, 1000, asOf, 0);
  }

  private List<Integer> pages(ClueReader reads, boolean descending, long asOf, List<Long> wanted)
      throws Exception {
    List<Integer> sizes = new ArrayList<>();
    List<Long> seen = new ArrayList<>();
    long from = LineageQuery.FROM_END;
    for (int i = 0; i <= 2 * BLOCKS; i++) {
      ProvenLineage page = reads.lineage(strand(), query(from, descending, asOf));
      sizes.add(page.jsns().size());
      seen.addAll(page.jsns());
      if (page.next().isEmpty()) {
        break;
      }
      from = page.next().getAsLong();
    }
    assertThat(seen).isEqualTo(descending ? wanted.reversed() : wanted);
    return sizes;
  }

  @Test
  void aPageEndsWhereItsBlocksPassTheLimit() throws Exception {
    assertThat(blockBytes()).isGreaterThan(BATCH * 100);
    ClueReader four = reads(4 * blockBytes() - BATCH);
    assertThat(pages(four, false, 0, jsns)).containsExactly(4, 4, 4);
    assertThat(pages(four, true, 0, jsns)).containsExactly(4, 4, 4);
    assertThat(pages(reads(32 << 20), false, 0, jsns)).containsExactly(BLOCKS);
  }

  /// However small the limit is.
  @Test
  void aPageHasOneLeafAtLeast() throws Exception {
    assertThat(pages(reads(1), false, 0, jsns)).hasSize(BLOCKS).containsOnly(1);
    assertThat(pages(reads(1), true, 0, jsns)).hasSize(BLOCKS).containsOnly(1);
  }

  /// The journal behind the size is read too, which shows that there is none between.
  @Test
  void anOlderSizesPagesEndToo() throws Exception {
    long size = jsns.get(6) + 1;
    List<Long> wanted = jsns.subList(0, 7);
    for (boolean descending : new boolean[] {false, true}) {
      assertThat(pages(reads(4 * blockBytes() - BATCH), descending, size, wanted)).hasSize(2);
      assertThat(pages(reads(1), descending, size, wanted)).hasSizeLessThanOrEqualTo(9);
    }
  }

  @Test
  void manyLeavesOfOneBlockCostOneBlock() throws Exception {
    List<SignedRequest> requests = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      requests.add(ledger.draft(5000 + i).withClues(List.of("a")).build());
      jsns.add(strand().head().size() + i);
    }
    Submission batch = ledger.submission(requests, Fixtures.ALICE);
    VerifiedSubmission verified =
        new SubmissionVerifier(SIGNATURES, Set.of(Feature.CLUE_TRIE))
            .verify(ledger.strand(), batch.requests(), batch.attestation(), ledger.keys());
    shard.append(List.of(new Appending(verified, new Ignoring())), 0);
    turn();
    LineageQuery last = query(BLOCKS, false, 0);
    assertThat(reads(1).lineage(strand(), last).jsns()).hasSize(BATCH);
  }
}
