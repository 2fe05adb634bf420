package io.tallystick.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.GpuMode;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.CreatedLedger;
import io.tallystick.node.LedgerFilter;
import io.tallystick.node.LedgerName;
import io.tallystick.node.Member;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.host.NodeSeams;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the registry says of ledgers and members what their journals say, now. Method: a real
/// node.
class LedgerRegistryTest {
  private static final LedgerFilter ALL = new LedgerFilter.All();

  private static final Signatures SIGNATURES = SignatureProviders.best();
  private static final LedgerName NAME =
      new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);

  @TempDir private Path directory;
  private LocalNode local;
  private LedgerRegistry registry;
  private Fixtures ledger;
  private LedgerId id;

  @BeforeEach
  void open() throws Exception {
    local =
        LocalNode.open(
            directory,
            new Authority("localhost"),
            NodeSeams.production(GpuMode.OFF),
            SIGNATURES,
            new SimpleMeterRegistry());
    registry = new LedgerRegistry(Placement.onOneNode(local.node()), SIGNATURES);
    ServiceIdentity identity = registry.identity();
    ledger =
        Fixtures.ledger(
            registry.timeMs(),
            identity.authority().value(),
            identity.noteKey(),
            identity.receiptKey());
    id = ledger.params().ledgerId();
  }

  @AfterEach
  void close() throws Exception {
    local.close();
  }

  private CreatedLedger create() throws RequestRejectedException {
    return create(_ -> {});
  }

  private CreatedLedger create(FoundingRule rule) throws RequestRejectedException {
    return registry.create(
        ledger.params().encode(), ledger.genesisAttestation().encode(), NAME, rule);
  }

  @Test
  void foundsALedgerOnceAndFindsItAgain() throws Exception {
    assertThatThrownBy(() -> registry.ledger(id))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.UNKNOWN_LEDGER));
    assertThat(create().existed()).isFalse();
    assertThat(create().existed()).isTrue();
    assertThat(registry.ledger(id).name()).isEqualTo(Fixtures.LEDGER_NAME);
    assertThat(registry.ledgers(null, 10, ALL)).hasSize(1);
    assertThat(registry.ledgers(id, 10, ALL)).isEmpty();
    assertThat(registry.members(id).members()).extracting(Member::role).containsOnly(Role.OWNER);
  }

  /// An invitation may have expired since: who lost the answer is told what became of it.
  @Test
  void answersARepeatWhoeverMayFoundNow() throws Exception {
    FoundingRule nobody =
        _ -> {
          throw new RequestRejectedException(RejectionCode.FOUNDING_NOT_ALLOWED, "nobody");
        };
    assertThatThrownBy(() -> create(nobody)).isInstanceOf(RequestRejectedException.class);
    create();
    assertThat(create(nobody).existed()).isTrue();
  }

  @Test
  void refusesANameThatDoesNotOpenItsCommitment() {
    LedgerName other = new LedgerName(NAME.salt(), "other");
    assertThatThrownBy(() ->
            registry.create(
                ledger.params().encode(), ledger.genesisAttestation().encode(), other, _ -> {}))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.COMMITMENT_MISMATCH));
  }

  @Test
  void findsAMemberAsSoonAsItIsOneThoughItWasAskedForBefore() throws Exception {
    create();
    Digest carol = Fixtures.CAROL.publicKey().kid();
    assertThat(registry.memberKey(id, carol)).isEmpty();
    assertThat(registry.memberKey(id, Fixtures.ALICE.publicKey().kid())).isPresent();

    Submission add = ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey());
    registry
        .nodeOf(id)
        .append(
            new SubmissionVerifier(SIGNATURES, Set.of())
                .verify(ledger.strand(), add.requests(), add.attestation(), ledger.keys()))
        .receipted()
        .get(Waiting.MAX.toSeconds(), TimeUnit.SECONDS);
    assertThat(registry.memberKey(id, carol)).contains(Fixtures.CAROL.publicKey());
    assertThat(registry.members(id).members())
        .filteredOn(member -> member.key().kid().equals(carol))
        .extracting(Member::role)
        .containsExactly(Role.NORMAL);
  }
}
