package io.tallystick.master.duty;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestDraft;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.NodeChange;
import io.tallystick.node.OpenProposals;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Waiting;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: what has the signatures it needs is submitted by the owner of the shard, once, and at
/// once; who completed it elsewhere hears what became of it. Method: the duties over a node that
/// keeps proposals in memory, and a sequencer that answers a repeat with the same jsn.
class ShardDutiesTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  /// Less than a round.
  private static final Duration SHORT = Duration.ofSeconds(3);

  private final ProposingNode node = new ProposingNode();
  private final OpenProposals proposals = node.openProposals().orElseThrow();
  private final List<Digest> submitted = new CopyOnWriteArrayList<>();
  private final List<ShardDuties> begun = new CopyOnWriteArrayList<>();

  private ShardDuties begin() {
    ShardDuties duties = new ShardDuties(node, this::submit);
    begun.add(duties);
    node.tell(duties::changed);
    return duties;
  }

  @AfterEach
  void close() {
    begun.forEach(ShardDuties::close);
  }

  private void submit(Proposal proposal, AppendTicket ticket) {
    submitted.add(proposal.requestHash());
    ticket
        .receipted()
        .complete(
            new AppendTicket.Receipted(
                new AppendTicket.Committed(7, 1, Fixtures.TIME_MS, false, false), Bytes.EMPTY));
  }

  private static KeptProposal proposal(int number, Outcome outcome) {
    Bytes salt = Bytes.wrap(ByteBuffer.allocate(32).putInt(0, number).array());
    StrandId strand = new StrandId(Fixtures.ledger().params().ledgerId(), 0);
    return new KeptProposal(
        Proposal.of(
                RequestDraft.govern(
                        strand, Kind.CLOSE, Extension.Close.INSTANCE, Fixtures.TIME_MS, salt)
                    .withExpiry(Fixtures.TIME_MS + 1_000)
                    .build())
            .signedBy(Fixtures.ALICE),
        outcome);
  }

  private void awaitOutcome(KeptProposal of, Outcome wanted, Duration within) throws Exception {
    long began = System.nanoTime();
    Waiting.until(
        "the outcome of " + of.requestHash(),
        () -> node.find(of.requestHash()).orElseThrow().outcome().equals(wanted));
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(within);
  }

  @Test
  void whatWasBeingSubmittedIsSubmittedOnceByWhoServesNext() throws Exception {
    KeptProposal before = proposal(1, Outcome.Submitting.INSTANCE);
    proposals.replace(null, before);
    proposals.replace(null, proposal(2, Outcome.Open.INSTANCE));
    begin();
    awaitOutcome(before, new Outcome.Committed(7), LONG);
    begin(); // another has taken over
    Waiting.until("a round", () -> node.changes(NodeChange.DropGoneProposals.class) >= 2);
    assertThat(submitted).containsExactly(before.requestHash());
    assertThat(node.changes(NodeChange.DropExpiredCertificates.class)).isPositive();
  }

  @Test
  void whatIsCompletedMeanwhileIsSubmittedBeforeTheNextRound() throws Exception {
    begin();
    Waiting.until("the first round", () -> node.changes(NodeChange.DropGoneProposals.class) > 0);
    KeptProposal complete = proposal(3, Outcome.Submitting.INSTANCE);
    proposals.replace(null, complete);
    awaitOutcome(complete, new Outcome.Committed(7), SHORT);
    assertThat(submitted).containsExactly(complete.requestHash());
  }

  @Test
  void whoCompletedItElsewhereHearsTheOutcomeAndSubmitsNothing() throws Exception {
    KeptProposal complete = proposal(4, Outcome.Submitting.INSTANCE);
    proposals.replace(null, complete);
    try (AwaitedProposals impatient = new AwaitedProposals(node, Duration.ofMillis(50))) {
      assertThat(impatient.submit(complete).outcome()).isEqualTo(Outcome.Submitting.INSTANCE);
    }
    assertThat(submitted).isEmpty();
    begin();
    try (AwaitedProposals waiting = new AwaitedProposals(node, LONG)) {
      assertThat(waiting.submit(complete).outcome()).isEqualTo(new Outcome.Committed(7));
    }
    assertThat(submitted).hasSize(1);
  }

  @Test
  void aRefusalIsNotedAndOneThatMayPassIsTriedAgain() throws Exception {
    KeptProposal refused = proposal(5, Outcome.Submitting.INSTANCE);
    proposals.replace(null, refused);
    RejectionCode[] answers = {RejectionCode.UNAVAILABLE, RejectionCode.LEDGER_CLOSED};
    ShardDuties duties =
        new ShardDuties(
            node,
            (proposal, ticket) -> {
              submitted.add(proposal.requestHash());
              RejectionCode code = answers[Math.min(submitted.size(), answers.length) - 1];
              ticket.failed(new RequestRejectedException(code, "it says"));
            });
    begun.add(duties);
    Waiting.until("the first try", () -> !submitted.isEmpty());
    assertThat(node.find(refused.requestHash()).orElseThrow().takesSignatures()).isFalse();
    duties.changed(new NodeChange.ReplaceProposal(Optional.empty(), refused));
    awaitOutcome(refused, new Outcome.Refused(RejectionCode.LEDGER_CLOSED, "it says"), SHORT);
    assertThat(submitted).hasSize(2);
  }
}
