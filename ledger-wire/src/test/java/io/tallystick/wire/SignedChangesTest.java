package io.tallystick.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.cose.CoseSign1;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.evidence.Anchor;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Limits;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.node.Done;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.LedgerName;
import io.tallystick.node.MemberToken;
import io.tallystick.node.NodeChange;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: who has a proxy's certificate, and no member's key, changes nothing that members said.
/// Method: a stub asks a server for changes as a proxy does, without the word of a member, with
/// another's, and with the right one.
class SignedChangesTest {
  private WiredNode wired;
  private NodeStub stub;
  private Fixtures ledger;
  private LedgerId id;

  @BeforeEach
  void open(@TempDir Path directory) throws Exception {
    wired = new WiredNode(directory, true);
    stub = wired.stub();
    ServiceIdentity service = stub.identity();
    ledger =
        Fixtures.ledger(
            stub.timeMs(), service.authority().value(), service.noteKey(), service.receiptKey());
    id = ledger.strand().ledger();
    LedgerName name = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
    var _ =
        stub.createLedger(
            FoundingVerifier.verify(
                ledger.params().encode(),
                ledger.genesisAttestation().encode(),
                name,
                WiredNode.SIGNATURES));
    append(ledger.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()));
  }

  @AfterEach
  void close() throws Exception {
    wired.close();
  }

  private void append(Submission submission) throws Exception {
    var verified =
        new SubmissionVerifier(WiredNode.SIGNATURES, Set.of())
            .verify(
                ledger.strand(), submission.requests(), submission.attestation(), ledger.keys());
    assertThat(stub.append(verified).receipted().get().committed().repeated()).isFalse();
  }

  /// @return null if it was carried out
  private @Nullable RejectionCode refusal(NodeChange<?> change) {
    RequestRejectedException e =
        catchThrowableOfType(
            RequestRejectedException.class,
            () -> {
              Object _ = stub.change(change);
            });
    return e == null ? null : e.code();
  }

  private static Optional<MemberToken> token(Signer member) {
    return Optional.of(new MemberToken(member.publicKey().kid().hex()));
  }

  private Proposal proposal(Signer... signers) {
    Proposal proposal =
        Proposal.of(
            RequestDraft.govern(
                    ledger.strand(),
                    Kind.CLOSE,
                    Extension.Close.INSTANCE,
                    ledger.timeMs(),
                    Bytes.wrap(new byte[32]))
                .build());
    for (Signer each : signers) {
      proposal = proposal.signedBy(each);
    }
    return proposal;
  }

  private static KeptProposal open(Proposal proposal) {
    return new KeptProposal(proposal, Outcome.Open.INSTANCE);
  }

  private NodeChange<Boolean> put(@Nullable KeptProposal before, KeptProposal after) {
    return new NodeChange.ReplaceProposal(Optional.ofNullable(before), after);
  }

  @Test
  void signaturesOfAProposalAreMembersOwn() throws Exception {
    Proposal alices = proposal(Fixtures.ALICE);
    assertThat(refusal(put(null, open(proposal())))).isEqualTo(RejectionCode.MALFORMED);
    CoseSign1 signature = alices.signatures().getFirst();
    byte[] bent = signature.encode().toArray();
    bent[bent.length - 1] ^= 1;
    Proposal forged =
        new Proposal(alices.header(), alices.salt(), List.of(CoseSign1.decode(Bytes.wrap(bent))));
    assertThat(refusal(put(null, open(forged)))).isEqualTo(RejectionCode.BAD_SIGNATURE);
    assertThat(stub.change(put(null, open(alices)))).isTrue();
    assertThat(refusal(put(open(alices), open(proposal(Fixtures.CAROL)))))
        .as("one is left out")
        .isEqualTo(RejectionCode.ROLE_NOT_ALLOWED);
    KeptProposal committed =
        new KeptProposal(proposal(Fixtures.ALICE, Fixtures.BOB), new Outcome.Committed(9));
    assertThat(refusal(put(open(alices), committed))).isEqualTo(RejectionCode.ROLE_NOT_ALLOWED);
    assertThat(wired.local.openProposals().orElseThrow().find(id, alices.requestHash()))
        .contains(open(alices));
    assertThat(stub.change(put(open(alices), open(proposal(Fixtures.ALICE, Fixtures.CAROL)))))
        .isTrue();
  }

  private static KeptProposal submitting(Proposal proposal) {
    return new KeptProposal(proposal, Outcome.Submitting.INSTANCE);
  }

  /// It would take no signature any more, so that nobody could complete it.
  @Test
  void onlyACompleteProposalIsSubmitted() throws Exception {
    KeptProposal alices = open(proposal(Fixtures.ALICE));
    assertThat(refusal(put(null, submitting(alices.proposal()))))
        .as("every owner closes a ledger")
        .isEqualTo(RejectionCode.SIGNATURES_MISSING);
    assertThat(stub.change(put(null, alices))).isTrue();
    for (Proposal few : List.of(alices.proposal(), proposal(Fixtures.ALICE, Fixtures.CAROL))) {
      assertThat(refusal(put(alices, submitting(few)))).isEqualTo(RejectionCode.SIGNATURES_MISSING);
    }
    assertThat(stub.change(put(alices, submitting(proposal(Fixtures.ALICE, Fixtures.BOB)))))
        .isTrue();
  }

  private @Nullable RejectionCode begun(
      Kind kind, Extension extension, long clientTimeMs, long expiresMs) {
    Proposal proposal =
        Proposal.of(
                RequestDraft.govern(
                        ledger.strand(), kind, extension, clientTimeMs, Bytes.wrap(new byte[32]))
                    .withExpiry(expiresMs)
                    .build())
            .signedBy(Fixtures.ALICE);
    return refusal(put(null, open(proposal)));
  }

  @Test
  void whatAProxyKeepsNotAsAProposalTheServerDoesNotEither() {
    long now = ledger.timeMs();
    Extension.Purge purge = new Extension.Purge(new Jsn(8), 2, Digest.ZERO, 0);
    assertThat(begun(Kind.PURGE, purge, now, now + 60_000))
        .isEqualTo(RejectionCode.KIND_NOT_ENABLED);
    Extension close = Extension.Close.INSTANCE;
    assertThat(begun(Kind.CLOSE, close, now - 60_000, now - 30_000))
        .isEqualTo(RejectionCode.EXPIRED);
    assertThat(begun(Kind.CLOSE, close, now, now + Limits.GOVERNANCE_WINDOW_MS_MAX + 1))
        .isEqualTo(RejectionCode.WINDOW_TOO_LONG);
  }

  /// Strangers bring them to a proxy, which hands them on.
  @Test
  void textsOfSubmittersAreBounded() {
    assertThat(refusal(submit("1".repeat(257), ""))).isEqualTo(RejectionCode.TOO_LARGE);
    assertThat(refusal(submit("", "1".repeat(4_097)))).isEqualTo(RejectionCode.TOO_LARGE);
    assertThat(refusal(submit("::1", "secret")))
        .as("this node writes no T-Ledger")
        .isEqualTo(RejectionCode.UNKNOWN_LEDGER);
  }

  private NodeChange.SubmitHead submit(String address, String invitation) {
    return new NodeChange.SubmitHead(
        id, Bytes.EMPTY, Bytes.EMPTY, Bytes.EMPTY, address, invitation);
  }

  /// It is counted no more, and the submission would be refused for it.
  @Test
  void aSignatureOfAMemberThatWasRevokedMayBeLeftOut() throws Exception {
    KeptProposal before = open(proposal(Fixtures.ALICE, Fixtures.CAROL));
    assertThat(stub.change(put(null, before))).isTrue();
    append(ledger.memberRevoke(Fixtures.CAROL.publicKey().kid()));
    assertThat(stub.change(put(before, open(proposal(Fixtures.ALICE, Fixtures.BOB))))).isTrue();
  }

  @Test
  void aMemberWithdrawsByItsToken() throws Exception {
    KeptProposal owners = open(proposal(Fixtures.ALICE, Fixtures.CAROL));
    assertThat(stub.change(put(null, owners))).isTrue();
    assertThat(refusal(new NodeChange.RemoveProposal(owners, Optional.empty())))
        .isEqualTo(RejectionCode.TOKEN_REQUIRED);
    assertThat(
            refusal(
                new NodeChange.RemoveProposal(
                    owners, Optional.of(new MemberToken("00".repeat(32))))))
        .isEqualTo(RejectionCode.TOKEN_INVALID);
    assertThat(refusal(new NodeChange.RemoveProposal(owners, token(Fixtures.CAROL))))
        .as("an owner has signed it")
        .isEqualTo(RejectionCode.ROLE_NOT_ALLOWED);
    // What it says was kept is not what is: nothing is removed.
    KeptProposal carols = open(proposal(Fixtures.CAROL));
    assertThat(stub.change(new NodeChange.RemoveProposal(carols, token(Fixtures.CAROL)))).isFalse();
    assertThat(stub.change(new NodeChange.RemoveProposal(owners, token(Fixtures.BOB)))).isTrue();
  }

  @Test
  void onlyAnOwnerErasesCertificates() throws Exception {
    assertThat(refusal(new NodeChange.EraseCertificates(id, Digest.ZERO, Optional.empty())))
        .isEqualTo(RejectionCode.TOKEN_REQUIRED);
    assertThat(refusal(new NodeChange.EraseCertificates(id, Digest.ZERO, token(Fixtures.CAROL))))
        .isEqualTo(RejectionCode.ROLE_NOT_ALLOWED);
    assertThat(
            stub.change(new NodeChange.EraseCertificates(id, Digest.ZERO, token(Fixtures.ALICE))))
        .as("there are none")
        .isFalse();
  }

  @Test
  void anAnchorIsTheOneThatAMemberSigned() throws Exception {
    StrandId strand = ledger.strand();
    Anchor anchor = new Anchor(strand, new TreeSize(2), new JournalRoot(Digest.ZERO));
    Digest alice = Fixtures.ALICE.publicKey().kid();
    Bytes signed = anchor.sign(Fixtures.ALICE);
    byte[] bent = signed.toArray();
    bent[bent.length - 1] ^= 1;
    assertThat(refusal(new NodeChange.KeepAnchor(new KeptAnchor(anchor, alice, Bytes.wrap(bent)))))
        .isEqualTo(RejectionCode.BAD_SIGNATURE);
    Anchor larger = new Anchor(strand, new TreeSize(3), new JournalRoot(Digest.ZERO));
    assertThat(refusal(new NodeChange.KeepAnchor(new KeptAnchor(larger, alice, signed))))
        .isEqualTo(RejectionCode.MALFORMED);
    assertThat(stub.change(new NodeChange.KeepAnchor(new KeptAnchor(anchor, alice, signed))))
        .isEqualTo(Done.DONE);
  }

  @Test
  void whatIsOverTheOwnerOfTheShardDrops() {
    assertThat(refusal(new NodeChange.DropGoneProposals()))
        .isEqualTo(RejectionCode.ROLE_NOT_ALLOWED);
    assertThat(refusal(new NodeChange.DropExpiredCertificates()))
        .isEqualTo(RejectionCode.ROLE_NOT_ALLOWED);
  }
}
