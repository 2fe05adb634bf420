package io.tallystick.client;

import static io.tallystick.client.ServiceFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.BodyState;
import io.tallystick.api.v1.Erasure;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.Role;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a service that withholds a body shows an occult of it by an owner and a regulator, or a
/// purge by an owner, or is refused. Method: occults at a fake service that decides nothing; one
/// lie each.
class ForgedErasureTest {
  @TempDir Path trust;
  private ServiceFixture fixture;
  private final ClientKey rex = ClientKey.generate();
  private LedgerHandle both;
  private Jsn jsn = new Jsn(0);

  @BeforeEach
  void found() throws TallyException {
    fixture = new ServiceFixture(trust);
    fixture.ledger.addMember(Role.REGULATOR, rex.publicKey());
    both = fixture.client.open(fixture.id(), fixture.owner, rex);
    jsn = fixture.ledger.append(JournalDraft.text("secret").withClues(List.of("ada"))).jsn();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /// From here on the service answers that body no more.
  private void withhold() {
    fixture.service.entryTampering =
        entry ->
            entry.getJsn() == jsn.value()
                ? entry.toBuilder()
                    .setBodyState(BodyState.BODY_ERASED)
                    .clearSalt()
                    .clearBody()
                    .build()
                : entry;
  }

  private ErasureTarget itself() throws TallyException {
    return LedgerRemovals.naming(List.of(both.get(jsn)));
  }

  private ErasureTarget ofClue(String clue, long first, long last) {
    Digest id = Commitments.clueId(fixture.id(), clue);
    return new ErasureTarget.OfClue(id, new Jsn(first), new Jsn(last));
  }

  private Reason refused() {
    return refusal(() -> both.erasure(jsn)).reason();
  }

  private Reason lie(UnaryOperator<Erasure.Builder> lie) {
    fixture.service.erasureTampering = told -> lie.apply(told.toBuilder()).build();
    Reason reason = refused();
    fixture.service.erasureTampering = UnaryOperator.identity();
    return reason;
  }

  @Test
  void bothFormsOfOccultAreVerified() throws TallyException {
    assertThat(both.erasure(jsn)).isEmpty();
    Jsn occult = both.occult(itself(), "a court").jsn();
    withhold();
    ErasedBody erased = both.erasure(jsn).orElseThrow();
    assertThat(erased.removal()).isEqualTo(occult);
    assertThat(erased.basis()).isEqualTo("a court");
    assertThat(erased.doneMs()).isEmpty();
    assertThat(erased.signers())
        .extracting(ErasedBody.Signer::role)
        .containsExactlyInAnyOrder(Optional.of(Role.OWNER), Optional.of(Role.REGULATOR));
    Jsn again = both.occult(ofClue("ada", 0, jsn.value()), "").jsn();
    assertThat(both.erasure(jsn).orElseThrow().removal()).isEqualTo(again);
  }

  @Test
  void aBodyWithheldWithoutAnOccultIsRefused() {
    withhold();
    assertThat(refused()).isEqualTo(Reason.MISSING);
  }

  @Test
  void anOccultOfAnotherJournalIsRefused() throws TallyException {
    Jsn other = fixture.ledger.append(JournalDraft.text("other").withClues(List.of("bo"))).jsn();
    both.occult(LedgerRemovals.naming(List.of(both.get(other))), "");
    withhold();
    assertThat(refused()).isEqualTo(Reason.LEAF_MISMATCH);
    both.occult(ofClue("bo", 0, other.value()), "");
    assertThat(refused()).isEqualTo(Reason.LEAF_MISMATCH);
    both.occult(ofClue("ada", jsn.value() + 1, other.value()), "");
    assertThat(refused()).isEqualTo(Reason.LEAF_MISMATCH);
  }

  @Test
  void anOccultWithoutARegulatorOrAnOwnerIsRefused() throws TallyException {
    ErasureTarget target = itself();
    fixture.client.open(fixture.id(), fixture.owner).occult(target, "");
    withhold();
    assertThat(refused()).isEqualTo(Reason.NOT_A_MEMBER);
    fixture.client.open(fixture.id(), rex).occult(target, "");
    assertThat(refused()).isEqualTo(Reason.NOT_A_MEMBER);
  }

  /// From here on the service has nothing of that journal any more.
  private void remove(long purge, long firstKept) {
    fixture.service.entryTampering =
        entry -> {
          if (entry.getJsn() == jsn.value()) {
            throw FakeService.problem(
                FakeService.problem("purged", false).toBuilder()
                    .setJsn(purge)
                    .setLimit(firstKept)
                    .build());
          }
          return entry;
        };
  }

  private Proposal purge(long firstKept) throws TallyException {
    Extension.Purge asked =
        new Extension.Purge(new Jsn(firstKept), firstKept / 2 - 1, Digest.ZERO, 0);
    return both.proposals().draft(Kind.PURGE, asked, Duration.ofDays(1));
  }

  @Test
  void aJournalThatWentIsShownByItsPurge() throws TallyException {
    long purge = both.submit(purge(6).signedBy(fixture.owner.signer())).jsn().value();
    remove(purge, 6);
    ErasedBody removed = both.erasure(jsn).orElseThrow();
    assertThat(removed.removal().value()).isEqualTo(purge);
    assertThat(removed.asked())
        .isInstanceOfSatisfying(
            Extension.Purge.class, asked -> assertThat(asked.firstKept().value()).isEqualTo(6));
    assertThat(removed.basis()).isEmpty();
    withhold();
    assertThat(both.erasure(jsn).orElseThrow().removal().value()).isEqualTo(purge);
  }

  @Test
  void aJournalThatWentWithoutItsPurgeIsRefused() throws TallyException {
    remove(6, 6);
    assertThat(refused()).isEqualTo(Reason.MISSING);
    both.submit(purge(4).signedBy(fixture.owner.signer()));
    assertThat(refused()).isEqualTo(Reason.LEAF_MISMATCH);
    both.submit(purge(6).signedBy(rex.signer()));
    assertThat(refused()).isEqualTo(Reason.NOT_A_MEMBER);
    fixture.service.entryTampering = UnaryOperator.identity();
    both.occult(itself(), "");
    remove(6, 6);
    assertThat(refused()).isEqualTo(Reason.LEAF_MISMATCH);
  }

  @Test
  void aPurgeIsNotSignedUnseen() throws TallyException {
    Proposal purge = purge(6);
    assertThatThrownBy(() -> both.proposals().sign(purge))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("AuditedSnapshot.verify");
    assertThatThrownBy(() -> both.proposals().put(purge))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("AuditedSnapshot.verify");
  }

  @Test
  void everyLieAboutAnOccultIsRefused() throws TallyException {
    Jsn occult = both.occult(itself(), "").jsn();
    FakeLedger remote = fixture.remote();
    Erasure ofAppend = FakeErasures.of(remote, jsn.value()).build();
    withhold();
    assertThat(both.erasure(jsn)).isPresent();
    assertThat(lie(told -> told.setRemovalJsn(jsn.value()))).isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(lie(told -> told.setReceiptFile(ofAppend.getReceiptFile())))
        .isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(lie(unused -> ofAppend.toBuilder())).isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(lie(told -> told.setAttestation(ofAppend.getAttestation())))
        .isEqualTo(Reason.COMMITMENT_MISMATCH);
    assertThat(lie(Erasure.Builder::clearAttestation)).isEqualTo(Reason.COMMITMENT_MISMATCH);
    assertThat(lie(Erasure.Builder::clearReceiptFile)).isEqualTo(Reason.MALFORMED);
    assertThat(lie(told -> told.setDoneMs(-1))).isEqualTo(Reason.MALFORMED);
    assertThat(lie(told -> told.setRemovalJsn(-1))).isEqualTo(Reason.MALFORMED);
    ByteString file = FakeErasures.of(remote, occult.value()).getReceiptFile();
    byte[] spoilt = file.toByteArray();
    spoilt[spoilt.length - 1] ^= 1;
    assertThat(lie(told -> told.setReceiptFile(ByteString.copyFrom(spoilt)))).isNotNull();
  }
}
