package io.tallystick.client;

import io.tallystick.client.failure.TrustStoreException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.trust.RememberingSignatures;
import io.tallystick.client.trust.ServiceTrust;
import io.tallystick.client.trust.TrustFolder;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.SignedHead;
import io.tallystick.lineage.LineageFile;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.state.LookupFile;
import io.tallystick.state.RangeFile;
import io.tallystick.state.StateFile;
import java.nio.file.Path;

/// Verifies receipts, saved or come by REST, and saved lineages and states, with the ledger's
/// genesis, and its key chain if its service keys were rotated: no service, no network. It shows
/// what the service has signed; that its heads make one log is shown by {@link LedgerHandle} and
/// the auditor. Thread-safe.
public final class ReceiptVerifier {
  private final ServiceTrust trust;
  private final Signatures signatures;

  private ReceiptVerifier(ServiceTrust trust, Signatures signatures) {
    this.trust = trust;
    this.signatures = signatures;
  }

  /// @param genesisParams encoded; their hash must be `pinned`
  public static ReceiptVerifier of(LedgerId pinned, Bytes genesisParams)
      throws VerificationException {
    Signatures signatures = new RememberingSignatures(SignatureProviders.best());
    try {
      return new ReceiptVerifier(ServiceTrust.of(pinned, genesisParams, signatures), signatures);
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    }
  }

  /// With the genesis and the key chain that a client has in its trust directory.
  public static ReceiptVerifier fromTrustStore(Path trustDirectory, LedgerId pinned)
      throws VerificationException, TrustStoreException {
    Signatures signatures = new RememberingSignatures(SignatureProviders.best());
    try {
      return new ReceiptVerifier(
          ServiceTrust.saved(TrustFolder.open(trustDirectory, pinned), pinned, signatures)
              .orElseThrow(
                  () -> new TrustStoreException("no ledger " + pinned + " in " + trustDirectory)),
          signatures);
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    }
  }

  /// The same with the keys that a further key chain proves.
  ///
  /// @param keyChain encoded, as a service or a trust directory has it
  public ReceiptVerifier withKeyChain(Bytes keyChain) throws VerificationException {
    try {
      return new ReceiptVerifier(trust.with(KeyChain.decode(keyChain), signatures), signatures);
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    } catch (MalformedException e) {
      throw new VerificationException(
          new ProofRejectedException(Reason.MALFORMED, "key chain: " + e.getMessage(), e));
    }
  }

  public ServiceTrust trust() {
    return trust;
  }

  /// @param file the bytes of a saved receipt
  /// @return the head the receipt's leaf stands under
  public SignedHead verify(Bytes file) throws VerificationException {
    try {
      return verify(ReceiptFile.decode(file));
    } catch (MalformedException e) {
      throw new VerificationException(
          new ProofRejectedException(Reason.MALFORMED, "receipt file: " + e.getMessage(), e));
    }
  }

  public SignedHead verify(ReceiptFile file) throws VerificationException {
    return judged(() -> file.verify(trust.strand(), trust.keys(), signatures));
  }

  /// The content of a saved lineage; the caller compares the clue id with that of the clue in
  /// question.
  public LineageFile.Verified verify(LineageFile file) throws VerificationException {
    return judged(() -> file.verify(trust.strand(), trust.keys(), signatures));
  }

  /// The content of a saved reading of the state; the caller compares the key.
  public StateFile.Verified verify(StateFile file) throws VerificationException {
    return judged(() -> file.verify(trust.strand(), trust.keys(), signatures));
  }

  /// The content of saved readings of several keys; the caller compares the keys.
  public LookupFile.Verified verify(LookupFile file) throws VerificationException {
    return judged(() -> file.verify(trust.strand(), trust.keys(), signatures));
  }

  /// The content of a saved range of the state; the caller compares its ends.
  public RangeFile.Verified verify(RangeFile file) throws VerificationException {
    return judged(() -> file.verify(trust.strand(), trust.keys(), signatures));
  }

  @FunctionalInterface
  private interface Judgement<T> {
    T reached() throws ProofRejectedException;
  }

  private static <T> T judged(Judgement<T> judgement) throws VerificationException {
    try {
      return judgement.reached();
    } catch (ProofRejectedException e) {
      throw new VerificationException(e);
    }
  }
}
