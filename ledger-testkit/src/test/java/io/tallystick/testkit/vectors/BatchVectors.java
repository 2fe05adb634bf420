package io.tallystick.testkit.vectors;

import io.tallystick.cose.BatchMemberProof;
import io.tallystick.cose.BatchProtected;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.merkle.BatchRoot;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Topic `batch`: several requests under one signature, and the proof of one of them.
final class BatchVectors {
  private static final SeededSigner ALICE = Fixtures.ALICE;
  private static final PublicKey KEY = ALICE.publicKey();

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();
  private final Submission good = ledger.batch(1, 5);
  private final List<SignedRequest> requests = good.requests();
  private final List<Digest> hashes = Fixtures.hashes(requests);
  private final Bytes root = BatchRoot.over(hashes).digest().toBytes();
  private final CoseSign1 signature = detached(header(5), root);

  BatchVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    wholes();
    signatures();
    members();
    memberProofs();
  }

  private void wholes() {
    set.accept(batch("five-requests", good));
    set.accept(batch("two-requests", ledger.batch(1, 2)));
    Submission both = ledger.submission(requests, ALICE, Fixtures.BOB);
    set.accept(batch("two-signers", both));
    List<SignedRequest> swapped = new ArrayList<>(requests);
    Collections.swap(swapped, 1, 2);
    refuse("BAD_SIGNATURE", "members-swapped", swapped);
    refuse("BATCH_INVALID", "last-member-missing", requests.subList(0, 4));
    refuse("BATCH_INVALID", "member-added", ledger.requests(1, 6));
    List<SignedRequest> replaced = new ArrayList<>(requests);
    replaced.set(3, ledger.request(9));
    refuse("BAD_SIGNATURE", "member-replaced", replaced);
    refuse("WRONG_TYPE", "one-member-submitted-alone", requests.subList(0, 1));
    set.refuse("MALFORMED", batch("no-request", new Submission(List.of(), good.attestation())));
  }

  private void signatures() {
    Bytes single = RequestSigner.sign(ledger.strand(), hashes.getFirst(), List.of(ALICE)).encode();
    set.refuse("WRONG_TYPE", batch("signed-as-a-single-request", new Submission(requests, single)));
    refuse("MALFORMED", "root-attached", Forge.withPayload(signature, root));
    refuse(
        "BAD_SIGNATURE",
        "signed-over-the-first-hash",
        detached(header(5), hashes.getFirst().toBytes()));
    refuse("BATCH_INVALID", "signed-for-six", detached(header(6), root));
    Bytes one = Forge.replaceStart(Forge.replace(header(5), "0005", "0001"), "a5", "a5");
    refuse("MALFORMED", "signed-for-one", detached(one, root));
    Bytes many = Forge.replace(header(5), "0005", "00192711");
    refuse("MALFORMED", "signed-for-10001", detached(many, root));
    Bytes vds = Forge.replace(header(5), "19018b01", "19018b02");
    refuse("MALFORMED", "vds-2", detached(vds, root));
    Bytes crit = Forge.replaceStart(Forge.replace(header(5), "0127", "0127028110"), "a5", "a6");
    refuse("MALFORMED", "label-crit", detached(crit, root));
    Bytes proof = BatchMemberProof.of(signature, 0, hashes).encode();
    set.refuse(
        "MALFORMED",
        batch("with-a-member-proof", new Submission(requests, Forge.attestation(proof))));
  }

  private void members() {
    List<SignedRequest> twice = new ArrayList<>(requests);
    twice.set(4, requests.get(1));
    set.refuseAt(4, "BATCH_INVALID", resigned("member-twice", twice));
    SignedRequest sameSalt =
        new SignedRequest(requests.get(4).header(), requests.get(1).salt(), requests.get(4).body());
    twice.set(4, sameSalt);
    set.refuseAt(4, "SALT_INVALID", resigned("salt-of-another-member", twice));
    List<SignedRequest> bent = new ArrayList<>(requests);
    SignedRequest third = bent.get(2);
    bent.set(2, new SignedRequest(third.header(), third.salt(), Forge.flipBit(third.body(), 5)));
    set.refuseAt(2, "COMMITMENT_MISMATCH", resigned("third-body-bent", bent));
    bent.set(2, new SignedRequest(Forge.append(third.header(), "00"), third.salt(), third.body()));
    set.refuseAt(2, "MALFORMED", resigned("third-header-malformed", bent));
    List<SignedRequest> governed = new ArrayList<>(requests);
    governed.set(0, ledger.memberAdd(Role.OWNER, Fixtures.CAROL.publicKey()).requests().getFirst());
    set.refuseAt(0, "BATCH_INVALID", resigned("member-add-inside", governed));
    List<SignedRequest> foreign = new ArrayList<>(requests);
    foreign.set(1, Fixtures.ledger(Fixtures.TIME_MS + 1).request(2));
    set.refuseAt(1, "WRONG_LEDGER", resigned("member-of-another-ledger", foreign));
  }

  private void memberProofs() {
    for (int i = 0; i < 5; i++) {
      set.accept(proof("proof-of-member-" + i, BatchMemberProof.of(signature, i, hashes), i));
    }
    CoseSign1 second = BatchMemberProof.of(signature, 1, hashes);
    set.refuse("BAD_SIGNATURE", proof("proof-for-another-member", second, 2));
    InclusionProof path = path(second);
    refuseProof("BAD_SIGNATURE", "proof-at-another-index", 0, 5, path.path());
    refuseProof("WRONG_SIZE", "proof-in-a-tree-of-six", 1, 6, path.path());
    refuseProof("INDEX_OUT_OF_RANGE", "proof-at-index-5", 5, 5, path.path());
    refuseProof(
        "WRONG_PATH_LENGTH", "proof-without-its-last-hash", 1, 5, path.path().subList(0, 2));
    List<Digest> longer = new ArrayList<>(path.path());
    longer.add(Digest.ZERO);
    refuseProof("WRONG_PATH_LENGTH", "proof-with-a-hash-more", 1, 5, longer);
    set.refuse("MISSING", proof("proof-missing", signature, 1));
    set.refuse(
        "WRONG_KEY",
        proof("proof-by-another-key", second, 1).with("key", Fixtures.BOB.publicKey()));
    set.refuse("WRONG_LEDGER", proof("proof-for-another-strand", second, 1).with("strand", 1));
    Bytes bent = Forge.append(InclusionProofBytes.encode(path), "00");
    set.refuse(
        "MALFORMED", proof("proof-with-bytes-left-over", signature.withInclusionProof(bent), 1));
  }

  private void refuseProof(String code, String name, long index, long size, List<Digest> path) {
    Bytes bytes = InclusionProofBytes.encode(new InclusionProof(index, size, path));
    set.refuse(code, proof(name, signature.withInclusionProof(bytes), 1));
  }

  private VectorCase proof(String name, CoseSign1 proof, int member) {
    return VectorCase.of("batch/" + name, "batchMember", name.replace('-', ' '))
        .with(ledger.strand())
        .with("key", KEY)
        .with("requestHash", hashes.get(member))
        .with("proof", proof.encode());
  }

  private static InclusionProof path(CoseSign1 proof) {
    try {
      return InclusionProofBytes.of(proof);
    } catch (ProofRejectedException e) {
      throw new AssertionError(e);
    }
  }

  private Bytes header(int count) {
    return new BatchProtected(KEY.algorithm(), KEY.kid(), ledger.strand(), count).encode();
  }

  private static CoseSign1 detached(Bytes header, Bytes payload) {
    return Forge.withPayload(Forge.sign(ALICE, header, payload), null);
  }

  /// Other requests under the signature of the good batch.
  private void refuse(String code, String name, List<SignedRequest> others) {
    set.refuse(code, batch(name, new Submission(others, good.attestation())));
  }

  /// The good batch under another signature.
  private void refuse(String code, String name, CoseSign1 message) {
    set.refuse(code, batch(name, new Submission(requests, Forge.attestation(message))));
  }

  /// Other requests under Alice's good signature over them.
  private VectorCase resigned(String name, List<SignedRequest> others) {
    return batch(name, ledger.submission(others, ALICE));
  }

  private static VectorCase batch(String name, Submission submission) {
    return VectorCase.submission("batch/" + name, submission, name.replace('-', ' '));
  }
}
