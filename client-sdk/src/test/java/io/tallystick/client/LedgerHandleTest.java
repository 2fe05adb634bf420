package io.tallystick.client;

import static io.tallystick.client.ServiceFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.JournalPage;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.client.member.LedgerMember;
import io.tallystick.client.state.StateWrite;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.Role;
import io.tallystick.model.UnpairedSurrogateException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a client does with an honest service.
class LedgerHandleTest {
  @TempDir Path trust;
  private ServiceFixture fixture;
  private LedgerHandle ledger;

  @BeforeEach
  void found() throws TallyException {
    fixture = new ServiceFixture(trust);
    ledger = fixture.ledger;
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private static List<JournalDraft> drafts(int count) {
    return IntStream.range(0, count).mapToObj(i -> JournalDraft.text("journal " + i)).toList();
  }

  @Test
  void returnsAReceiptThatVerifiesOffline() throws TallyException {
    VerifiedReceipt receipt = ledger.append(JournalDraft.text("hello"));

    assertThat(receipt.jsn()).isEqualTo(new Jsn(2));
    ReceiptVerifier offline = ReceiptVerifier.fromTrustStore(trust, ledger.id());
    assertThat(offline.verify(receipt.toFile().encode()).size().value()).isEqualTo(4);
  }

  @Test
  void takesNoHalfASurrogatePair() {
    String half = "a\ud800";
    List<ThrowingCallable> uses =
        List.of(
            () -> JournalDraft.text(half),
            () -> JournalDraft.of(Bytes.EMPTY, half),
            () -> JournalDraft.text("a").withClues(List.of(half)),
            () -> ledger.state().write(StateWrite.put(half, "a")),
            () -> ledger.state().write(StateWrite.put("a", half)),
            () -> StateWrite.put("a", "a").ifValue(half),
            () -> ledger.state().get(half),
            () -> ledger.lineage(half),
            () -> fixture.client.createLedger(half, List.of(fixture.owner), LedgerOptions.DEFAULT));
    for (ThrowingCallable use : uses) {
      assertThatThrownBy(use).isInstanceOf(UnpairedSurrogateException.class);
    }
  }

  @Test
  void takesNoContentTypeWithAControlCharacter() {
    Bytes payload = Bytes.utf8("hello");
    assertThatThrownBy(() -> JournalDraft.of(payload, "text/plain\r\nX-Forged: 1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("control character at 10");
  }

  @Test
  void splitsABatchIntoSingleReceipts() throws TallyException {
    VerifiedBatch batch = ledger.appendBatch(drafts(7));

    assertThat(batch.receipts()).hasSize(7);
    for (VerifiedReceipt receipt : batch.receipts()) {
      assertThat(ledger.verify(receipt.toFile()).statesSameAs(batch.head())).isTrue();
    }
  }

  @Test
  void asksForNoConsistencyProofWhenItWritesAlone() throws TallyException {
    for (int i = 0; i < 5; i++) {
      ledger.append(JournalDraft.text("alone " + i));
    }

    assertThat(fixture.service.consistencyProofs).hasValue(0);
    assertThat(ledger.trustedHead().orElseThrow().size().value()).isEqualTo(12);
  }

  @Test
  void asksForAConsistencyProofWhenOthersWriteToo() throws TallyException {
    try (TallyClient other = ServiceFixture.connect(fixture.service, trust.resolve("other"))) {
      other.open(ledger.id(), fixture.owner).append(JournalDraft.text("theirs"));
    }

    ledger.append(JournalDraft.text("ours"));

    assertThat(fixture.service.consistencyProofs).hasValue(1);
    assertThat(ledger.trustedHead().orElseThrow().size().value()).isEqualTo(6);
  }

  @Test
  void pipelinesAsynchronousAppends() throws Exception {
    List<CompletableFuture<VerifiedReceipt>> answers = new ArrayList<>();
    for (JournalDraft draft : drafts(50)) {
      answers.add(ledger.appendAsync(draft));
    }

    List<Jsn> jsns = new ArrayList<>();
    for (CompletableFuture<VerifiedReceipt> answer : answers) {
      jsns.add(answer.get().jsn());
    }
    assertThat(jsns).doesNotHaveDuplicates().isSorted().hasSize(50);
  }

  @Test
  void readsBackWhatItAppended() throws TallyException {
    ledger.append(JournalDraft.text("one"));
    VerifiedBatch batch = ledger.appendBatch(drafts(3));

    LedgerJournal single = ledger.get(new Jsn(2));
    assertThat(single.body().orElseThrow().payload()).isEqualTo(Bytes.utf8("one"));
    assertThat(single.signers()).containsExactly(fixture.owner.kid());
    LedgerJournal member = ledger.get(new Jsn(batch.firstJsn().value() + 1));
    assertThat(member.body().orElseThrow().payload()).isEqualTo(Bytes.utf8("journal 1"));
    assertThat(member.signers()).containsExactly(fixture.owner.kid());
    assertThat(ledger.get(new Jsn(0)).signers()).containsExactly(fixture.owner.kid());
  }

  @Test
  void listsPageByPage() throws TallyException {
    ledger.appendBatch(drafts(9));

    List<Jsn> jsns = new ArrayList<>();
    JournalPage page = ledger.list(new Jsn(0), 5);
    page.journals().forEach(journal -> jsns.add(journal.jsn()));
    while (page.next().isPresent()) {
      page = ledger.list(page.next().get(), 5);
      page.journals().forEach(journal -> jsns.add(journal.jsn()));
    }
    assertThat(jsns).hasSize(12).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void verifiesPromisesLater() throws TallyException {
    Promise first = ledger.appendDeferred(drafts(3));
    Promise second = ledger.appendDeferred(drafts(2));
    assertThat(ledger.verifiedUpTo()).isEmpty();

    assertThat(ledger.verifyPromises()).contains(second.lastJsn());
    assertThat(first.jsns()).hasSize(3);
  }

  @Test
  void refusesAPromiseOfAnotherPlace() throws TallyException {
    fixture.service.promiseTampering =
        promise -> promise.toBuilder().setFirstJsn(promise.getFirstJsn() + 1).build();
    ledger.appendDeferred(drafts(3));

    assertThat(refusal(ledger::verifyPromises).reason()).isEqualTo(Reason.ROOT_MISMATCH);
    assertThat(ledger.verifiedUpTo()).isEmpty();
  }

  @Test
  void addsMembersWhoseJournalsVerify() throws TallyException {
    ClientKey member = ClientKey.generate(SignatureAlgorithm.ES256);
    ledger.addMember(Role.NORMAL, member.publicKey());
    VerifiedReceipt theirs =
        fixture.client.open(ledger.id(), member).append(JournalDraft.text("theirs"));
    ledger.revokeMember(member.kid());

    assertThat(ledger.get(theirs.jsn()).signers()).containsExactly(member.kid());
    assertThat(ledger.members()).hasSize(2);
    LedgerMember listed = ledger.members().getLast();
    assertThat(listed.role()).isEqualTo(Role.NORMAL);
    assertThat(listed.activeAt(theirs.jsn())).isTrue();
    assertThat(listed.activeAt(new Jsn(theirs.jsn().value() + 10))).isFalse();
  }

  @Test
  void showsBlocksAndHeads() throws TallyException {
    VerifiedReceipt receipt = ledger.append(JournalDraft.text("one"));

    VerifiedBlock block = ledger.blockOf(receipt.jsn());
    assertThat(block.height()).isEqualTo(1);
    assertThat(ledger.block(1)).isEqualTo(block);
    assertThat(ledger.newestBlock()).isEqualTo(block);
    assertThat(ledger.checkpoint().statesSameAs(block.head())).isTrue();
    assertThat(ledger.consistency(ledger.block(0).head(), block.head()).to()).isEqualTo(4);
    assertThat(ledger.receipt(receipt.jsn())).isEqualTo(receipt.toFile());
  }

  @Test
  void opensAPinnedLedgerWithoutAskingTheService() throws TallyException {
    fixture.service.close();
    try (TallyClient offline = ServiceFixture.connect(fixture.service, trust)) {
      assertThat(offline.open(ledger.id()).trustedHead()).isPresent();
    }
  }

  @Test
  void opensALedgerItNeverMetByItsId() throws TallyException {
    try (TallyClient other = ServiceFixture.connect(fixture.service, trust.resolve("other"))) {
      LedgerHandle opened = other.open(ledger.id());
      assertThat(opened.trustedHead().orElseThrow().size().value()).isEqualTo(2);
      assertThat(opened.trust().genesis()).isEqualTo(ledger.trust().genesis());
    }
  }
}
