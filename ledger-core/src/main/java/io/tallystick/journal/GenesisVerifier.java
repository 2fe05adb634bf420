package io.tallystick.journal;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.GenesisProtected;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Checks that all owners of a ledger signed its genesis, and no other key did. Otherwise anybody
/// could found a ledger in another's name.
public final class GenesisVerifier {
  private GenesisVerifier() {}

  /// @param encodedParams as they stand in the genesis leaf
  public static GenesisParams verify(
      Bytes encodedParams, Attestation attestation, Signatures signatures)
      throws ProofRejectedException {
    GenesisParams params = decode(encodedParams);
    for (PublicKey owner : params.owners()) {
      signatures.checkKey(owner);
    }
    signatures.checkKey(params.noteKey());
    signatures.checkKey(params.receiptKey());
    Map<Digest, PublicKey> owners =
        params.owners().stream().collect(Collectors.toMap(PublicKey::kid, Function.identity()));
    KeyLookup lookup = kid -> Optional.ofNullable(owners.get(kid));
    List<CoseSign1> signed = attestation.signatures();
    for (CoseSign1 signature : signed) {
      verifyOne(signature, encodedParams, lookup, signatures);
    }
    // Kids are distinct and all are owners', so equal numbers mean all owners.
    if (signed.size() != params.owners().size()) {
      throw new ProofRejectedException(
          Reason.MISSING, signed.size() + " owners signed, want all " + params.owners().size());
    }
    return params;
  }

  private static GenesisParams decode(Bytes encodedParams) throws ProofRejectedException {
    try {
      return GenesisParams.decode(encodedParams);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, String.valueOf(e.getMessage()), e);
    }
  }

  private static void verifyOne(
      CoseSign1 signature, Bytes encodedParams, KeyLookup owners, Signatures signatures)
      throws ProofRejectedException {
    GenesisProtected header = AttestationVerifier.header(signature, GenesisProtected.class);
    AttestationVerifier.checkAttached(signature, encodedParams, "these GenesisParams");
    AttestationVerifier.verifySignature(signature, header, encodedParams, owners, signatures);
  }
}
