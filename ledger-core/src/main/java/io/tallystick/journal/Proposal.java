package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.AttestationVerifier.FoundKey;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// One governance request and the signatures that its signers have given so far, outside the log:
/// `[21, header bstr, salt, [COSE_Sign1…]]`. All sign the same header, and it is submitted whole.
/// Source: `docs/formats/people-and-time.md`.
///
/// @param header of kind 16 or above but 20, which the service signs alone; it commits with `salt`
///   to the empty Body
/// @param signatures ascending by kid, distinct; as many as the kind takes at most, perhaps none
public record Proposal(Bytes header, Bytes salt, List<CoseSign1> signatures) {
  private static final int TYPE = 21;
  private static final int ITEMS = 4;

  public Proposal {
    signatures = List.copyOf(signatures);
    RequestHeader decoded = decoded(header);
    if (!decoded.kind().governance() || decoded.kind() == Kind.TIME) {
      throw new IllegalArgumentException(
          "proposal of kind " + decoded.kind().code() + ", want 16 and above but 20");
    }
    if (!Commitments.body(salt, Body.EMPTY.encode()).equals(decoded.bodyCommit())) {
      throw new IllegalArgumentException("the salt does not fit the header's bodyCommit");
    }
    if (signatures.size() > decoded.kind().signersMax()) {
      throw new IllegalArgumentException(
          signatures.size() + " signatures, at most " + decoded.kind().signersMax());
    }
    for (int i = 1; i < signatures.size(); i++) {
      if (kid(signatures.get(i - 1)).compareTo(kid(signatures.get(i))) >= 0) {
        throw new IllegalArgumentException(
            "signature " + i + " is not above the one before, by kid");
      }
    }
  }

  /// A proposal that nobody has signed.
  public static Proposal of(SignedRequest request) {
    return new Proposal(request.header(), request.salt(), List.of());
  }

  /// Whether there is a signature by this key.
  public boolean signedBy(Digest kid) {
    return signers().contains(kid);
  }

  /// The keys whose signatures are there, ascending; whether they are good is not looked at.
  public List<Digest> signers() {
    return signatures.stream().map(Proposal::kid).toList();
  }

  public RequestHeader request() {
    return decoded(header);
  }

  /// The hash that is signed, and that names the proposal.
  public Digest requestHash() {
    return RequestHeader.hash(header);
  }

  /// The same with one more member's signature; one by the same key is replaced.
  public Proposal signedBy(Signer signer) {
    return with(RequestSigner.signOne(request().strand(), requestHash(), signer));
  }

  /// The same with one more signature, whose content {@link #verify} checks; one by the same key is
  /// replaced.
  ///
  /// @throws IllegalArgumentException if there are as many as the kind takes
  public Proposal with(CoseSign1 signature) {
    List<CoseSign1> more = new ArrayList<>(signatures);
    more.removeIf(each -> kid(each).equals(kid(signature)));
    more.add(signature);
    more.sort(Comparator.comparing(Proposal::kid));
    return new Proposal(header, salt, more);
  }

  /// Checks the signatures that are there, of members and, for kind 19, of the service. Whether
  /// they suffice is the caller's to judge.
  ///
  /// @return the signers, ascending by kid
  public List<AttestationVerifier.Signer> verify(KeyLookup keys, Signatures verifier)
      throws ProofRejectedException {
    RequestHeader decoded = request();
    Bytes payload = requestHash().toBytes();
    List<FoundKey> found = new ArrayList<>(signatures.size());
    if (decoded.kind().serviceRequest() && keys.receiptKey().isPresent()) {
      found.addAll(new ServiceAttestation(decoded, payload, keys).find(signatures));
    } else {
      for (CoseSign1 signature : signatures) {
        found.add(AttestationVerifier.findMember(signature, decoded.strand(), payload, keys));
      }
    }
    return AttestationVerifier.verifyFound(found, payload, verifier);
  }

  /// The request that is submitted.
  public SignedRequest submitted() {
    return new SignedRequest(header, salt, Body.EMPTY.encode());
  }

  /// The attestation that is submitted with it.
  ///
  /// @throws IllegalStateException if nobody has signed
  public Attestation attestation() {
    if (signatures.isEmpty()) {
      throw new IllegalStateException("nobody has signed the proposal");
    }
    return new Attestation(signatures);
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(512 + header.size() + 300 * signatures.size());
    out.array(ITEMS).uint(TYPE).bytes(header).bytes(salt).array(signatures.size());
    signatures.forEach(signature -> signature.encodeInto(out));
    return out.toBytes();
  }

  public static Proposal decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("proposal", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no proposal, want " + TYPE);
    }
    Bytes header = Bytes.wrap(in.bytes("header", Limits.HEADER_BYTES_MAX));
    Bytes salt = in.digest().toBytes();
    int count = in.arrayAtMost("signatures", RequestHeader.decode(header).kind().signersMax());
    List<CoseSign1> signatures = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      CoseSign1 signature = CoseSign1.decode(in);
      ProtectedHeader.kid(signature.protectedHeader());
      signatures.add(signature);
    }
    in.end();
    return Decoding.validated(() -> new Proposal(header, salt, signatures));
  }

  private static RequestHeader decoded(Bytes header) {
    try {
      return RequestHeader.decode(header);
    } catch (MalformedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /// The key by which a signature says that it is.
  ///
  /// @throws IllegalArgumentException if its protected header names none
  public static Digest kid(CoseSign1 signature) {
    try {
      return ProtectedHeader.kid(signature.protectedHeader());
    } catch (MalformedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /// A salt never shows in text.
  @Override
  public String toString() {
    return "Proposal[" + requestHash() + ", " + signatures.size() + " signatures]";
  }
}
