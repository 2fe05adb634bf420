package io.tallystick.server.proposal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestDraft;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.OpenProposals;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Fixtures;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: proposals are kept until they expire, no more than a ledger may have, and change only if
/// they are what the caller thinks; after a restart the same ones are there. Method: a table over
/// RocksDB and a clock that the test sets.
class ProposalTableTest {
  private static final long NOW = Fixtures.TIME_MS;
  private static final LedgerId LEDGER = Fixtures.ledger().params().ledgerId();

  @TempDir private Path directory;
  private RocksMetaStore meta;
  private ProposalTable table;
  private long nowMs = NOW;
  private final InstantSource clock = () -> Instant.ofEpochMilli(nowMs);

  @BeforeEach
  void open() throws Exception {
    meta = RocksMetaStore.open(directory.resolve("meta"));
    table = ProposalTable.open(meta, clock);
  }

  @AfterEach
  void close() throws Exception {
    meta.close();
  }

  private void restart() throws Exception {
    meta.close();
    open();
  }

  private static KeptProposal kept(int number, long windowMs, Outcome outcome) {
    Bytes salt = Bytes.wrap(ByteBuffer.allocate(32).putInt(0, number + 1).array());
    Proposal proposal =
        Proposal.of(
            RequestDraft.govern(
                    new StrandId(LEDGER, 0), Kind.CLOSE, Extension.Close.INSTANCE, NOW, salt)
                .withExpiry(NOW + windowMs)
                .build());
    return new KeptProposal(proposal.signedBy(Fixtures.ALICE), outcome);
  }

  private static KeptProposal open(int number) {
    return kept(number, 1_000, Outcome.Open.INSTANCE);
  }

  private static KeptProposal with(KeptProposal kept, Outcome outcome) {
    return new KeptProposal(kept.proposal(), outcome);
  }

  @Test
  void keepsEveryOutcomeOverARestart() throws Exception {
    List<Outcome> outcomes =
        List.of(
            Outcome.Open.INSTANCE,
            Outcome.Submitting.INSTANCE,
            new Outcome.Committed(7),
            new Outcome.Refused(RejectionCode.LAST_OWNER, "nobody would be left"));
    for (int i = 0; i < outcomes.size(); i++) {
      assertThat(table.replace(null, kept(i, 1_000, outcomes.get(i)))).isTrue();
    }
    restart();
    for (int i = 0; i < outcomes.size(); i++) {
      KeptProposal kept = kept(i, 1_000, outcomes.get(i));
      assertThat(table.find(LEDGER, kept.requestHash())).contains(kept);
    }
    assertThat(table.submitting()).containsExactly(kept(1, 1_000, Outcome.Submitting.INSTANCE));
    assertThat(table.openCount()).isEqualTo(1);
    List<KeptProposal> first = table.list(LEDGER, null, 3);
    assertThat(first).hasSize(3);
    assertThat(table.list(LEDGER, first.getLast().requestHash(), 3)).hasSize(1);
  }

  @Test
  void changesOnlyWhatTheCallerThinksIsThere() throws Exception {
    KeptProposal one = open(1);
    KeptProposal submitting = with(one, Outcome.Submitting.INSTANCE);
    assertThat(table.replace(one, submitting)).isFalse();
    assertThat(table.replace(null, one)).isTrue();
    assertThat(table.replace(null, submitting)).isFalse();
    assertThat(table.replace(one, submitting)).isTrue();
    assertThat(table.replace(one, submitting)).isFalse();
    assertThat(table.remove(one)).isFalse();
    assertThat(table.remove(submitting)).as("its outcome is not known").isFalse();
    KeptProposal refused = with(one, new Outcome.Refused(RejectionCode.LAST_OWNER, ""));
    assertThat(table.replace(submitting, refused)).isTrue();
    assertThat(table.remove(refused)).isTrue();
    restart();
    assertThat(table.list(LEDGER, null, 10)).isEmpty();
  }

  @Test
  void forgetsWhatHasExpired() throws Exception {
    KeptProposal soon = open(1);
    KeptProposal later = kept(2, 5_000, Outcome.Open.INSTANCE);
    table.replace(null, soon);
    table.replace(null, later);
    nowMs = NOW + 1_000;
    assertThat(table.find(LEDGER, soon.requestHash())).as("the last moment").contains(soon);
    nowMs++;
    assertThat(table.find(LEDGER, soon.requestHash())).isEmpty();
    assertThat(table.list(LEDGER, null, 10)).containsExactly(later);
    table.dropExpired();
    assertThat(meta.get(ProposalRow.key(LEDGER, soon.requestHash()))).isNull();
    restart();
    assertThat(table.list(LEDGER, null, 10)).containsExactly(later);
  }

  @Test
  void takesNoMoreThanALedgerMayHave() throws Exception {
    for (int i = 0; i < OpenProposals.PER_LEDGER_MAX; i++) {
      table.replace(null, open(i));
    }
    KeptProposal further = kept(5_000, 9_000, Outcome.Open.INSTANCE);
    assertThatThrownBy(() -> table.replace(null, further))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(RejectionCode.TOO_MANY_PROPOSALS);
              assertThat(refusal.limit()).hasValue(OpenProposals.PER_LEDGER_MAX);
            });
    KeptProposal done = with(open(3), new Outcome.Committed(9));
    assertThat(table.replace(open(3), done)).as("a change of one that is there").isTrue();
    assertThat(table.replace(null, further)).as("in the place of a committed one").isTrue();
    assertThat(table.find(LEDGER, done.requestHash())).isEmpty();
    nowMs = NOW + 1_001;
    assertThat(table.replace(null, kept(5_001, 9_000, Outcome.Open.INSTANCE))).isTrue();
    restart();
    assertThat(table.list(LEDGER, null, 10)).hasSize(2);
  }

  @Test
  void refusesToOpenOverARowThatIsNotItsOwn() throws Exception {
    Bytes row = ProposalRow.encode(open(1));
    meta.write(new MetaBatch().put(ProposalRow.key(LEDGER, open(2).requestHash()), row));
    assertThatThrownBy(() -> ProposalTable.open(meta, clock))
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("another proposal");
    Bytes cut = row.slice(0, row.size() - 1);
    meta.write(new MetaBatch().put(ProposalRow.key(LEDGER, open(2).requestHash()), cut));
    assertThatThrownBy(() -> ProposalTable.open(meta, clock))
        .isInstanceOf(CorruptStreamException.class);
  }
}
