package io.tallystick.testkit.vectors;

import io.tallystick.cbor.CborReader;
import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.certificate.CertificateRefusedException;
import io.tallystick.certificate.ChainVerifier;
import io.tallystick.cose.BatchMemberProof;
import io.tallystick.cose.CoseSign1;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.GenesisVerifier;
import io.tallystick.journal.KeyLookup;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Op;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestTimes;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.vectors.Outcome.Accepted;
import io.tallystick.testkit.vectors.Outcome.Refused;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/// Carries a vector out with the verifiers of ledger-core.
public final class VectorRunner {
  private final Signatures signatures;

  public VectorRunner(Signatures signatures) {
    this.signatures = signatures;
  }

  public Outcome run(Vector vector) {
    try {
      return new Accepted(results(vector));
    } catch (MalformedException e) {
      return new Refused("MALFORMED", OptionalInt.empty(), String.valueOf(e.getMessage()));
    } catch (ProofRejectedException e) {
      return new Refused(e.reason().name(), OptionalInt.empty(), String.valueOf(e.getMessage()));
    } catch (CertificateRefusedException e) {
      return new Refused(e.reason().name(), OptionalInt.empty(), String.valueOf(e.getMessage()));
    } catch (RequestRejectedException e) {
      return new Refused(e.code().name(), e.index(), String.valueOf(e.getMessage()));
    }
  }

  private Map<String, Object> results(Vector vector)
      throws MalformedException,
          ProofRejectedException,
          RequestRejectedException,
          CertificateRefusedException {
    return switch (vector.text("op")) {
      case "cbor" -> cbor(vector);
      case "header" -> header(vector);
      case "operation" -> operation(vector);
      case "commitments" -> commitments(vector);
      case "times" -> times(vector);
      case "submission" -> submission(vector);
      case "attestation" -> attestation(vector);
      case "batchMember" -> batchMember(vector);
      case "genesis" -> genesis(vector);
      case "leaf" -> leaf(vector);
      case "certificateChain" -> certificateChain(vector);
      case "keyChain" -> new TrustVectorRunner(signatures).keyChain(vector);
      case "journalProof" -> new TrustVectorRunner(signatures).journalProof(vector);
      case "proposal" -> new TrustVectorRunner(signatures).proposal(vector);
      case "misbehaviour" -> new TrustVectorRunner(signatures).misbehaviour(vector);
      case "removalCertificate" -> new RemovalVectorRunner(signatures).certificate(vector);
      case "pseudoGenesis" -> new RemovalVectorRunner(signatures).pseudoGenesis(vector);
      case "anchor" -> new TrustVectorRunner(signatures).anchor(vector);
      default -> new ProofVectorRunner(signatures).results(vector);
    };
  }

  private static Map<String, Object> cbor(Vector vector) throws MalformedException {
    CborReader in = new CborReader(vector.bytes("input"));
    String value =
        switch (vector.text("as")) {
          case "uint" -> Long.toString(in.uint());
          case "integer" -> Long.toString(in.integer());
          case "bytes" -> Bytes.wrap(in.bytes()).hex();
          case "text" -> in.text();
          case "flag" -> Boolean.toString(in.bool());
          case "nil" -> Boolean.toString(in.nil());
          case "array" -> Integer.toString(in.array());
          case "map" -> Integer.toString(in.map());
          case "tag18" -> {
            in.tag(18);
            yield "18";
          }
          default -> throw new IllegalArgumentException(vector.text("as"));
        };
    in.end();
    return Map.of("value", value);
  }

  private static Map<String, Object> header(Vector vector) throws MalformedException {
    RequestHeader header = RequestHeader.decode(vector.bytes("header"));
    return Map.of(
        "requestHash", RequestHeader.hash(header.encode()).hex(), "kind", header.kind().name());
  }

  private static Map<String, Object> certificateChain(Vector vector)
      throws MalformedException, CertificateRefusedException {
    CertificateChain chain = CertificateChain.decode(vector.bytes("chain"));
    CertificateAuthorities authorities =
        CertificateAuthorities.decode(
            Bytes.utf8(new CertificateChain(vector.listOfBytes("authorities")).pem()));
    new ChainVerifier(authorities)
        .verify(
            chain,
            vector.digest("certDigest"),
            PublicKey.ofSpki(vector.bytes("key")),
            vector.number("timeMs"));
    return Map.of("certDigest", chain.digest().hex(), "subject", chain.subject());
  }

  private static Map<String, Object> operation(Vector vector) throws MalformedException {
    Op op = Op.decode(vector.bytes("operation"));
    return Map.of("opsRoot", Op.root(List.of(op)).digest().hex());
  }

  private static Map<String, Object> commitments(Vector vector) {
    Bytes salt = vector.bytes("salt");
    LedgerId ledger = new LedgerId(vector.digest("ledger"));
    int index = (int) vector.number("index");
    return Map.of(
        "nameCommit", Commitments.name(salt, vector.text("name")).hex(),
        "clueId", Commitments.clueId(ledger, vector.text("clue")).hex(),
        "bodyCommit", Commitments.body(salt, vector.bytes("body")).hex(),
        "valueCommit", Commitments.value(salt, index, vector.bytes("value")).hex());
  }

  private static Map<String, Object> times(Vector vector)
      throws MalformedException, RequestRejectedException {
    RequestHeader header = RequestHeader.decode(vector.bytes("header"));
    RequestTimes.check(header, vector.number("nowMs"), vector.number("maxWindowMs"));
    return Map.of();
  }

  private Map<String, Object> submission(Vector vector)
      throws MalformedException, RequestRejectedException {
    List<SignedRequest> requests = new ArrayList<>();
    for (Object item : vector.list("requests")) {
      Vector request = new Vector(vector.name(), fields(item));
      requests.add(
          new SignedRequest(request.bytes("header"), request.bytes("salt"), request.bytes("body")));
    }
    Set<Feature> features =
        vector.list("features").contains(1L) ? Set.of(Feature.CLUE_TRIE) : Set.of();
    VerifiedSubmission verified =
        new SubmissionVerifier(signatures, features)
            .verify(strand(vector), requests, vector.bytes("attestation"), keys(vector));
    return Map.of(
        "requestHashes", hex(verified.requestHashes()),
        "attestHash", verified.attestHash().hex(),
        "signatureIds", hex(verified.signatureIds()));
  }

  private Map<String, Object> attestation(Vector vector)
      throws MalformedException, ProofRejectedException {
    List<RequestHeader> headers = new ArrayList<>();
    List<Digest> hashes = new ArrayList<>();
    for (Bytes encoded : vector.listOfBytes("headers")) {
      headers.add(RequestHeader.decode(encoded));
      hashes.add(RequestHeader.hash(encoded));
    }
    Bytes encoded = vector.bytes("attestation");
    Attestation attestation =
        headers.size() == 1
            ? Attestation.decode(encoded, headers.getFirst().kind())
            : Attestation.decode(encoded);
    List<AttestationVerifier.Signer> signers =
        AttestationVerifier.verify(
            strand(vector), headers, hashes, attestation, keys(vector), signatures);
    return Map.of(
        "kids", hex(signers.stream().map(AttestationVerifier.Signer::kid).toList()),
        "signatureIds",
            hex(signers.stream().map(AttestationVerifier.Signer::signatureId).toList()));
  }

  private Map<String, Object> batchMember(Vector vector)
      throws MalformedException, ProofRejectedException {
    PublicKey key = PublicKey.ofSpki(vector.bytes("key"));
    CoseSign1 proof = CoseSign1.decode(vector.bytes("proof"));
    InclusionProof inclusion =
        BatchMemberProof.verify(
            proof, strand(vector), vector.digest("requestHash"), key, signatures);
    return Map.of("batchIndex", inclusion.index(), "batchCount", inclusion.size());
  }

  private Map<String, Object> genesis(Vector vector)
      throws MalformedException, ProofRejectedException {
    Attestation attestation = Attestation.decode(vector.bytes("attestation"));
    GenesisParams params = GenesisVerifier.verify(vector.bytes("params"), attestation, signatures);
    return Map.of("ledgerId", params.ledgerId().hex(), "origin", params.origin(0));
  }

  private static Map<String, Object> leaf(Vector vector) throws MalformedException {
    Leaf leaf = Leaf.decode(vector.bytes("leaf"));
    return Map.of(
        "type", leaf.getClass().getSimpleName(),
        "jsn", leaf.jsn().value(),
        "leafHash", leaf.leafHash().hex());
  }

  static StrandId strand(Vector vector) {
    return new StrandId(new LedgerId(vector.digest("ledger")), (int) vector.number("strand"));
  }

  static KeyLookup keys(Vector vector) throws MalformedException {
    List<PublicKey> keys = new ArrayList<>();
    for (Bytes spki : vector.listOfBytes("keys")) {
      keys.add(PublicKey.ofSpki(spki));
    }
    KeyLookup members = kid -> keys.stream().filter(key -> key.kid().equals(kid)).findFirst();
    return vector.find("serviceKey").isPresent()
        ? members.withReceiptKey(PublicKey.ofSpki(vector.bytes("serviceKey")))
        : members;
  }

  private static Map<String, Object> fields(Object item) {
    Map<String, Object> fields = new LinkedHashMap<>();
    ((Map<?, ?>) item).forEach((key, value) -> fields.put(String.valueOf(key), value));
    return fields;
  }

  private static List<String> hex(List<Digest> digests) {
    return digests.stream().map(Digest::hex).toList();
  }
}
