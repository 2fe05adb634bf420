package io.tallystick.client;

import static io.tallystick.client.ServiceFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.RequestedTime;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.JournalOutcome;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a client reads a time journal back only if the ledger's receipt key signed it. Method: a
/// fake service that commits whatever it is given.
class TimeJournalReadTest {
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

  /// Signed with the profile of a service request.
  private Jsn committedBy(SeededSigner signer) {
    return committedBy(signer, 2);
  }

  private Jsn committedBy(SeededSigner signer, long size) {
    Fixtures of = new Fixtures(fixture.remote().params, Fixtures.TIME_MS);
    Extension.Time time =
        new Extension.Time(
            new TreeSize(size),
            new JournalRoot(Digest.ZERO),
            Optional.empty(),
            new TimeProof.Token(Bytes.utf8("a token")));
    Submission submission = of.service(Kind.TIME, time, List.of(signer));
    return new Jsn(
        fixture
            .remote()
            .append(submission.requests(), submission.attestation(), Fixtures.TIME_MS)
            .firstJsn());
  }

  @Test
  void theReceiptKeySignsTimeJournals() throws TallyException {
    Jsn jsn = committedBy(Fixtures.RECEIPT);
    assertThat(ledger.get(jsn).signers()).containsExactly(Fixtures.RECEIPT.publicKey().kid());
    assertThat(ledger.get(List.of(jsn, new Jsn(0))))
        .allMatch(outcome -> outcome instanceof JournalOutcome.Found);
  }

  @Test
  void nobodyElseDoes() {
    Jsn byNote = committedBy(Fixtures.NOTE);
    assertThat(refusal(() -> ledger.get(byNote)).reason()).isEqualTo(Reason.WRONG_KEY);
    Jsn byNext = committedBy(Fixtures.NEXT_RECEIPT);
    assertThat(refusal(() -> ledger.get(byNext)).reason()).isEqualTo(Reason.WRONG_KEY);
  }

  /// Goal: a head that was seen before is not left out of the one stamped. Method: of answers that
  /// are one step from the right one, the right one alone is taken.
  @Test
  void aRequestedTimeIsOfAllThatWasSeen() throws TallyException {
    ledger.append(JournalDraft.text("seen"));
    long size = ledger.checkpoint().size().value();
    RequestedTime early = answer(committedBy(Fixtures.RECEIPT, 2), 2);
    assertThat(answered(early)).isEqualTo(Reason.LEAF_MISMATCH);
    Jsn jsn = committedBy(Fixtures.RECEIPT, size + 2);
    RequestedTime right = answer(jsn, size + 2);
    assertThat(answered(right.toBuilder().setSize(size).build())).isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(answered(right.toBuilder().setJsn(jsn.value() - 2).build()))
        .isEqualTo(Reason.LEAF_MISMATCH);
    ByteString otherRoot = ByteString.copyFrom(new byte[31]).concat(ByteString.copyFromUtf8("x"));
    assertThat(answered(right.toBuilder().setRoot(otherRoot).build()))
        .isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(answered(right.toBuilder().setTimeMs(Fixtures.TIME_MS + 1).build()))
        .isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(answered(right.toBuilder().setProvenMs(Fixtures.TIME_MS + 10_001).build()))
        .isEqualTo(Reason.LEAF_MISMATCH);
    fixture.service.requestedTime = right.toBuilder().setExisted(true).build();
    assertThat(ledger.anchors().requestTime().granted().journal().leaf().jsn()).isEqualTo(jsn);
    assertThat(ledger.checkpoint().size().value()).isEqualTo(size + 4);
    assertThat(ledger.anchors().requestTime().existed()).as("with its own block above").isTrue();
  }

  private Reason answered(RequestedTime answer) {
    fixture.service.requestedTime = answer;
    return refusal(() -> ledger.anchors().requestTime()).reason();
  }

  private static RequestedTime answer(Jsn jsn, long size) {
    return RequestedTime.newBuilder()
        .setJsn(jsn.value())
        .setTimeMs(Fixtures.TIME_MS)
        .setProvenMs(Fixtures.TIME_MS)
        .setSize(size)
        .setRoot(ByteString.copyFrom(new byte[Digest.BYTES]))
        .build();
  }
}
