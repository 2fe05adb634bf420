package io.tallystick.testkit.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.crypto.Signatures;
import io.tallystick.journal.Feature;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.AppendWaiter;
import io.tallystick.node.Appending;
import io.tallystick.node.ClueReads;
import io.tallystick.node.CreatedLedger;
import io.tallystick.node.LedgerDirectory;
import io.tallystick.node.LedgerFilter;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LogReads;
import io.tallystick.node.LogVisitor;
import io.tallystick.node.Member;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.StateReads;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// What every body of a node keeps to, in this process or behind a wire. A subclass opens a fresh
/// one before each test, and closes it.
public abstract class LedgerNodeContract {
  private static final LedgerFilter ALL = new LedgerFilter.All();
  private static final int WAIT_SECONDS = 20;

  /// The body, fresh.
  protected abstract LedgerNode node();

  protected abstract Signatures signatures();

  /// A read that ends in a refusal.
  private interface Read {
    void run() throws RequestRejectedException;
  }

  private static RejectionCode refused(Read read) {
    RequestRejectedException refusal =
        catchThrowableOfType(RequestRejectedException.class, read::run);
    assertThat(refusal).as("a refusal").isNotNull();
    return refusal.code();
  }

  /// A ledger of that name's own, as of now.
  private Fixtures ledger() {
    ServiceIdentity service = node().identity();
    return Fixtures.ledger(
        node().timeMs(), service.authority().value(), service.noteKey(), service.receiptKey());
  }

  private CreatedLedger found(Fixtures ledger) throws RequestRejectedException {
    return node()
        .createLedger(
            FoundingVerifier.verify(
                ledger.params().encode(),
                ledger.genesisAttestation().encode(),
                new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME),
                signatures()));
  }

  private Fixtures founded() throws RequestRejectedException {
    Fixtures ledger = ledger();
    assertThat(found(ledger).existed()).isFalse();
    return ledger;
  }

  private VerifiedSubmission verified(Fixtures ledger, Submission submission)
      throws RequestRejectedException {
    return new SubmissionVerifier(signatures(), Set.of(Feature.CLUE_TRIE))
        .verify(ledger.strand(), submission.requests(), submission.attestation(), ledger.keys());
  }

  private Receipted append(Fixtures ledger, Submission submission) throws Exception {
    return node()
        .append(verified(ledger, submission))
        .receipted()
        .get(WAIT_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void foundsALedgerOnce() throws Exception {
    Fixtures ledger = ledger();
    CreatedLedger first = found(ledger);
    assertThat(first.existed()).isFalse();
    assertThat(first.ledger().genesisParams()).isEqualTo(ledger.params().encode());
    CreatedLedger again = found(ledger);
    assertThat(again.existed()).isTrue();
    assertThat(again.genesisLeaf()).isEqualTo(first.genesisLeaf());
    assertThat(node().ledgerCount()).isEqualTo(1);
    assertThat(node().journal(ledger.strand(), 0, false).leaf()).isEqualTo(first.genesisLeaf());
  }

  @Test
  void listsLedgersBehindOneAndThroughAFilter() throws Exception {
    Fixtures secret = founded();
    Fixtures open = ledger().published();
    assertThat(found(open).existed()).isFalse();
    LedgerId id = secret.strand().ledger();
    LedgerId publicId = open.strand().ledger();
    assertThat(node().ledgers(null, 9, ALL)).extracting(view -> view.id()).contains(id, publicId);
    LedgerId lower = id.compareTo(publicId) < 0 ? id : publicId;
    assertThat(node().ledgers(null, 1, ALL)).extracting(view -> view.id()).containsExactly(lower);
    assertThat(node().ledgers(lower, 9, ALL)).hasSize(1);
    assertThat(node().ledgers(null, 9, new LedgerFilter.Public()))
        .extracting(view -> view.id())
        .containsExactly(publicId);
    Digest bob = Fixtures.BOB.publicKey().kid();
    assertThat(node().ledgers(null, 9, new LedgerFilter.OfMember(bob, node().timeMs()))).hasSize(2);
    assertThat(node().ledgers(null, 9, new LedgerFilter.OfMember(Digest.ZERO, node().timeMs())))
        .isEmpty();
    assertThat(node().isPublic(publicId)).isTrue();
    assertThat(node().isPublic(id)).isFalse();
  }

  @Test
  void refusesWhateverIsAskedOfAnUnknownLedger() {
    LedgerId id = ledger().strand().ledger();
    StrandId strand = new StrandId(id, 0);
    Map<String, Read> reads = new LinkedHashMap<>();
    reads.put("ledger", () -> node().ledger(id));
    reads.put("members", () -> node().members(id));
    reads.put("member", () -> node().member(id, Digest.ZERO));
    reads.put("keys", () -> node().serviceKeys(id));
    reads.put("chain", () -> node().keyChain(id));
    reads.put("journal", () -> node().journal(strand, 0, false));
    reads.put("proven", () -> node().provenJournal(strand, 0, 0));
    reads.put("newest size", () -> node().newestSize(strand));
    reads.put("log", () -> node().readLog(strand, 0, 1, false, STOP));
    reads.put("journals", () -> node().readJournals(strand, 0, 1, false, STOP));
    reads.put("inclusion", () -> node().inclusion(strand, 0, 0));
    reads.put("consistency", () -> node().consistency(strand, 1, 0));
    reads.put("block", () -> node().blockAt(strand, 0));
    reads.put("newest block", () -> node().newestBlock(strand));
    reads.put("block of", () -> node().blockOf(strand, 0));
    reads.put("checkpoint", () -> node().checkpoint(strand));
    reads.put("clue", () -> node().clue(strand, Digest.ZERO));
    reads.forEach(
        (what, read) -> assertThat(refused(read)).as(what).isEqualTo(RejectionCode.UNKNOWN_LEDGER));
  }

  private static final LogVisitor STOP = (_, _, _, _, _, _, _) -> false;

  @Test
  void anUnknownLedgerIsNotPublic() throws Exception {
    assertThat(node().isPublic(ledger().strand().ledger())).isFalse();
  }

  @Test
  void refusesWhatIsBehindTheEnd() throws Exception {
    Fixtures ledger = founded();
    StrandId strand = ledger.strand();
    long size = node().newestSize(strand);
    assertThat(refused(() -> node().journal(strand, size, false)))
        .isEqualTo(RejectionCode.OUT_OF_RANGE);
    assertThat(refused(() -> node().blockAt(strand, 1))).isEqualTo(RejectionCode.OUT_OF_RANGE);
    assertThat(refused(() -> node().inclusion(strand, 0, size + 1)))
        .isEqualTo(RejectionCode.FUTURE_SIZE);
    RequestRejectedException future =
        catchThrowableOfType(
            RequestRejectedException.class, () -> node().consistency(strand, 1, size + 1));
    assertThat(future.code()).isEqualTo(RejectionCode.FUTURE_SIZE);
    assertThat(future.limit()).hasValue(size);
    assertThat(refused(() -> node().erasure(strand, 0))).isEqualTo(RejectionCode.OUT_OF_RANGE);
  }

  @Test
  void whatIsAppendedIsThereInItsOrder() throws Exception {
    Fixtures ledger = founded();
    Receipted single = append(ledger, ledger.single(1));
    Receipted batch = append(ledger, ledger.batch(10, 3));
    assertThat(single.committed().count()).isEqualTo(1);
    assertThat(batch.committed().count()).isEqualTo(3);
    long first = batch.committed().firstJsn();
    assertThat(first).isGreaterThan(single.committed().firstJsn());
    for (int i = 0; i < 3; i++) {
      var view = node().journal(ledger.strand(), first + i, true);
      assertThat(view.body()).isEqualTo(ledger.request(10 + i).body());
      assertThat(view.salt()).isEqualTo(ledger.request(10 + i).salt());
    }
    assertThat(Bytes.wrap(node().rangeReceipt(ledger.strand(), first, 3)))
        .isEqualTo(batch.rangeReceipt());
    assertThat(node().newestSize(ledger.strand())).isGreaterThan(first + 2);
  }

  @Test
  void manySubmissionsOfOneStreamAreAnsweredOnceEach() throws Exception {
    Fixtures ledger = founded();
    int count = 40;
    Gathered gathered = new Gathered(count);
    List<Appending> submissions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      submissions.add(
          new Appending(verified(ledger, ledger.single(i)), new Gathered.Waiter(gathered, i)));
    }
    int first = 25;
    node().append(submissions.subList(0, first), count - first);
    node().append(submissions.subList(first, count), 0);
    gathered.done.get(WAIT_SECONDS, TimeUnit.SECONDS);
    assertThat(gathered.answered.keySet()).hasSize(count);
    long jsn = -1;
    for (int i = 0; i < count; i++) {
      if (i == first) {
        jsn = -1; // only those of one call have an order
      }
      Committed committed = Objects.requireNonNull(gathered.answered.get(i));
      assertThat(committed.firstJsn()).as("submission %d", i).isGreaterThan(jsn);
      jsn = committed.firstJsn();
    }
    assertThat(gathered.committed).as("told at most once each").isLessThanOrEqualTo(count);
  }

  /// A stream that gathers what its waiters hear.
  private static final class Gathered implements AppendWaiter.Stream {
    private final Map<Integer, Committed> answered = new LinkedHashMap<>();
    private final CompletableFuture<Boolean> done = new CompletableFuture<>();
    private final int count;
    private int committed;

    Gathered(int count) {
      this.count = count;
    }

    private record Waiter(Gathered stream, int number) implements AppendWaiter {
      @Override
      public boolean wantsCommitted() {
        return true;
      }

      @Override
      public void committed(Committed outcome) {
        synchronized (stream) {
          stream.committed++;
        }
      }

      @Override
      public void failed(Throwable cause) {
        stream.done.completeExceptionally(cause);
      }
    }

    @Override
    public synchronized void receipted(AppendWaiter.ReceiptedRun run) {
      for (int i = 0; i < run.waiters().size(); i++) {
        int number = ((Waiter) run.waiters().get(i)).number();
        if (answered.put(number, run.committed().get(i)) != null) {
          done.completeExceptionally(new AssertionError("submission " + number + " twice"));
        }
      }
      if (answered.size() == count) {
        done.complete(true);
      }
    }
  }

  @Test
  void aRefusalReachesWhoWaits() throws Exception {
    Fixtures unknown = ledger();
    AppendTicket ticket = AppendTicket.open();
    node().append(List.of(new Appending(verified(unknown, unknown.single(1)), ticket)), 0);
    ExecutionException refusal =
        catchThrowableOfType(
            ExecutionException.class, () -> ticket.receipted().get(WAIT_SECONDS, TimeUnit.SECONDS));
    assertThat(refusal.getCause())
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            cause -> assertThat(cause.code()).isEqualTo(RejectionCode.UNKNOWN_LEDGER));
  }

  @Test
  void aWalkEndsWhereTheVisitorWants() throws Exception {
    Fixtures ledger = founded();
    append(ledger, ledger.batch(1, 20));
    long size = node().newestSize(ledger.strand());
    List<Long> all = new ArrayList<>();
    List<Bytes> bodies = new ArrayList<>();
    node()
        .readLog(
            ledger.strand(),
            0,
            size,
            true,
            (jsn, _, _, _, _, _, body) -> {
              all.add(jsn);
              if (body != null) {
                bodies.add(body);
              }
              return true;
            });
    assertThat(all).hasSize((int) size).isSorted().startsWith(0L).endsWith(size - 1);
    assertThat(bodies).contains(ledger.request(1).body(), ledger.request(20).body());
    List<Long> some = new ArrayList<>();
    List<Bytes> none = new ArrayList<>();
    node()
        .readJournals(
            ledger.strand(),
            1,
            size,
            false,
            (jsn, _, _, _, _, _, body) -> {
              some.add(jsn);
              if (body != null) {
                none.add(body);
              }
              return some.size() < 5;
            });
    assertThat(some).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(none).isEmpty();
  }

  @Test
  void knowsItsMembers() throws Exception {
    Fixtures ledger = founded();
    LedgerId id = ledger.strand().ledger();
    Digest bob = Fixtures.BOB.publicKey().kid();
    Optional<Member> found = node().member(id, bob);
    assertThat(found).isPresent();
    assertThat(node().members(id).members()).contains(found.get());
    assertThat(node().member(id, Digest.ZERO)).isEmpty();
    assertThat(node().serviceKeys(id).authority()).isEqualTo(node().identity().authority());
    assertThat(node().keyChain(id).encode()).isNotEqualTo(Bytes.EMPTY);
  }

  @Test
  void aLedgerWithoutAStateSaysSo() throws Exception {
    Fixtures ledger = founded();
    assertThat(
            refused(
                () -> node().state(ledger.strand(), Bytes.utf8("key"), StateReads.NEWEST, true)))
        .isEqualTo(RejectionCode.FEATURE_NOT_ENABLED);
  }

  @Test
  void isWell() {
    assertThat(node().health().readable()).isTrue();
    assertThat(node().health().appendable()).isTrue();
    assertThat(node().clockMs()).isCloseTo(node().timeMs(), within(60_000));
  }

  private static org.assertj.core.data.Offset<Long> within(long ms) {
    return org.assertj.core.data.Offset.offset(ms);
  }

  /// A body that answered a question's method itself would answer it differently, one day, from
  /// what comes through the door.
  @Test
  void allQuestionsComeThroughTheDoor() throws Exception {
    for (Class<?> face :
        List.of(LedgerDirectory.class, LogReads.class, ClueReads.class, StateReads.class)) {
      for (Method method : face.getDeclaredMethods()) {
        if (method.isDefault()) {
          Method body = node().getClass().getMethod(method.getName(), method.getParameterTypes());
          assertThat(body.getDeclaringClass()).as("%s", method).isEqualTo(face);
        }
      }
    }
  }
}
