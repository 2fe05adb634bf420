package io.tallystick.wire;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.journal.Feature;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Founding;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.MemberLookup;
import io.tallystick.node.founding.FoundingVerifier;
import java.util.Set;

/// What a server checks again of what a proxy has verified. Everything is decoded strictly and all
/// hashes are computed again. The signatures of batches, of foundings and of whatever is no plain
/// append are always verified, those of single appends if it is set so: without it who holds a
/// proxy's certificate could write a single append that no member signed. Thread-safe.
final class Reverification {
  /// Kinds from here on govern.
  static final int GOVERNING = 16;

  private final Signatures signatures;
  private final SubmissionVerifier whole;
  private final SubmissionVerifier unsigned;
  private final boolean singlesToo;

  /// @param singlesToo whether the signatures of single appends are verified
  Reverification(Signatures signatures, Set<Feature> features, boolean singlesToo) {
    this.signatures = signatures;
    this.whole = new SubmissionVerifier(signatures, features);
    this.unsigned = new SubmissionVerifier(new BelievedSignatures(signatures), features);
    this.singlesToo = singlesToo;
  }

  /// @param node that knows the members
  VerifiedSubmission verify(LedgerNode node, WireMessage.Submitted submitted)
      throws RequestRejectedException {
    if (submitted.requests().isEmpty()) {
      throw new RequestRejectedException(RejectionCode.MALFORMED, "submission without a request");
    }
    boolean believed =
        !singlesToo
            && submitted.requests().size() == 1
            && isPlain(submitted.requests().getFirst().header());
    MemberLookup keys = new MemberLookup(node, submitted.strand().ledger());
    try {
      return (believed ? unsigned : whole)
          .verify(submitted.strand(), submitted.requests(), submitted.attestation(), keys);
    } catch (RequestRejectedException e) {
      throw keys.cause(e);
    }
  }

  private static boolean isPlain(Bytes header) throws RequestRejectedException {
    try {
      return RequestHeader.decode(header).kind().code() < GOVERNING;
    } catch (MalformedException e) {
      throw new RequestRejectedException(RejectionCode.MALFORMED, "header: " + e.getMessage(), e);
    }
  }

  Founding verify(Founding founding) throws RequestRejectedException {
    return FoundingVerifier.verify(
        founding.paramsBytes(), founding.attestation(), founding.name(), signatures);
  }

  /// Takes every signature for good: the proxy has verified it.
  private record BelievedSignatures(Signatures real) implements Signatures {
    @Override
    public String providerName() {
      return real.providerName();
    }

    @Override
    public void checkKey(PublicKey key) throws ProofRejectedException {
      real.checkKey(key);
    }

    @Override
    public void verify(PublicKey key, byte[] message, byte[] signature) {}

    @Override
    public ExportableSigner generate(SignatureAlgorithm algorithm) {
      return real.generate(algorithm);
    }

    @Override
    public ExportableSigner importPkcs8(byte[] pkcs8) throws MalformedException {
      return real.importPkcs8(pkcs8);
    }
  }
}
