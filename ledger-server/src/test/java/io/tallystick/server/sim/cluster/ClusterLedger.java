package io.tallystick.server.sim.cluster;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.Body;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Ops;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.Founding;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.LedgerName;
import io.tallystick.server.sim.FakeSignatures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;

/// A ledger of the clients: its keys, and what they sign.
final class ClusterLedger {
  private static final int OWNERS = 4;
  private static final int PAYLOAD_BYTES_MAX = 200;
  private static final long WINDOW_MS = 600_000;
  private static final long PROPOSAL_MS = 24 * 3_600_000L;

  final StrandId strand;
  final Founding founding;
  final ServiceKeys serviceKeys;
  final List<FakeSignatures.Key> owners;
  private final SplittableRandom random;
  private int made;

  /// A journal as its client signed it: the same bytes each time it is sent.
  record Request(ClusterLedger ledger, VerifiedSubmission submission) {
    /// The leaf that it must have.
    Bytes leaf(Committed committed) {
      return new JournalLeaf(
              new Jsn(committed.firstJsn()),
              committed.timeMs(),
              submission.requests().getFirst().header(),
              submission.attestHash(),
              0,
              1,
              committed.delegated())
          .encode();
    }
  }

  ClusterLedger(
      Authority authority,
      FakeSignatures.Key note,
      FakeSignatures.Key receipt,
      long nowMs,
      SplittableRandom random) {
    this.random = random;
    List<FakeSignatures.Key> keys = new ArrayList<>();
    for (int i = 0; i < OWNERS; i++) {
      keys.add(FakeSignatures.key(random));
    }
    keys.sort(Comparator.comparing(key -> key.publicKey().kid()));
    this.owners = List.copyOf(keys);
    Bytes salt = bytes32();
    GenesisParams params =
        new GenesisParams(
            authority,
            Commitments.name(salt, "simulated"),
            bytes32(),
            owners.stream().map(FakeSignatures.Key::publicKey).toList(),
            note.publicKey(),
            receipt.publicKey(),
            nowMs,
            true,
            1,
            WINDOW_MS,
            EnumSet.noneOf(Feature.class),
            null);
    this.strand = new StrandId(params.ledgerId(), 0);
    this.serviceKeys = new ServiceKeys(authority, note.publicKey(), receipt.publicKey());
    this.founding =
        new Founding(
            params,
            params.encode(),
            RequestSigner.signGenesis(params, owners).encode(),
            new LedgerName(Digest.of(salt), "simulated"));
  }

  private Bytes bytes32() {
    byte[] bytes = new byte[Digest.BYTES];
    random.nextBytes(bytes);
    return Bytes.wrap(bytes);
  }

  FakeSignatures.Key owner() {
    return owners.get(random.nextInt(owners.size()));
  }

  Request request(long nowMs) {
    byte[] payload = new byte[random.nextInt(PAYLOAD_BYTES_MAX)];
    random.nextBytes(payload);
    Bytes salt = bytes32();
    Bytes body = new Body(Bytes.wrap(payload), "", List.of(), List.of()).encode();
    Ops ops = new Ops(List.of());
    RequestHeader header =
        new RequestHeader(
            strand,
            Kind.APPEND,
            made++,
            nowMs,
            nowMs + WINDOW_MS,
            Commitments.body(salt, body),
            body.size(),
            List.of(),
            ops.root(),
            ops.size(),
            new Extension.None());
    SignedRequest request = new SignedRequest(header.encode(), salt, body, ops.encode());
    Digest hash = RequestHeader.hash(request.header());
    Attestation attestation = RequestSigner.sign(strand, hash, List.of(owner()));
    List<AttestationVerifier.Signer> signers = new ArrayList<>();
    for (CoseSign1 signature : attestation.signatures()) {
      signers.add(
          new AttestationVerifier.Signer(kid(signature), signature.signatureId(hash.toBytes())));
    }
    Bytes encoded = attestation.encode();
    return new Request(
        this,
        new VerifiedSubmission(
            strand,
            List.of(request),
            List.of(header),
            List.of(hash),
            attestation,
            encoded,
            Attestation.hash(encoded),
            signers));
  }

  private static Digest kid(CoseSign1 signature) {
    try {
      return ProtectedHeader.kid(signature.protectedHeader());
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  /// One that waits for more signatures.
  KeptProposal proposal(long nowMs) {
    Proposal proposal =
        Proposal.of(
            RequestDraft.govern(
                    strand,
                    Kind.MEMBER_REVOKE,
                    new Extension.MemberRevoke(bytes32Digest()),
                    nowMs,
                    bytes32())
                .withExpiry(nowMs + PROPOSAL_MS)
                .build());
    return new KeptProposal(proposal.signedBy(owner()), KeptProposal.Outcome.Open.INSTANCE);
  }

  private Digest bytes32Digest() {
    return Digest.of(bytes32());
  }
}
