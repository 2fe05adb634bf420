package io.tallystick.client;

import static io.tallystick.client.ServiceFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.Member;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.journal.JournalOutcome;
import io.tallystick.client.member.LedgerMember;
import io.tallystick.journal.Extension;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.Role;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what a service says of granted members is found in the ledger or refused. Method: grants
/// of each kind at a fake service that decides nothing; one lie each.
class GrantedMembersTest {
  private static final long LATER_MS = 4_000_000_000_000L;

  @TempDir Path trust;
  private ServiceFixture fixture;
  private LedgerHandle ledger;
  private final ClientKey member = ClientKey.generate();
  private final ClientKey next = ClientKey.generate();

  @BeforeEach
  void found() throws TallyException {
    fixture = new ServiceFixture(trust);
    ledger = fixture.ledger;
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private static Extension.Grant grant(ClientKey key, Role role) {
    return new Extension.Grant(
        role, key.publicKey(), OptionalLong.empty(), Optional.empty(), false, Optional.empty());
  }

  private static Extension.Grant delegated(ClientKey key) {
    return new Extension.Grant(
        Role.NORMAL,
        key.publicKey(),
        OptionalLong.empty(),
        Optional.empty(),
        true,
        Optional.empty());
  }

  private static Extension.Grant until(ClientKey key, long notAfterMs) {
    return new Extension.Grant(
        Role.NORMAL,
        key.publicKey(),
        OptionalLong.of(notAfterMs),
        Optional.empty(),
        false,
        Optional.empty());
  }

  private static Extension.Grant inPlaceOf(ClientKey key, Digest replaced) {
    return new Extension.Grant(
        Role.NORMAL,
        key.publicKey(),
        OptionalLong.empty(),
        Optional.of(replaced),
        false,
        Optional.empty());
  }

  private Jsn appendAs(ClientKey key) throws TallyException {
    return fixture.client.open(ledger.id(), key).append(JournalDraft.text("theirs")).jsn();
  }

  /// Added, granted anew by an owner that is then made a regulator itself, and replaced.
  private List<Jsn> history() throws TallyException {
    ClientKey second = ClientKey.generate();
    ledger.grant(grant(second, Role.OWNER));
    LedgerHandle byBoth = fixture.client.open(ledger.id(), second, fixture.owner);
    byBoth.addMember(Role.NORMAL, member.publicKey());
    Jsn first = appendAs(member);
    byBoth.grant(until(member, LATER_MS));
    Jsn middle = appendAs(member);
    ledger.grant(grant(second, Role.REGULATOR));
    ledger.grant(inPlaceOf(next, member.kid()));
    return List.of(first, middle, appendAs(next));
  }

  @Test
  void membersAndTheirJournalsVerify() throws TallyException {
    List<Jsn> journals = history();
    assertThat(ledger.members()).hasSize(4);
    for (Jsn jsn : journals) {
      assertThat(ledger.get(jsn).signers()).hasSize(1);
    }
    assertThat(ledger.get(journals)).allMatch(outcome -> outcome instanceof JournalOutcome.Found);
    LedgerMember listed =
        ledger.members().stream()
            .filter(each -> each.kid().equals(member.kid()))
            .findFirst()
            .orElseThrow();
    assertThat(listed.terms().notAfterMs()).hasValue(LATER_MS);
    assertThat(listed.terms().grantedJsn()).isGreaterThan(listed.addedJsn());
    assertThat(listed.replacedBy()).contains(next.kid());
  }

  @Test
  void everyLieAboutAMemberIsRefused() throws TallyException {
    history();
    assertThat(lie(said -> said.setRole(Role.OWNER.code()))).isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(lie(Member.Builder::clearNotAfterMs)).isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(lie(said -> said.setNotAfterMs(LATER_MS + 1))).isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(lie(said -> said.setDelegated(true))).isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(lie(said -> said.setCertDigest(said.getKid()))).isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(lie(Member.Builder::clearGrantedJsn)).isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(lie(Member.Builder::clearReplacedBy)).isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(lie(said -> said.setReplacedBy(bytes(fixture.owner.kid()))))
        .isEqualTo(Reason.LEAF_MISMATCH);
    assertThat(lie(said -> said.setGrantedJsn(1))).isEqualTo(Reason.MALFORMED);
  }

  private Reason lie(UnaryOperator<Member.Builder> lie) {
    fixture.service.memberTampering =
        said ->
            said.getKid().equals(bytes(member.kid())) ? lie.apply(said.toBuilder()).build() : said;
    return refusal(ledger::members).reason();
  }

  private static ByteString bytes(Digest kid) {
    return ByteString.copyFrom(kid.toArray());
  }

  /// The fake service marks no leaf.
  @Test
  void aDroppedMarkOfADelegatedKeyIsRefused() throws TallyException {
    ledger.grant(grant(member, Role.NORMAL));
    Jsn before = appendAs(member);
    ledger.grant(delegated(member));
    assertThat(ledger.get(before).delegated()).isFalse();
    Jsn after = appendAs(member);
    assertThat(refusal(() -> ledger.get(after)).reason()).isEqualTo(Reason.LEAF_MISMATCH);
  }

  @Test
  void aJournalOfAnExpiredKeyIsRefused() throws TallyException {
    ledger.grant(until(member, 1));
    Jsn late = appendAs(member);
    VerificationException refusal = refusal(() -> ledger.get(late));
    assertThat(refusal).hasMessageContaining("expired at 1970-01-01T00:00:00.001Z");
    assertThat(refusal.reason()).isEqualTo(Reason.NOT_A_MEMBER);
  }
}
