package io.tallystick.server.sequencer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Founding;
import io.tallystick.node.LedgerName;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.Submission;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Goal: a precondition is judged by the state before the block and the operations before it,
/// whatever was read and however much is remembered; what cannot be decided is said to be stale.
/// Method: random operations on few keys with readings of random heights, some steps undone; a map
/// of each height says what must be decided.
class PreconditionsTest {
  private static final Fixtures LEDGER = Fixtures.ledger().withSmallState();
  private static final int KEYS = 12;
  private static final int ROUNDS_MAX = 6_000;
  private static final SubmissionVerifier VERIFIER =
      new SubmissionVerifier(SignatureProviders.best(), Set.of(Feature.STATE_FOREST));

  private static final class Append implements Input.Append<Append> {
    private final VerifiedSubmission submission;
    private final KeyReading reading;
    private @Nullable RequestRejectedException refusal;

    private Append(VerifiedSubmission submission, KeyReading reading) {
      this.submission = submission;
      this.reading = reading;
    }

    @Override
    public PreconditionsTest.Append self() {
      return this;
    }

    @Override
    public VerifiedSubmission submission() {
      return submission;
    }

    @Override
    public Prepared prepared() {
      return reading;
    }

    @Override
    public long sizeBytes() {
      return 1;
    }

    @Override
    public void refuse(RequestRejectedException refused) {
      refusal = refused;
    }

    @Override
    public void fail(Throwable cause) {
      throw new AssertionError(cause);
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

  /// The state of each height; of the newest, what the inputs of a step have made of it so far.
  private final List<Map<Bytes, Standing>> heights = new ArrayList<>();

  private int number;
  private int accepted;
  private int failed;
  private int stale;
  private int decidedByOldReading;

  private static Bytes key(int i) {
    return Bytes.utf8("key " + i);
  }

  private static Precondition precondition(
      SplittableRandom random, @Nullable Standing now, int highest) {
    return switch (random.nextInt(5)) {
      case 0 -> new Precondition.IfAbsent();
      case 1 -> {
        long jsn = now == null || random.nextInt(4) == 0 ? random.nextInt(highest + 1) : now.jsn();
        yield new Precondition.IfVersion(new Jsn(jsn));
      }
      case 2 -> {
        Digest commit = now == null ? null : now.valueCommit();
        yield new Precondition.IfCommit(
            commit == null || random.nextInt(4) == 0 ? Digest.ZERO : commit);
      }
      default -> new Precondition.None();
    };
  }

  private SignedRequest request(SplittableRandom random, Map<Bytes, Standing> now, int highest) {
    List<DraftOp> ops = new ArrayList<>();
    int first = random.nextInt(KEYS);
    for (int i = 0; i <= random.nextInt(3); i++) {
      Bytes key = key((first + i) % KEYS);
      Precondition precondition = precondition(random, now.get(key), highest);
      ops.add(
          random.nextInt(3) == 0
              ? new DraftOp.Delete(key, precondition)
              : new DraftOp.Put(key, Bytes.utf8("v" + number), precondition));
    }
    return LEDGER.draft(number++).withOps(ops).build();
  }

  private Append append(SplittableRandom random, int committed, int highest) throws Exception {
    List<SignedRequest> requests = new ArrayList<>();
    int count = random.nextInt(4) == 0 ? 2 + random.nextInt(2) : 1;
    for (int i = 0; i < count; i++) {
      requests.add(request(random, heights.getLast(), highest));
    }
    Submission signed = LEDGER.submission(requests, Fixtures.ALICE);
    VerifiedSubmission verified =
        VERIFIER.verify(LEDGER.strand(), signed.requests(), signed.attestation(), LEDGER.keys());
    int read = random.nextBoolean() ? committed : random.nextInt(committed + 1);
    return new Append(verified, new KeyReading(read, heights.get(read)));
  }

  private static boolean holds(Op op, @Nullable Standing standing) {
    Digest commit = standing == null ? null : standing.valueCommit();
    return switch (op.precondition()) {
      case Precondition.None() -> true;
      case Precondition.IfAbsent() -> commit == null;
      case Precondition.IfVersion(Jsn jsn) ->
          commit != null && standing != null && standing.jsn() == jsn.value();
      case Precondition.IfCommit(Digest wanted) -> commit != null && wanted.equals(commit);
    };
  }

  /// What a submission makes of the state; empty if a precondition fails.
  private static Optional<Map<Bytes, Standing>> after(
      Map<Bytes, Standing> before, Append append, long firstJsn) throws Exception {
    Map<Bytes, Standing> after = new HashMap<>(before);
    for (int i = 0; i < append.submission.requests().size(); i++) {
      for (Op op : Ops.decode(append.submission.requests().get(i).ops()).values()) {
        if (!holds(op, after.get(op.key()))) {
          return Optional.empty();
        }
        Digest commit = op instanceof Op.Put put ? put.valueCommit() : null;
        after.put(op.key(), new Standing(firstJsn + i, commit));
      }
    }
    return Optional.of(after);
  }

  private static Sequencer founded(int overlayKeysMax) throws Exception {
    Sequencer sequencer =
        new Sequencer(
            new ReplayTable(1 << 20),
            SequencerTest.NOTES,
            0,
            SequencerTest.SIGNS_NOTHING,
            SequencerTest.NO_CHAINS,
            overlayKeysMax);
    LedgerName name = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
    Founding founding =
        FoundingVerifier.verify(
            LEDGER.params().encode(),
            LEDGER.genesisAttestation().encode(),
            name,
            SignatureProviders.best());
    Turns.step(sequencer, List.of(new Found(founding)), Fixtures.TIME_MS);
    return sequencer;
  }

  @Seeded(runs = 6)
  void decidesAsTheStateOfTheBlockBeforeSays(SplittableRandom random) throws Exception {
    Sequencer sequencer = founded(1 + random.nextInt(8));
    heights.add(new HashMap<>());
    long nextJsn = 2;
    for (int round = 0; round < 60 || (!everythingHappened() && round < ROUNDS_MAX); round++) {
      int committed = heights.size() - 1;
      heights.add(new HashMap<>(heights.getLast()));
      List<Append> inputs = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(4); i++) {
        inputs.add(append(random, committed, (int) nextJsn));
      }
      Step<Append> step = Turns.step(sequencer, inputs, Fixtures.TIME_MS);
      long jsn = nextJsn;
      for (Append input : inputs) {
        jsn = check(step, input, committed, jsn);
      }
      if (jsn == nextJsn || random.nextInt(4) == 0) {
        sequencer.undo(step);
        heights.removeLast();
      } else {
        nextJsn = jsn + 1; // the seal
      }
    }
    assertThat(everythingHappened()).isTrue();
  }

  private boolean everythingHappened() {
    return accepted > 0 && failed > 0 && stale > 0 && decidedByOldReading > 0;
  }

  /// @return the jsn of the next submission
  private long check(Step<Append> step, Append input, int committed, long jsn) throws Exception {
    if (step.stale().contains(input)) {
      assertThat(input.reading.height()).as("the newest reading is good").isLessThan(committed);
      stale++;
      return jsn;
    }
    decidedByOldReading += input.reading.height() < committed ? 1 : 0;
    Optional<Map<Bytes, Standing>> after = after(heights.getLast(), input, jsn);
    if (after.isEmpty()) {
      assertThat(Optional.ofNullable(input.refusal).map(RequestRejectedException::code))
          .contains(RejectionCode.PRECONDITION_FAILED);
      failed++;
      return jsn;
    }
    assertThat(input.refusal).isNull();
    assertThat(step.accepted()).anyMatch(done -> done.input() == input && done.firstJsn() == jsn);
    heights.set(heights.size() - 1, after.get());
    accepted++;
    return jsn + input.submission.requests().size();
  }
}
