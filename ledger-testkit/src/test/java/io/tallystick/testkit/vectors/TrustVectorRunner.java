package io.tallystick.testkit.vectors;

import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.Anchor;
import io.tallystick.evidence.JournalProof;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.Proposal;
import io.tallystick.misbehaviour.Misbehaviour;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Carries out the vectors of key chains, journal proofs, proposals, anchors and misbehaviour.
final class TrustVectorRunner {
  private final Signatures signatures;

  TrustVectorRunner(Signatures signatures) {
    this.signatures = signatures;
  }

  /// Each term is the size that it is above, then the kids of note key and receipt key.
  Map<String, Object> keyChain(Vector vector) throws MalformedException, ProofRejectedException {
    KeyChain.Verified verified =
        KeyChain.decode(vector.bytes("chain"))
            .verify(vector.bytes("params"), VectorRunner.strand(vector), signatures);
    List<Object> terms = new ArrayList<>();
    for (ServiceKeys.Term term : verified.keys().terms()) {
      terms.add(
          List.of(term.above().value(), term.noteKey().kid().hex(), term.receiptKey().kid().hex()));
    }
    List<Long> sizes = verified.heads().stream().map(head -> head.size().value()).toList();
    return Map.of("terms", terms, "heads", sizes);
  }

  Map<String, Object> journalProof(Vector vector)
      throws MalformedException, ProofRejectedException {
    JournalProof.Verified verified =
        JournalProof.decode(vector.bytes("file"))
            .verify(VectorRunner.strand(vector), signatures, vector.bytes("document"));
    Map<String, Object> results = new LinkedHashMap<>();
    results.put("jsn", verified.jsn().value());
    results.put("timeMs", verified.journal().timeMs());
    results.put("kind", (long) verified.journal().header().kind().code());
    results.put("signers", verified.signers().stream().map(Digest::hex).toList());
    results.put("contentType", verified.contentType());
    results.put("clues", verified.clues());
    results.put("payloadBytes", (long) verified.payloadBytes());
    results.put("heads", verified.heads().stream().map(head -> head.size().value()).toList());
    return results;
  }

  Map<String, Object> proposal(Vector vector) throws MalformedException, ProofRejectedException {
    Proposal proposal = Proposal.decode(vector.bytes("proposal"));
    List<String> kids =
        proposal.verify(VectorRunner.keys(vector), signatures).stream()
            .map(AttestationVerifier.Signer::kid)
            .map(Digest::hex)
            .toList();
    return Map.of("requestHash", proposal.requestHash().hex(), "kids", kids);
  }

  Map<String, Object> misbehaviour(Vector vector)
      throws MalformedException, ProofRejectedException {
    Misbehaviour.Confirmed confirmed =
        Misbehaviour.decode(vector.bytes("file"))
            .confirm(VectorRunner.strand(vector), signatures, TrustVectorRunner::genTimeMs);
    List<Long> sizes = confirmed.heads().stream().map(head -> head.size().value()).toList();
    return Map.of("claim", confirmed.claim().name(), "heads", sizes);
  }

  /// The vectors' stand-in for a token: genTime in 8 bytes, then the imprint.
  private static long genTimeMs(Bytes token, Digest imprint) throws ProofRejectedException {
    if (token.size() != Long.BYTES + Digest.BYTES
        || !Digest.of(token.slice(Long.BYTES, Digest.BYTES)).equals(imprint)) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH, "the token is not about " + imprint);
    }
    return ByteBuffer.wrap(token.toArray()).getLong();
  }

  Map<String, Object> anchor(Vector vector) throws MalformedException, ProofRejectedException {
    Anchor.Signed signed =
        Anchor.verify(
            vector.bytes("anchor"),
            VectorRunner.strand(vector),
            VectorRunner.keys(vector),
            signatures);
    return Map.of(
        "size", signed.anchor().size().value(),
        "root", signed.anchor().root().digest().hex(),
        "kid", signed.kid().hex());
  }
}
