package io.tallystick.journal;

import io.tallystick.cose.BatchProtected;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.GenesisProtected;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.cose.RequestProtected;
import io.tallystick.cose.ServiceRequestProtected;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.merkle.BatchRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/// Makes attestations. Signers are given in any order, each key once.
public final class RequestSigner {
  private RequestSigner() {}

  /// Attests one request.
  public static Attestation sign(
      StrandId strand, Digest requestHash, Collection<? extends Signer> signers) {
    return each(signers, signer -> signOne(strand, requestHash, signer));
  }

  /// One member's signature under one request, to be collected with those of others.
  public static CoseSign1 signOne(StrandId strand, Digest requestHash, Signer signer) {
    PublicKey key = signer.publicKey();
    ProtectedHeader header = new RequestProtected(key.algorithm(), key.kid(), strand);
    return CoseSign1.attached(signer, header, requestHash.toBytes());
  }

  /// Attests a request of the service's own (kinds 19 and 20).
  ///
  /// @param service the receipt key, and the new one if it changes
  /// @param members who signed it before, with {@link #signOne}; none for kind 20
  public static Attestation signService(
      StrandId strand,
      Digest requestHash,
      Collection<? extends Signer> service,
      List<CoseSign1> members) {
    List<CoseSign1> signatures = new ArrayList<>(members);
    for (Signer signer : service) {
      PublicKey key = signer.publicKey();
      ProtectedHeader header = new ServiceRequestProtected(key.algorithm(), key.kid(), strand);
      signatures.add(CoseSign1.attached(signer, header, requestHash.toBytes()));
    }
    return Attestation.of(signatures);
  }

  /// Attests 2 to 10,000 requests with one signature a signer.
  public static Attestation signBatch(
      StrandId strand, List<Digest> requestHashes, Collection<? extends Signer> signers) {
    Bytes root = BatchRoot.over(requestHashes).digest().toBytes();
    return each(
        signers,
        signer -> {
          PublicKey key = signer.publicKey();
          ProtectedHeader header =
              new BatchProtected(key.algorithm(), key.kid(), strand, requestHashes.size());
          return CoseSign1.detached(signer, header, root);
        });
  }

  /// Attests the foundation of a ledger; all owners must sign.
  public static Attestation signGenesis(
      GenesisParams params, Collection<? extends Signer> signers) {
    Bytes payload = params.encode();
    return each(
        signers,
        signer -> {
          PublicKey key = signer.publicKey();
          return CoseSign1.attached(
              signer, new GenesisProtected(key.algorithm(), key.kid()), payload);
        });
  }

  private static Attestation each(
      Collection<? extends Signer> signers, Function<Signer, CoseSign1> sign) {
    List<CoseSign1> signatures = new ArrayList<>(signers.size());
    for (Signer signer : signers) {
      signatures.add(sign.apply(signer));
    }
    return Attestation.of(signatures);
  }
}
