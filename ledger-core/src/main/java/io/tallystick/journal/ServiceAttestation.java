package io.tallystick.journal;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.cose.ServiceRequestProtected;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.AttestationVerifier.FoundKey;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The keys that must stand under a request of the service's own. Time: the receipt key alone. Key
/// rotation: the receipt key and the new one if it changes, so that nobody rotates to a key that
/// nobody holds, and a member, so that a thief of the receipt key cannot rotate; whether the member
/// is an owner is the caller's to judge. Source: `docs/formats/people-and-time.md`.
final class ServiceAttestation {
  private final RequestHeader header;
  private final Bytes payload;
  private final KeyLookup keys;
  private final Map<Digest, PublicKey> service = new TreeMap<>();

  /// @throws ProofRejectedException with `MISSING` if no receipt key is known
  ServiceAttestation(RequestHeader header, Bytes payload, KeyLookup keys)
      throws ProofRejectedException {
    this.header = header;
    this.payload = payload;
    this.keys = keys;
    PublicKey present =
        keys.receiptKey()
            .orElseThrow(() ->
                new ProofRejectedException(
                    Reason.MISSING,
                    "kind " + header.kind().code() + " here, where no receipt key is known"));
    service.put(present.kid(), present);
    if (header.extension() instanceof Extension.KeyRotation rotation) {
      service.put(rotation.receiptKey().kid(), rotation.receiptKey());
    }
  }

  /// The key of each signature; none is verified.
  List<FoundKey> find(List<CoseSign1> signatures) throws ProofRejectedException {
    List<FoundKey> found = new ArrayList<>(signatures.size());
    for (CoseSign1 signature : signatures) {
      found.add(
          header.kind() == Kind.TIME || isServices(signature)
              ? findService(signature)
              : AttestationVerifier.findMember(signature, header.strand(), payload, keys));
    }
    return found;
  }

  private static boolean isServices(CoseSign1 signature) throws ProofRejectedException {
    try {
      return ProtectedHeader.typ(signature.protectedHeader())
          .equals(ProtectedHeader.SERVICE_REQUEST_TYP);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "protected header: " + e.getMessage(), e);
    }
  }

  private FoundKey findService(CoseSign1 signature) throws ProofRejectedException {
    ServiceRequestProtected signed =
        AttestationVerifier.header(signature, ServiceRequestProtected.class);
    AttestationVerifier.checkSingle(signature, signed.strand(), header.strand(), payload);
    PublicKey key = service.get(signed.kid());
    if (key == null) {
      throw new ProofRejectedException(
          Reason.WRONG_KEY,
          "service request by key " + signed.kid() + ", want " + service.keySet());
    }
    return new FoundKey(signature, signed, key, true);
  }

  /// @throws ProofRejectedException with `MISSING` unless all signed that must
  void checkComplete(List<FoundKey> found) throws ProofRejectedException {
    for (Digest kid : service.keySet()) {
      if (found.stream().noneMatch(each -> each.service() && each.key().kid().equals(kid))) {
        throw new ProofRejectedException(
            Reason.MISSING, "receipt key " + kid + " did not sign kind " + header.kind().code());
      }
    }
    if (header.kind() == Kind.KEY_ROTATION && found.stream().allMatch(FoundKey::service)) {
      throw new ProofRejectedException(Reason.MISSING, "no member signed the key rotation");
    }
  }
}
