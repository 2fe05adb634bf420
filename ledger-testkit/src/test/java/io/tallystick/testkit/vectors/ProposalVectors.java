package io.tallystick.testkit.vectors;

import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.AnchorProtected;
import io.tallystick.cose.CoseSign1;
import io.tallystick.evidence.Anchor;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import java.util.List;
import java.util.Optional;

/// Topics `proposal` and `anchor`: what members sign outside the log.
final class ProposalVectors {
  private final VectorSet set;
  private final Fixtures ledger = Fixtures.ledger();
  private final ReferenceLedger log = ReferenceLedger.sample();
  private final SignedRequest close =
      ledger.govern(Kind.CLOSE, Extension.Close.INSTANCE, Fixtures.ALICE).requests().getFirst();
  private final Proposal open = Proposal.of(close);
  private final Proposal both = open.signedBy(Fixtures.BOB).signedBy(Fixtures.ALICE);

  ProposalVectors(VectorSet set) {
    this.set = set;
  }

  void make() {
    proposals();
    rotations();
    proposalBytes();
    anchors();
    anchorBytes();
  }

  private void proposals() {
    set.accept(of("nobody-signed-yet", open));
    set.accept(of("one-signed", open.signedBy(Fixtures.BOB)));
    set.accept(of("both-owners-signed", both));
    Proposal carol = open.signedBy(Fixtures.CAROL);
    set.refuse("NOT_A_MEMBER", of("a-stranger-signed", carol));
    Bytes later = ledger.clueTrieFrom(10).requests().getFirst().header();
    CoseSign1 other =
        RequestSigner.signOne(ledger.strand(), RequestHeader.hash(later), Fixtures.ALICE);
    set.refuse("COMMITMENT_MISMATCH", of("signature-of-another-request", open.with(other)));
    StrandId elsewhere = Fixtures.ledger(Fixtures.TIME_MS + 1).strand();
    CoseSign1 moved = RequestSigner.signOne(elsewhere, open.requestHash(), Fixtures.ALICE);
    set.refuse("WRONG_LEDGER", of("signature-for-another-ledger", open.with(moved)));
    CoseSign1 alices = RequestSigner.signOne(ledger.strand(), open.requestHash(), Fixtures.ALICE);
    CoseSign1 bent = Forge.withSignature(alices, Forge.flipBit(alices.signature(), 3));
    set.refuse("BAD_SIGNATURE", of("signature-bent", open.with(bent)));
  }

  private void rotations() {
    Proposal rotation = Proposal.of(ledger.rotation().requests().getFirst());
    set.accept(of("rotation-signed-by-an-owner-first", rotation.signedBy(Fixtures.ALICE)));
    CoseSign1 service =
        RequestSigner.signService(
                ledger.strand(), rotation.requestHash(), List.of(Fixtures.RECEIPT), List.of())
            .signatures()
            .getFirst();
    set.accept(
        of("rotation-signed-by-the-service", rotation.with(service))
            .with("serviceKey", Fixtures.RECEIPT.publicKey()));
    set.refuse(
        "WRONG_TYPE", of("service-request-where-no-receipt-key-is-known", rotation.with(service)));
  }

  private void proposalBytes() {
    Bytes good = both.encode();
    malformed("of-type-20", Forge.replaceStart(good, "8415", "8414"));
    malformed("bytes-left-over", Forge.append(good, "00"));
    malformed("cut", good.slice(0, good.size() - 1));
    String salt = "5820" + close.salt().hex();
    malformed("with-another-salt", Forge.replace(good, salt, "5820" + "11".repeat(32)));
    malformed("with-a-salt-of-31-bytes", Forge.replace(good, salt, "581f" + "11".repeat(31)));
    List<CoseSign1> signatures = both.signatures();
    String first = signatures.get(0).encode().hex();
    String second = signatures.get(1).encode().hex();
    malformed("kids-descending", Forge.replace(good, first + second, second + first));
    malformed("one-kid-twice", Forge.replace(good, first + second, first + first));
    malformed("17-signatures-of-a-grant", seventeen());
    malformed("of-an-append", proposal(ledger.request(1)));
    Extension.Time time =
        new Extension.Time(
            new TreeSize(2),
            log.rootAt(2),
            Optional.empty(),
            new TimeProof.Token(Bytes.fromHex("30")));
    malformed(
        "of-a-time-journal",
        proposal(ledger.service(Kind.TIME, time, List.of(Fixtures.RECEIPT)).requests().getFirst()));
  }

  private Bytes seventeen() {
    Bytes one = both.signatures().getFirst().encode();
    SignedRequest add =
        ledger.memberAdd(Role.OWNER, Fixtures.CAROL.publicKey()).requests().getFirst();
    return Forge.append(
        Bytes.fromHex(proposal(add).hex().replaceAll("80$", "91")), one.hex().repeat(17));
  }

  /// An unsigned proposal of any request, right or wrong.
  private static Bytes proposal(SignedRequest request) {
    return new CborWriter()
        .array(4)
        .uint(21)
        .bytes(request.header())
        .bytes(request.salt())
        .array(0)
        .toBytes();
  }

  private void malformed(String name, Bytes proposal) {
    set.refuse("MALFORMED", of(name, both).with("proposal", proposal));
  }

  private VectorCase of(String name, Proposal proposal) {
    return VectorCase.of("proposal/" + name, "proposal", name.replace('-', ' '))
        .with(ledger.strand())
        .with("keys", VectorCase.ownerKeys())
        .with("proposal", proposal.encode());
  }

  private void anchors() {
    Anchor anchor = new Anchor(log.strand(), new TreeSize(12), log.rootAt(12));
    set.accept(anchor("signed-by-an-owner", anchor.sign(Fixtures.ALICE)));
    set.accept(anchor("signed-with-es256", anchor.sign(Fixtures.BOB)));
    set.refuse("NOT_A_MEMBER", anchor("signed-by-a-stranger", anchor.sign(Fixtures.CAROL)));
    set.refuse("BAD_SIGNATURE", anchor("bent", bentSignature(anchor)));
    StrandId elsewhere = Fixtures.ledger(Fixtures.TIME_MS + 1).strand();
    Anchor moved = new Anchor(elsewhere, anchor.size(), anchor.root());
    set.refuse("WRONG_LEDGER", anchor("of-another-ledger", moved.sign(Fixtures.ALICE)));
    Anchor strand =
        new Anchor(new StrandId(log.strand().ledger(), 1), anchor.size(), anchor.root());
    set.refuse("WRONG_LEDGER", anchor("of-another-strand", strand.sign(Fixtures.ALICE)));
    Bytes request =
        RequestSigner.signOne(log.strand(), open.requestHash(), Fixtures.ALICE).encode();
    set.refuse("WRONG_TYPE", anchor("request-as-an-anchor", request));
    Bytes receipt = log.headSignature(12).statement(log.rootAt(12)).encode();
    set.refuse("WRONG_TYPE", anchor("receipt-as-an-anchor", receipt));
  }

  private static Bytes bentSignature(Anchor anchor) {
    Bytes signed = anchor.sign(Fixtures.ALICE);
    return Forge.flipBit(signed, signed.size() - 40);
  }

  private void anchorBytes() {
    Bytes header =
        new AnchorProtected(
                Fixtures.ALICE.publicKey().algorithm(),
                Fixtures.ALICE.publicKey().kid(),
                log.strand())
            .encode();
    String root = "5820" + log.rootAt(12).digest().hex();
    signed("MALFORMED", "of-type-21", header, "83150c" + root);
    signed("MALFORMED", "with-an-item-more", header, "84140c" + root + "00");
    signed("MALFORMED", "with-bytes-left-over", header, "83140c" + root + "00");
    signed("MALFORMED", "with-a-root-of-31-bytes", header, "83140c" + "581f" + "11".repeat(31));
    signed("SIZE_OUT_OF_RANGE", "of-size-0", header, "831400" + root);
    signed("SIZE_OUT_OF_RANGE", "above-2-62", header, "83141b4000000000000001" + root);
    Bytes more = Forge.append(Forge.replaceStart(header, "a4", "a5"), "3a0001117200");
    signed("MALFORMED", "with-a-label-more", more, "83140c" + root);
    CoseSign1 detached =
        Forge.withPayload(Forge.sign(Fixtures.ALICE, header, Bytes.fromHex("83140c" + root)), null);
    set.refuse("MALFORMED", anchor("with-a-detached-payload", detached.encode()));
  }

  private void signed(String code, String name, Bytes header, String payload) {
    CoseSign1 message = Forge.sign(Fixtures.ALICE, header, Bytes.fromHex(payload));
    set.refuse(code, anchor(name, message.encode()));
  }

  private VectorCase anchor(String name, Bytes encoded) {
    return VectorCase.of("anchor/" + name, "anchor", name.replace('-', ' '))
        .with(log.strand())
        .with("keys", VectorCase.ownerKeys())
        .with("anchor", encoded);
  }
}
