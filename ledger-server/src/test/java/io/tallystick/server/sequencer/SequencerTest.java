package io.tallystick.server.sequencer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.Founding;
import io.tallystick.node.LedgerName;
import io.tallystick.node.Member;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.server.frame.BlockDraft;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.frame.CommitFrameWriter;
import io.tallystick.server.note.NoteRows;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: a step decides alike however its inputs are grouped, and a step undone never was. Method:
/// real verified submissions against the sequencer alone, with time given by the test.
class SequencerTest {
  private static final long HOUR_MS = 3_600_000;
  private static final List<Fixtures> LEDGERS =
      Stream.of(0, 1, 2).map(i -> Fixtures.ledger(Fixtures.TIME_MS + i)).toList();

  /// An input that keeps its refusal.
  private static final class Append implements Input.Append<Append> {
    private final VerifiedSubmission submission;
    private @Nullable RequestRejectedException refusal;

    Append(VerifiedSubmission submission) {
      this.submission = submission;
    }

    @Override
    public SequencerTest.Append self() {
      return this;
    }

    @Override
    public VerifiedSubmission submission() {
      return submission;
    }

    @Override
    public long sizeBytes() {
      return 1;
    }

    @Override
    public void refuse(RequestRejectedException why) {
      refusal = why;
    }

    @Override
    public void fail(Throwable cause) {
      throw new AssertionError(cause);
    }

    Optional<RejectionCode> refusalCode() {
      return Optional.ofNullable(refusal).map(RequestRejectedException::code);
    }
  }

  private record Found(Founding founding) implements Input.Found<Append> {
    @Override
    public void complete(boolean existed) {
      throw new AssertionError("a founding is not answered here");
    }

    @Override
    public long sizeBytes() {
      return 1;
    }

    @Override
    public void refuse(RequestRejectedException refusal) {
      throw new AssertionError(refusal);
    }

    @Override
    public void fail(Throwable cause) {
      throw new AssertionError(cause);
    }
  }

  private final Sequencer sequencer = sequencer();

  private static Sequencer sequencer() {
    return new Sequencer(new ReplayTable(1 << 20), NOTES, 0, SIGNS_NOTHING, NO_CHAINS);
  }

  static final GrantCheck NO_CHAINS = (_, _, _) -> {};
  static final NoteRows NOTES = new NoteRows(new InMemoryMetaStore());

  static final RotationSigner SIGNS_NOTHING =
      (_, rotation, _) -> {
        throw new AssertionError(rotation);
      };

  private static Found found(Fixtures ledger) throws RequestRejectedException {
    LedgerName name = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
    return new Found(
        FoundingVerifier.verify(
            ledger.params().encode(),
            ledger.genesisAttestation().encode(),
            name,
            SignatureProviders.best()));
  }

  private static Append append(Fixtures ledger, Submission submission)
      throws RequestRejectedException {
    List<PublicKey> keys =
        List.of(Fixtures.ALICE.publicKey(), Fixtures.BOB.publicKey(), Fixtures.CAROL.publicKey());
    return new Append(
        new SubmissionVerifier(SignatureProviders.best(), Set.of())
            .verify(
                ledger.strand(),
                submission.requests(),
                submission.attestation(),
                kid -> keys.stream().filter(key -> key.kid().equals(kid)).findFirst()));
  }

  /// Inputs over all ledgers: singles, batches, two signers, repeats, members in and out.
  private static List<Input<Append>> inputs(SplittableRandom random, int count) throws Exception {
    List<Input<Append>> inputs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Fixtures ledger = LEDGERS.get(random.nextInt(LEDGERS.size()));
      inputs.add(
          switch (random.nextInt(8)) {
            case 0 -> found(ledger);
            case 1 -> append(ledger, ledger.batch(random.nextInt(5) * 100, 3));
            case 2 -> append(ledger, ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()));
            case 3 -> append(ledger, ledger.memberRevoke(Fixtures.CAROL.publicKey().kid()));
            case 4 ->
                append(
                    ledger,
                    ledger.submission(
                        ledger.request(random.nextInt(8)), Fixtures.ALICE, Fixtures.BOB));
            case 5 ->
                append(
                    ledger,
                    ledger.submission(ledger.request(50 + random.nextInt(8)), Fixtures.CAROL));
            default -> append(ledger, ledger.single(random.nextInt(8)));
          });
    }
    return inputs;
  }

  /// Everything that later decisions depend on.
  private static List<Object> stateOf(Sequencer sequencer) {
    List<Object> state = new ArrayList<>();
    state.add(sequencer.replays().entries());
    for (var id : sequencer.ledgers(null)) {
      StrandHead head = sequencer.head(id);
      if (head == null) {
        throw new AssertionError("listed, but not here");
      }
      List<Member> members = List.copyOf(head.members().all());
      state.addAll(List.of(id, head.nextJsn(), head.nextHeight(), members));
    }
    return state;
  }

  private static List<Object> outcomeOf(Step<Append> step, List<Input<Append>> inputs) {
    List<Object> outcome = new ArrayList<>();
    step.accepted().forEach(one -> outcome.add(one.strand() + " " + one.firstJsn()));
    step.repeated().forEach(one -> outcome.add("again " + one.strand() + " " + one.firstJsn()));
    step.founded().forEach(one -> outcome.add(one.ledger() + " " + one.existed()));
    for (BlockDraft block : step.blocks()) {
      outcome.addAll(List.of(block.strand(), block.firstJsn(), block.height(), block.journals()));
    }
    for (Input<Append> input : inputs) {
      outcome.add(input instanceof Append append ? append.refusalCode() : "founding");
    }
    return outcome;
  }

  @Seeded(runs = 15)
  void leavesEverythingAsBeforeWhenAStepIsUndone(SplittableRandom random) throws Exception {
    for (int round = 0; round < 4; round++) {
      Turns.step(sequencer, inputs(random, 4), Fixtures.TIME_MS);
      List<Object> before = stateOf(sequencer);
      List<Input<Append>> inputs = inputs(random, 12);
      Step<Append> undone = Turns.step(sequencer, inputs, Fixtures.TIME_MS);
      List<Object> outcome = outcomeOf(undone, inputs);
      sequencer.undo(undone);
      assertThat(stateOf(sequencer)).isEqualTo(before);
      assertThat(outcomeOf(Turns.step(sequencer, inputs, Fixtures.TIME_MS), inputs))
          .isEqualTo(outcome);
    }
  }

  /// One block per strand, whole submissions, jsns without gaps, the seal's jsn left free.
  @Seeded(runs = 10)
  void makesOneBlockPerStrandWithoutGaps(SplittableRandom random) throws Exception {
    Turns.step(sequencer, List.of(found(LEDGERS.get(0)), found(LEDGERS.get(1))), Fixtures.TIME_MS);
    Step<Append> step = Turns.step(sequencer, inputs(random, 30), Fixtures.TIME_MS);
    assertThat(step.blocks().stream().map(BlockDraft::strand)).doesNotHaveDuplicates();
    for (BlockDraft block : step.blocks()) {
      long next = block.firstJsn();
      for (Step.Accepted<Append> accepted : step.accepted()) {
        if (accepted.strand().equals(block.strand())) {
          assertThat(accepted.firstJsn()).isEqualTo(next);
          next += accepted.input().submission().requests().size();
        }
      }
      assertThat(block.genesis() ? next + 1 : next).isEqualTo(block.sealJsn());
    }
  }

  @Test
  void answersARepeatWithinTheSameStepWithTheFirst() throws Exception {
    Fixtures ledger = LEDGERS.getFirst();
    Turns.step(sequencer, List.of(found(ledger)), Fixtures.TIME_MS);
    Append first = append(ledger, ledger.batch(1, 3));
    Append second = append(ledger, ledger.batch(1, 3));
    Step<Append> step = Turns.step(sequencer, List.of(first, second), Fixtures.TIME_MS);
    assertThat(step.accepted())
        .singleElement()
        .satisfies(one -> assertThat(one.firstJsn()).isEqualTo(2));
    assertThat(step.repeated())
        .singleElement()
        .satisfies(one -> assertThat(one.firstJsn()).isEqualTo(2));
  }

  @Test
  void revokesFromTheNextJsnOnWithinOneStep() throws Exception {
    Fixtures ledger = LEDGERS.getFirst();
    Turns.step(sequencer, List.of(found(ledger)), Fixtures.TIME_MS);
    Append add = append(ledger, ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()));
    Append good = append(ledger, ledger.submission(ledger.request(1), Fixtures.CAROL));
    Append revoke = append(ledger, ledger.memberRevoke(Fixtures.CAROL.publicKey().kid()));
    Append late = append(ledger, ledger.submission(ledger.request(2), Fixtures.CAROL));
    Turns.step(sequencer, List.of(add, good, revoke, late), Fixtures.TIME_MS);
    assertThat(good.refusalCode()).isEmpty();
    assertThat(late.refusalCode()).contains(RejectionCode.REVOKED_KEY);
  }

  @Test
  void forgetsAClockThatNoRequestAgreedWith() throws Exception {
    Fixtures ledger = LEDGERS.getFirst();
    Turns.step(sequencer, List.of(found(ledger)), Fixtures.TIME_MS);
    Turns.step(sequencer, List.of(append(ledger, ledger.single(1))), Fixtures.TIME_MS + 1);
    Append expired = append(ledger, ledger.single(2));
    Turns.step(sequencer, List.of(expired), Fixtures.TIME_MS + HOUR_MS);
    assertThat(expired.refusalCode()).contains(RejectionCode.EXPIRED);
    Append again = append(ledger, ledger.single(2));
    Append repeat = append(ledger, ledger.single(1));
    Step<Append> step = Turns.step(sequencer, List.of(again, repeat), Fixtures.TIME_MS + 2);
    assertThat(step.accepted()).singleElement().extracting(Step.Accepted::firstJsn).isEqualTo(4L);
    assertThat(step.repeated()).singleElement().extracting(Step.Repeated::firstJsn).isEqualTo(2L);
    assertThat(step.timeMs()).isEqualTo(Fixtures.TIME_MS + 2);
  }

  @Test
  void saysThatTheTimeIsAheadOfTheClockOnceARequestAgreedWithIt() throws Exception {
    Fixtures ledger = LEDGERS.getFirst();
    Turns.step(sequencer, List.of(found(ledger)), Fixtures.TIME_MS);
    Fixtures ahead = new Fixtures(ledger.params(), Fixtures.TIME_MS + HOUR_MS);
    Append agrees = append(ledger, ahead.single(1));
    Turns.step(sequencer, List.of(agrees), Fixtures.TIME_MS + HOUR_MS);
    assertThat(agrees.refusalCode()).isEmpty();
    Append right = append(ledger, ledger.single(2));
    Turns.step(sequencer, List.of(right), Fixtures.TIME_MS + 1);
    assertThat(right.refusalCode()).contains(RejectionCode.EXPIRED);
    assertThat(right.refusal).hasMessageContaining((HOUR_MS - 1) + " ms ahead of the service's");
    assertThat(sequencer.timeMs()).isEqualTo(Fixtures.TIME_MS + HOUR_MS);
  }

  /// Whoever follows a stream replays for months, and steps never.
  @Test
  void aReplayForgetsWhatHasExpired() throws Exception {
    Sequencer follower = new Sequencer(new ReplayTable(1), NOTES, 0, SIGNS_NOTHING, NO_CHAINS);
    Random random = new Random(1);
    for (int frame = 0; frame < 500; frame++) {
      long nowMs = Fixtures.TIME_MS + 10L * frame;
      for (int i = 0; i < 20; i++) {
        follower.replays().put(random.nextLong(), random.nextLong(), 2, 1, nowMs + 1);
      }
      FrameBuffer buffer = new FrameBuffer();
      new CommitFrameWriter().write(buffer, frame, nowMs, List.of(), List.of());
      follower.replay(new CommitFrame(buffer.infos().array(), buffer.infos().arrayBase()));
    }
    assertThat(follower.replays().entries()).as("of 10,000").isLessThan(200);
    assertThat(follower.replays().hasRoom(100)).isTrue();
  }

  @Test
  void refusesWhenTheReplayTableIsFullAndTakesAgainWhenItIsNot() throws Exception {
    Fixtures ledger = LEDGERS.getFirst();
    Sequencer small = new Sequencer(new ReplayTable(1), NOTES, 0, SIGNS_NOTHING, NO_CHAINS);
    Turns.step(small, List.of(found(ledger)), Fixtures.TIME_MS);
    for (long i = 0; small.replays().hasRoom(1); i++) {
      small.replays().put(i << 32, i, 2, 1, Fixtures.TIME_MS + 10);
    }
    Append full = append(ledger, ledger.single(1));
    Turns.step(small, List.of(full), Fixtures.TIME_MS);
    assertThat(full.refusalCode()).contains(RejectionCode.RATE_LIMITED);
    Append later = append(ledger, ledger.single(1));
    Turns.step(small, List.of(later), Fixtures.TIME_MS + 11);
    assertThat(later.refusalCode()).isEmpty();
  }
}
