package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.client.failure.HeadNotWitnessedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.trust.WitnessQuorum;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.note.NoteSignature;
import io.tallystick.note.SignedNote;
import io.tallystick.note.Witnesses;
import io.tallystick.testkit.TestWitness;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a client that demands witnesses believes no head that too few of them cosigned, and says
/// who is missing. Method: two of three witnesses, which cosign whatever the fake service shows as
/// cosigned.
class WitnessQuorumTest {
  private static final TestWitness ONE = TestWitness.of("one.example");
  private static final TestWitness TWO = TestWitness.of("two.example");
  private static final TestWitness THREE = TestWitness.of("three.example");
  private static final List<TestWitness> ALL = List.of(ONE, TWO, THREE);
  private static final long TIME = 1_767_225_600;

  @TempDir private Path founderTrust;
  @TempDir private Path trust;
  private final AtomicInteger asked = new AtomicInteger();
  private ServiceFixture fixture;
  private TallyClient client;

  @BeforeEach
  void found() throws TallyException {
    fixture = new ServiceFixture(founderTrust);
    fixture.ledger.append(JournalDraft.text("first"));
    client = client(Duration.ZERO);
  }

  private TallyClient client(Duration wait) {
    Witnesses two = new Witnesses(ALL.stream().map(TestWitness::key).toList(), 2);
    return TallyClient.connect(
        ClientConfig.of(fixture.service.target(), trust)
            .withRetry(ServiceFixture.FAST)
            .withWitnesses(WitnessQuorum.of(two).withWait(wait)));
  }

  @AfterEach
  void close() {
    client.close();
    fixture.close();
  }

  private LedgerHandle open() throws TallyException {
    return client.open(fixture.id(), fixture.owner);
  }

  private static Bytes by(Bytes note, TestWitness... witnesses) {
    Bytes cosigned = note;
    for (TestWitness each : witnesses) {
      cosigned = Bytes.utf8(each.cosigned(cosigned, TIME));
    }
    return cosigned;
  }

  private void cosign(TestWitness... witnesses) {
    fixture.service.cosigned =
        ledger -> {
          asked.incrementAndGet();
          return by(ledger.checkpoint(ledger.size()), witnesses);
        };
  }

  private static HeadNotWitnessedException refused(ThrowingCallable call) {
    return catchThrowableOfType(HeadNotWitnessedException.class, call);
  }

  @Test
  void believesWhatEnoughWitnessesCosigned() throws TallyException {
    cosign(ONE, THREE);
    LedgerHandle ledger = open();
    assertThat(ledger.witnessedHead().orElseThrow().size().value()).isEqualTo(4);
    VerifiedReceipt receipt = ledger.append(JournalDraft.text("second"));
    assertThat(ledger.witnessedHead().orElseThrow().size().value()).isEqualTo(6);
    int before = asked.get();
    assertThat(ledger.get(receipt.jsn()).body()).isNotNull();
    assertThat(ledger.checkpoint().size().value()).isEqualTo(6);
    assertThat(asked).as("a witnessed head is not asked for again").hasValue(before);
  }

  @Test
  void saysWhoIsMissingAndAsksOnce() {
    cosign(TWO);
    HeadNotWitnessedException refusal = refused(this::open);
    assertThat(refusal.missing()).containsExactly("one.example", "three.example");
    assertThat(refusal.quorum()).isEqualTo(2);
    assertThat(refusal.size().value()).isEqualTo(2);
    assertThat(refusal.shownSize().value()).isEqualTo(4);
    assertThat(refusal.committedJsn()).isEmpty();
    assertThat(refusal).hasMessageContaining("missing: one.example, three.example");
    assertThat(asked).hasValue(1);
  }

  @Test
  void believesNothingLaterForHavingJoinedItBefore() throws TallyException {
    cosign(TWO);
    assertThat(refused(this::open)).isNotNull();
    LedgerHandle ledger = open();
    assertThat(ledger.trustedHead()).isPresent();
    assertThat(ledger.witnessedHead()).isEmpty();
    assertThat(refused(() -> ledger.get(new Jsn(0)))).isNotNull();
    assertThat(refused(() -> ledger.list(new Jsn(0), 2))).isNotNull();
    assertThat(refused(() -> ledger.receipt(new Jsn(2)))).isNotNull();
    assertThat(refused(ledger::newestBlock)).isNotNull();
    assertThat(refused(() -> ledger.clue("none"))).isNotNull();
    assertThat(refused(ledger::checkpoint)).isNotNull();
  }

  @Test
  void countsNoWitnessTwiceAndNoStranger() {
    fixture.service.cosigned =
        ledger -> by(ledger.checkpoint(ledger.size()), ONE, ONE, TestWitness.of("four.example"));
    assertThat(refused(this::open).missing()).containsExactly("two.example", "three.example");
  }

  @Test
  void aBentCosignatureIsAnAlarm() {
    fixture.service.cosigned =
        ledger -> bent(by(ledger.checkpoint(ledger.size()), ONE, TWO, THREE));
    VerificationException refusal = catchThrowableOfType(VerificationException.class, this::open);
    assertThat(refusal.reason()).isEqualTo(Reason.BAD_SIGNATURE);
  }

  private static Bytes bent(Bytes note) {
    try {
      SignedNote signed = SignedNote.decode(note);
      List<NoteSignature> lines = new ArrayList<>(signed.signatures());
      NoteSignature last = lines.removeLast();
      byte[] bytes = last.signature().toArray();
      bytes[bytes.length - 1] ^= 1;
      lines.add(new NoteSignature(last.name(), last.keyId(), Bytes.wrap(bytes)));
      return signed.with(lines).encode();
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anAppendThatIsNotWitnessedTellsWhereItStands() throws TallyException {
    cosign(ONE, TWO);
    LedgerHandle ledger = open();
    fixture.service.cosigned = shown -> by(shown.checkpoint(4), ONE, TWO);
    HeadNotWitnessedException refusal =
        refused(() -> ledger.append(JournalDraft.text("unwitnessed")));
    assertThat(refusal.committedJsn()).contains(new Jsn(4));
    assertThat(refusal.missing()).containsExactly("one.example", "two.example", "three.example");
    assertThat(fixture.remote().size()).isEqualTo(6);
    assertThat(ledger.trustedHead().orElseThrow().size().value()).isEqualTo(6);
    assertThat(ledger.get(new Jsn(2)).body()).as("below the witnessed head").isNotNull();
    assertThat(refused(() -> ledger.receipt(new Jsn(4)))).isNotNull();
    cosign(ONE, TWO);
    assertThat(ledger.receipt(new Jsn(4)).receipt().proof().index()).isEqualTo(4);
  }

  @Test
  void aHeadMayWaitForItsWitnesses() throws TallyException {
    client.close();
    client = client(Duration.ofMinutes(1));
    cosign(ONE, TWO);
    LedgerHandle ledger = open();
    asked.set(0);
    fixture.service.cosigned =
        shown -> by(shown.checkpoint(asked.incrementAndGet() < 3 ? 4 : shown.size()), ONE, TWO);
    assertThat(ledger.append(JournalDraft.text("waits")).jsn()).isEqualTo(new Jsn(4));
    assertThat(asked).hasValue(3);
  }

  @Test
  void aLogOfItsOwnForTheWitnessesIsAFork() throws TallyException {
    cosign(ONE, TWO);
    LedgerHandle ledger = open();
    try (FakeService other = new FakeService();
        TallyClient elsewhere = ServiceFixture.connect(other, founderTrust.resolve("elsewhere"))) {
      other.copyFrom(fixture.service);
      elsewhere.open(fixture.id(), fixture.owner).append(JournalDraft.text("for witnesses"));
      Bytes shown = by(other.ledger(fixture.id()).checkpoint(6), ONE, TWO);
      for (Bytes note : List.of(shown, bent(shown))) {
        fixture.service.cosigned = unused -> note;
        VerificationException refusal =
            catchThrowableOfType(
                VerificationException.class, () -> ledger.append(JournalDraft.text("for me")));
        assertThat(refusal.reason()).as("no cosignature hides it").isEqualTo(Reason.FORK);
        assertThat(refusal.contradiction().orElseThrow().evidenceFile()).isPresent();
      }
    }
  }

  @Test
  void anAnchorThatWasSetWithoutWitnessesNeedsThem() throws TallyException {
    try (TallyClient plain = ServiceFixture.connect(fixture.service, trust)) {
      LedgerHandle ledger = plain.open(fixture.id(), fixture.owner);
      ledger.anchors().set(ledger.checkpoint());
    }
    cosign(TWO);
    LedgerHandle ledger = open();
    assertThat(ledger.anchors().list()).hasSize(1);
    assertThat(refused(() -> ledger.get(new Jsn(0))).size().value()).isEqualTo(4);
    cosign(ONE, TWO);
    assertThat(ledger.get(new Jsn(0)).body()).isNotNull();
    assertThat(ledger.witnessedHead().orElseThrow().size().value()).isEqualTo(4);
  }

  @Test
  void theWaitIsTheUsersToChange() {
    Witnesses one = new Witnesses(List.of(ONE.key()), 1);
    WitnessQuorum quorum = WitnessQuorum.of(one);
    assertThat(quorum.longest()).isEqualTo(Duration.ofSeconds(30));
    assertThat(quorum.withWait(Duration.ZERO)).isEqualTo(new WitnessQuorum(one, Duration.ZERO));
    assertThatThrownBy(() -> quorum.withWait(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void foundingAsksForNoWitness() throws TallyException {
    LedgerHandle founded =
        client.createLedger("new", List.of(fixture.owner), LedgerOptions.DEFAULT);
    assertThat(founded.trustedHead()).isPresent();
    assertThat(founded.witnessedHead()).isEmpty();
  }
}
