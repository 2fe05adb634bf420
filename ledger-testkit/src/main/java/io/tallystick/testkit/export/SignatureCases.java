package io.tallystick.testkit.export;

import io.tallystick.cose.CoseSign1;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.Anchor;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestSigner;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import io.tallystick.model.TreeSize;
import io.tallystick.removal.ErasureStatement;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Clients' signatures by both algorithms: requests, batches of several lengths, and the foundation
/// of the ledger; and the service's own signatures over requests of kinds 19 and 20, and over an
/// erasure statement.
final class SignatureCases {
  private static final int[] BATCH_COUNTS = {2, 3, 8, 100};
  private static final Fixtures LEDGER = Fixtures.ledger();

  private SignatureCases() {}

  static void write(CaseFile file) throws Exception {
    List<Signer> signers = owners();
    for (SignedRequest request : requests()) {
      writeRequest(file, request, signers);
    }
    for (int count : BATCH_COUNTS) {
      List<Digest> hashes = Fixtures.hashes(LEDGER.requests(1_000 * count, count));
      for (CoseSign1 message :
          RequestSigner.signBatch(LEDGER.strand(), hashes, signers).signatures()) {
        file.add(line("batch", message, signers).hexes("requestHashes", hashes));
      }
    }
    for (CoseSign1 message : RequestSigner.signGenesis(LEDGER.params(), signers).signatures()) {
      file.add(line("genesis", message, signers).hex("covers", LEDGER.params().encode()));
    }
    writeAnchors(file, signers);
    writeService(file);
    writeErasure(file);
  }

  private static void writeErasure(CaseFile file) throws Exception {
    Signer receipt = own(Fixtures.RECEIPT);
    Bytes statement =
        new ErasureStatement(LEDGER.strand(), journal(10), LEDGER.timeMs(), new Jsn(4), 2)
            .sign(receipt);
    CoseSign1 message = CoseSign1.decode(statement);
    file.add(
        line("erasure", message, List.of(receipt))
            .hex("covers", Objects.requireNonNull(message.payload())));
  }

  private static JournalRef journal(long jsn) {
    return new JournalRef(new Jsn(jsn), Digest.of(Fixtures.bytes32("journal " + jsn)));
  }

  private static void writeAnchors(CaseFile file, List<Signer> signers) throws Exception {
    JournalRoot root = new JournalRoot(Digest.of(Fixtures.bytes32("anchored")));
    for (Signer signer : signers) {
      Bytes anchor = new Anchor(LEDGER.strand(), new TreeSize(8), root).sign(signer);
      CoseSign1 message = CoseSign1.decode(anchor);
      file.add(
          line("anchor", message, signers)
              .hex("covers", Objects.requireNonNull(message.payload())));
    }
  }

  private static void writeService(CaseFile file) throws Exception {
    List<Signer> service = List.of(own(Fixtures.RECEIPT), own(Fixtures.NEXT_RECEIPT));
    Extension rotation =
        new Extension.KeyRotation(
            Fixtures.NEXT_NOTE.publicKey(), Fixtures.NEXT_RECEIPT.publicKey());
    Extension time =
        new Extension.Time(
            new TreeSize(2),
            new JournalRoot(Digest.of(Fixtures.bytes32("root"))),
            Optional.empty(),
            new TimeProof.Token(Bytes.utf8("token")));
    writeService(file, govern(Kind.KEY_ROTATION, rotation, Fixtures.bytes32("rotation")), service);
    writeService(file, govern(Kind.TIME, time, Fixtures.bytes32("time")), service.subList(0, 1));
  }

  private static void writeService(CaseFile file, SignedRequest request, List<Signer> service)
      throws IOException {
    Digest hash = RequestHeader.hash(request.header());
    Attestation attestation = RequestSigner.signService(LEDGER.strand(), hash, service, List.of());
    for (CoseSign1 message : attestation.signatures()) {
      file.add(line("service", message, service).hex("covers", request.header()));
    }
  }

  private static void writeRequest(CaseFile file, SignedRequest request, List<Signer> signers)
      throws IOException {
    Digest hash = RequestHeader.hash(request.header());
    Attestation attestation = RequestSigner.sign(LEDGER.strand(), hash, signers);
    for (CoseSign1 message : attestation.signatures()) {
      file.add(line("request", message, signers).hex("covers", request.header()));
    }
  }

  private static List<SignedRequest> requests() {
    RequestDraft clues = LEDGER.draft(3).withClues(List.of("invoice 2026-11", "customer 7f3a"));
    Bytes salt = Fixtures.bytes32("governance");
    PublicKey carol = Fixtures.CAROL.publicKey();
    ErasureTarget target = new ErasureTarget.Journals(List.of(journal(4), journal(6)));
    Digest digest = Digest.of(Fixtures.bytes32("snapshot"));
    return List.of(
        LEDGER.request(1),
        clues.build(),
        govern(Kind.MEMBER_ADD, new Extension.MemberAdd(Role.NORMAL, carol), salt),
        govern(Kind.MEMBER_REVOKE, new Extension.MemberRevoke(carol.kid()), salt),
        govern(Kind.OCCULT, new Extension.Occult(target, "GDPR, Art. 17"), salt),
        govern(Kind.PURGE, new Extension.Purge(new Jsn(8), 3, digest, 4_000), salt),
        govern(Kind.RECALL, new Extension.Recall(new Jsn(10)), salt));
  }

  private static SignedRequest govern(Kind kind, Extension extension, Bytes salt) {
    return RequestDraft.govern(LEDGER.strand(), kind, extension, LEDGER.timeMs(), salt).build();
  }

  /// The fixtures' owners, signing through the provider the product uses.
  static List<Signer> owners() throws Exception {
    return List.of(own(Fixtures.ALICE), own(Fixtures.BOB));
  }

  private static Signer own(SeededSigner fixture) throws Exception {
    return SignatureProviders.best().importPkcs8(fixture.exportPkcs8());
  }

  /// A case of one message, with the key its protected header names.
  static CaseLine line(String kind, CoseSign1 message, List<Signer> signers) {
    return new CaseLine(kind)
        .hex("spki", signerOf(message, signers).spki())
        .hex("message", message.encode());
  }

  static PublicKey signerOf(CoseSign1 message, List<Signer> signers) {
    String header = message.protectedHeader().hex();
    return signers.stream()
        .map(Signer::publicKey)
        .filter(key -> header.contains(key.kid().hex()))
        .findFirst()
        .orElseThrow();
  }
}
