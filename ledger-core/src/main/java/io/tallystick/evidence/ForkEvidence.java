package io.tallystick.evidence;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ForkException;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.head.TrustRule;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Two signed heads of one strand that contradict each other: `[10, head bstr, head bstr, nil |
/// [from, to, [path…]]]`. Anybody with the service's public keys can check it.
///
/// @param proof absent if the two are of one size, else what shows that the larger log does not
///   begin with the smaller
public record ForkEvidence(Bytes first, Bytes second, Optional<ConsistencyProof> proof) {
  private static final int TYPE = 10;
  private static final int ITEMS = 4;

  /// The two heads a client came upon.
  public static ForkEvidence of(ForkException fork) {
    return new ForkEvidence(
        fork.trusted().evidence().encoded(), fork.offered().evidence().encoded(), fork.proof());
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(1024).array(ITEMS).uint(TYPE).bytes(first).bytes(second);
    if (proof.isEmpty()) {
      return out.nil().toBytes();
    }
    ConsistencyProof path = proof.get();
    out.array(3).uint(path.from()).uint(path.to()).array(path.path().size());
    path.path().forEach(out::digest);
    return out.toBytes();
  }

  public static ForkEvidence decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("fork evidence", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no fork evidence, want " + TYPE);
    }
    Bytes first = Bytes.wrap(in.bytes("first head", HeadStatement.BYTES_MAX));
    Bytes second = Bytes.wrap(in.bytes("second head", HeadStatement.BYTES_MAX));
    Optional<ConsistencyProof> proof = in.nil() ? Optional.empty() : Optional.of(proof(in));
    in.end();
    return new ForkEvidence(first, second, proof);
  }

  private static ConsistencyProof proof(CborReader in) throws MalformedException {
    in.array("consistency proof", 3);
    long from = in.uint();
    long to = in.uint();
    int count = in.arrayAtMost("path", TreeGeometry.PATH_HASHES_MAX);
    List<Digest> path = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      path.add(in.digest());
    }
    return new ConsistencyProof(from, to, path);
  }

  /// Confirms the fork.
  ///
  /// @return the contradiction, with reason `FORK` and both verified heads
  /// @throws ProofRejectedException if a head is not the service's, or the two do not contradict
  ///   each other (`MISSING`)
  public ForkException confirm(StrandId strand, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    SignedHead one = HeadStatement.verify(first, strand, keys, signatures);
    SignedHead other = HeadStatement.verify(second, strand, keys, signatures);
    try {
      if (proof.isPresent()) {
        TrustRule.accept(TrustRule.first(one), other, proof.get());
      } else {
        TrustRule.accept(TrustRule.first(one), other);
      }
    } catch (ForkException e) {
      if (e.reason() == Reason.FORK) {
        return e;
      }
      throw new ProofRejectedException(
          Reason.MISSING, "the proof does not show that the heads contradict each other", e);
    }
    throw new ProofRejectedException(
        Reason.MISSING,
        String.format(Locale.ROOT, "the heads of sizes %s and %s agree", one.size(), other.size()));
  }
}
