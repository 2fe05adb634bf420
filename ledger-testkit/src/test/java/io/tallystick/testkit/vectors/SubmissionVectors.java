package io.tallystick.testkit.vectors;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.GenesisProtected;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.cose.RequestProtected;
import io.tallystick.cose.ServiceRequestProtected;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Topic `request/signature`: one request and who signed it.
final class SubmissionVectors {
  private static final SeededSigner ALICE = Fixtures.ALICE;
  private static final PublicKey KEY = ALICE.publicKey();

  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();
  private final StrandId strand = ledger.strand();
  private final Submission good = ledger.single(1);
  private final SignedRequest request = good.requests().getFirst();
  private final Bytes payload = RequestHeader.hash(request.header()).toBytes();
  private final Bytes header = new RequestProtected(KEY.algorithm(), KEY.kid(), strand).encode();
  private final CoseSign1 signature = Forge.sign(ALICE, header, payload);

  SubmissionVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    accepted();
    types();
    labels();
    keys();
    contexts();
    payloads();
    lists();
  }

  private void accepted() {
    set.accept(named("one-signer", good, "Alice signs alone"));
    Submission both = ledger.submission(request, Fixtures.owners().toArray(SeededSigner[]::new));
    set.accept(named("two-signers", both, "each over the same requestHash"));
    Submission bob = ledger.submission(request, Fixtures.BOB);
    set.accept(named("es256", bob, "Bob's ES256 signature"));
    CoseSign1 bobs = decodeOnly(bob.attestation());
    Bytes flipped = Bytes.wrap(SeededSigner.flipped(bobs.signature().toArray()));
    set.accept(
        with("es256-flipped-s-has-the-same-signature-id", Forge.withSignature(bobs, flipped)));
  }

  private void types() {
    Bytes genesis = new GenesisProtected(KEY.algorithm(), KEY.kid()).encode();
    refuse("WRONG_TYPE", "typ-of-genesis", Forge.sign(ALICE, genesis, payload));
    Bytes service = new ServiceRequestProtected(KEY.algorithm(), KEY.kid(), strand).encode();
    refuse("WRONG_TYPE", "typ-of-the-service", Forge.sign(ALICE, service, payload));
    Bytes unknown = Forge.replace(header, hex("+cose"), hex("+xxxx"));
    refuse("WRONG_TYPE", "typ-unknown", Forge.sign(ALICE, unknown, payload));
    PublicKey carol = Fixtures.CAROL.publicKey();
    Bytes both = new ServiceRequestProtected(carol.algorithm(), carol.kid(), strand).encode();
    refuse(
        "WRONG_TYPE", "typ-is-checked-before-the-key", Forge.sign(Fixtures.CAROL, both, payload));
  }

  private void labels() {
    malformed("label-crit", "a6", "a7", "0127", "0127" + "028110");
    malformed("label-crit-at-the-end", "a6", "a7", "", "3a00011172" + "00");
    malformed("label-iv", "a6", "a7", "1078", "0540" + "1078");
    malformed("label-context-missing", "a6", "a5", "3a00011171" + context(strand), "");
    malformed("label-counted-but-missing", "a6", "a7", "0127", "0127");
    malformed("label-alg-twice", "a6", "a7", "0127", "0127" + "0127");
    malformed("label-alg-not-shortest", "a6", "a6", "0127", "180127");
    malformed("labels-out-of-order", "a6", "a6", "0127" + kid(), kid() + "0127");
    malformed("payload-hash-alg-sha-384", "a6", "a6", "1901022f", "190102382a");
    malformed("preimage-type-text-plain", "a6", "a6", hex("request-header"), hex("request-hexder"));
    malformed("context-version-2", "a6", "a6", "3a000111718301", "3a000111718302");
    malformed("alg-minus-19", "a6", "a6", "0127", "0132");
    refuseBytes("MALFORMED", "protected-header-empty", Forge.sign(ALICE, Bytes.EMPTY, payload));
    Bytes encoded = signature.encode();
    Bytes kidBeside = Forge.replace(encoded, header.hex() + "a0", header.hex() + "a1044101");
    refuse("MALFORMED", "unprotected-kid", Forge.attestation(kidBeside));
    refuse("MALFORMED", "unprotected-proof", signature.withInclusionProof(Bytes.fromHex("00")));
  }

  private void keys() {
    PublicKey carol = Fixtures.CAROL.publicKey();
    Bytes carols = new RequestProtected(carol.algorithm(), carol.kid(), strand).encode();
    refuse("UNKNOWN_KEY", "key-of-no-member", Forge.sign(Fixtures.CAROL, carols, payload));
    refuse("BAD_SIGNATURE", "signed-by-another-key", Forge.sign(Fixtures.CAROL, header, payload));
    Bytes es256 = new RequestProtected(SignatureAlgorithm.ES256, KEY.kid(), strand).encode();
    refuse("BAD_SIGNATURE", "alg-of-another-key", Forge.sign(ALICE, es256, payload));
    for (int at : new int[] {0, 31, 32, 63}) {
      Bytes bent = Forge.flipBit(signature.signature(), at);
      String name = "signature-bit-flipped-in-byte-" + at;
      refuse("BAD_SIGNATURE", name, Forge.withSignature(signature, bent));
    }
    Bytes encoded = signature.encode();
    String sig = "5840" + signature.signature().hex();
    Bytes shorter = Forge.replace(encoded, sig, "583f" + sig.substring(4, sig.length() - 2));
    refuse("MALFORMED", "signature-of-63-bytes", Forge.attestation(shorter));
    Bytes longer = Forge.replace(encoded, sig, "5841" + sig.substring(4) + "00");
    refuse("MALFORMED", "signature-of-65-bytes", Forge.attestation(longer));
  }

  private void contexts() {
    StrandId otherStrand = new StrandId(strand.ledger(), 1);
    StrandId otherLedger = new StrandId(new LedgerId(Digest.fromHex("99".repeat(32))), 0);
    refuse("WRONG_LEDGER", "signature-for-another-strand", sign(otherStrand));
    refuse("WRONG_LEDGER", "signature-for-another-ledger", sign(otherLedger));
    set.refuse(
        "WRONG_LEDGER",
        VectorCase.submissionTo(
            otherLedger, name("request-of-another-ledger"), good, "submitted elsewhere"));
    Bytes moved =
        Forge.replace(request.header(), strand.ledger().hex(), otherLedger.ledger().hex());
    Submission both =
        new Submission(
            List.of(new SignedRequest(moved, request.salt(), request.body())), good.attestation());
    set.refuse(
        "WRONG_LEDGER",
        VectorCase.submissionTo(
            otherLedger, name("hash-moved-to-another-ledger"), both, "header rewritten"));
  }

  private void payloads() {
    refuse("MALFORMED", "payload-detached", Forge.withPayload(signature, null));
    Bytes other = RequestHeader.hash(ledger.request(2).header()).toBytes();
    refuse("COMMITMENT_MISMATCH", "payload-of-another-request", Forge.sign(ALICE, header, other));
    refuse(
        "COMMITMENT_MISMATCH",
        "payload-is-the-header",
        Forge.sign(ALICE, header, request.header()));
    Bytes encoded = signature.encode();
    refuse("MALFORMED", "untagged", Forge.attestation(Forge.replaceStart(encoded, "d284", "84")));
    refuse("MALFORMED", "tag-98", Forge.attestation(Forge.replaceStart(encoded, "d2", "d862")));
    refuse(
        "MALFORMED",
        "five-items",
        Forge.attestation(Forge.append(Forge.replaceStart(encoded, "d284", "d285"), "00")));
  }

  private void lists() {
    Bytes one = signature.encode();
    refuse("MALFORMED", "no-signature", Forge.attestation());
    refuse("MALFORMED", "one-signer-twice", Forge.attestation(one, one));
    Bytes bob =
        Forge.attestation(decodeOnly(ledger.submission(request, Fixtures.BOB).attestation()));
    Bytes bobs = Bytes.wrap(bob.slice(1, bob.size() - 1).toArray());
    List<Bytes> descending = new ArrayList<>(List.of(one, bobs));
    if (KEY.kid().compareTo(Fixtures.BOB.publicKey().kid()) < 0) {
      Collections.reverse(descending);
    }
    refuse("MALFORMED", "kids-descending", Forge.attestation(descending.toArray(Bytes[]::new)));
    refuse("MALFORMED", "bytes-left-over", Forge.append(good.attestation(), "00"));
    refuse("MALFORMED", "17-signatures", Bytes.fromHex("91" + one.hex().repeat(17)));
    Submission carolToo = ledger.submission(request, ALICE, Fixtures.CAROL);
    set.refuse("UNKNOWN_KEY", named("one-of-two-signers-unknown", carolToo, "all must be members"));
  }

  /// A correctly signed header in which `from` became `to` (at the end if `from` is empty).
  private void malformed(String name, String start, String newStart, String from, String to) {
    Bytes changed = from.isEmpty() ? Forge.append(header, to) : Forge.replace(header, from, to);
    Bytes labelled = Forge.replaceStart(changed, start, newStart);
    refuseBytes("MALFORMED", name, Forge.sign(ALICE, labelled, payload));
  }

  private CoseSign1 sign(StrandId context) {
    ProtectedHeader other = new RequestProtected(KEY.algorithm(), KEY.kid(), context);
    return Forge.sign(ALICE, other.encode(), payload);
  }

  private static String context(StrandId strand) {
    return "83015820" + strand.ledger().hex() + "00";
  }

  private static String kid() {
    return "045820" + KEY.kid().hex();
  }

  private static String hex(String text) {
    return Bytes.utf8(text).hex();
  }

  private void refuse(String code, String name, CoseSign1 message) {
    set.refuse(code, with(name, message));
  }

  private void refuseBytes(String code, String name, CoseSign1 message) {
    refuse(code, name, Forge.attestation(message));
  }

  private void refuse(String code, String name, Bytes attestation) {
    Submission submission = new Submission(List.of(request), attestation);
    set.refuse(code, named(name, submission, name.replace('-', ' ')));
  }

  private VectorCase with(String name, CoseSign1 message) {
    return named(
        name, new Submission(List.of(request), Forge.attestation(message)), name.replace('-', ' '));
  }

  private static CoseSign1 decodeOnly(Bytes attestation) {
    try {
      return CoseSign1.decode(attestation.slice(1, attestation.size() - 1));
    } catch (io.tallystick.model.MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private static VectorCase named(String name, Submission submission, String description) {
    return VectorCase.submission(name(name), submission, description);
  }

  private static String name(String name) {
    return "request/signature/" + name;
  }
}
