package io.tallystick.testkit;

import io.tallystick.cose.BatchMemberProof;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.crypto.PublicKey;
import io.tallystick.evidence.JournalProof;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Body;
import io.tallystick.journal.BodyOpening;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// Journal proofs of a reference log, and what is made of one by changing a part.
public final class SampleJournalProof {
  private static final List<PublicKey> KNOWN =
      Stream.of(
              Fixtures.ALICE,
              Fixtures.BOB,
              Fixtures.CAROL,
              Fixtures.RECEIPT,
              Fixtures.NEXT_RECEIPT,
              SampleRemoval.REGULATOR)
          .map(SeededSigner::publicKey)
          .toList();

  private SampleJournalProof() {}

  /// Under the log's newest head, by the keys of genesis.
  public static JournalProof of(ReferenceLedger log, int jsn) {
    return of(log, jsn, log.size());
  }

  /// Under the head of `size` leaves.
  public static JournalProof of(ReferenceLedger log, int jsn, int size) {
    try {
      JournalLeaf leaf = (JournalLeaf) Leaf.decode(log.leaf(jsn));
      SignedRequest request = log.entries().get(jsn).request().orElseThrow();
      Bytes attestation = log.attestation(jsn);
      List<CoseSign1> signed = Attestation.decode(attestation).signatures();
      return new JournalProof(
          log.params(),
          Optional.empty(),
          log.receiptFile(jsn, size).encode(),
          attestation,
          leaf.batchCount() == 1
              ? Optional.empty()
              : Optional.of(batchProof(log, leaf, signed.getFirst())),
          keys(signed),
          BodyOpening.of(request.salt(), request.body()));
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private static Bytes batchProof(ReferenceLedger log, JournalLeaf leaf, CoseSign1 signature) {
    int first = Math.toIntExact(leaf.jsn().value()) - leaf.batchIndex();
    List<Digest> hashes = new ArrayList<>();
    for (int jsn = first; jsn < first + leaf.batchCount(); jsn++) {
      hashes.add(RequestHeader.hash(log.entries().get(jsn).request().orElseThrow().header()));
    }
    return Objects.requireNonNull(
        BatchMemberProof.of(signature, leaf.batchIndex(), hashes).inclusionProof());
  }

  private static List<PublicKey> keys(List<CoseSign1> signed) throws MalformedException {
    List<PublicKey> keys = new ArrayList<>();
    for (CoseSign1 each : signed) {
      Digest kid = ProtectedHeader.kid(each.protectedHeader());
      keys.add(KNOWN.stream().filter(key -> key.kid().equals(kid)).findFirst().orElseThrow());
    }
    return keys;
  }

  /// The payload of a journal.
  public static Bytes document(ReferenceLedger log, int jsn) {
    try {
      return Body.decode(log.entries().get(jsn).request().orElseThrow().body()).payload();
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  public static JournalProof withParams(JournalProof given, Bytes params) {
    return new JournalProof(
        params,
        given.keyChain(),
        given.receiptFile(),
        given.attestation(),
        given.batchProof(),
        given.keys(),
        given.opening());
  }

  public static JournalProof withChain(JournalProof given, KeyChain chain) {
    return new JournalProof(
        given.genesisParams(),
        Optional.of(chain.encode()),
        given.receiptFile(),
        given.attestation(),
        given.batchProof(),
        given.keys(),
        given.opening());
  }

  public static JournalProof withFile(JournalProof given, Bytes file) {
    return new JournalProof(
        given.genesisParams(),
        given.keyChain(),
        file,
        given.attestation(),
        given.batchProof(),
        given.keys(),
        given.opening());
  }

  public static JournalProof withSigners(
      JournalProof given, Bytes attestation, List<PublicKey> keys) {
    return new JournalProof(
        given.genesisParams(),
        given.keyChain(),
        given.receiptFile(),
        attestation,
        given.batchProof(),
        keys,
        given.opening());
  }

  public static JournalProof withBatchProof(JournalProof given, Optional<Bytes> proof) {
    return new JournalProof(
        given.genesisParams(),
        given.keyChain(),
        given.receiptFile(),
        given.attestation(),
        proof,
        given.keys(),
        given.opening());
  }

  public static JournalProof withOpening(JournalProof given, Bytes salt, Bytes rest) {
    return new JournalProof(
        given.genesisParams(),
        given.keyChain(),
        given.receiptFile(),
        given.attestation(),
        given.batchProof(),
        given.keys(),
        new BodyOpening(salt, rest));
  }
}
