package io.tallystick.client.trust;

import io.tallystick.client.failure.TrustStoreException;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// By which keys the statements about one ledger are judged: those its genesis names and those it
/// was rotated to since, as a key chain proves, and never those a service names itself.
///
/// @param genesisBytes whose hash is the ledgerId
/// @param chain that proves `keys`; empty if no rotation is known
public record ServiceTrust(
    LedgerId ledger, GenesisParams genesis, Bytes genesisBytes, KeyChain chain, ServiceKeys keys) {
  /// With the keys of genesis alone.
  ///
  /// @throws ProofRejectedException with `COMMITMENT_MISMATCH` if `genesisBytes` are not what
  ///   `pinned` is the hash of
  public static ServiceTrust of(LedgerId pinned, Bytes genesisBytes, Signatures signatures)
      throws ProofRejectedException {
    LedgerId actual = Commitments.ledgerId(genesisBytes);
    if (!actual.equals(pinned)) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH, "genesis of ledger " + actual + ", pinned is " + pinned);
    }
    GenesisParams genesis = decode(genesisBytes);
    signatures.checkKey(genesis.noteKey());
    signatures.checkKey(genesis.receiptKey());
    for (PublicKey owner : genesis.owners()) {
      signatures.checkKey(owner);
    }
    return new ServiceTrust(
        pinned,
        genesis,
        genesisBytes,
        KeyChain.EMPTY,
        new ServiceKeys(genesis.authority(), genesis.noteKey(), genesis.receiptKey()));
  }

  /// With the genesis and the key chain that a trust directory holds; empty if it holds no genesis.
  public static Optional<ServiceTrust> saved(
      TrustFolder folder, LedgerId pinned, Signatures signatures)
      throws TrustStoreException, ProofRejectedException {
    Optional<Bytes> genesis = folder.genesis();
    return genesis.isEmpty()
        ? Optional.empty()
        : Optional.of(
            FollowedKeys.saved(folder, of(pinned, genesis.get(), signatures), signatures));
  }

  /// The trust that a longer key chain leads to, and the heads that are new in it.
  ///
  /// @param newHeads under which journals lie that the known chain does not have: to be believed by
  ///   the rule of trust before `trust` is used
  record Followed(ServiceTrust trust, List<SignedHead> newHeads) {}

  /// Verifies a key chain against genesis.
  ///
  /// @throws ProofRejectedException `BROKEN_CHAIN` also if it does not have the rotations that are
  ///   known already
  Followed following(KeyChain longer, Signatures signatures) throws ProofRejectedException {
    KeyChain.Verified verified = longer.verify(genesisBytes, strand(), signatures);
    List<ServiceKeys.Term> shown = verified.keys().terms();
    List<ServiceKeys.Term> known = keys.terms();
    if (shown.size() < known.size() || !shown.subList(0, known.size()).equals(known)) {
      throw new ProofRejectedException(
          Reason.BROKEN_CHAIN,
          String.format(
              Locale.ROOT,
              "a key chain of %d rotations leaves out or contradicts one of the %d known",
              shown.size() - 1,
              known.size() - 1));
    }
    Set<KeyChain.Entry> had = new HashSet<>(chain.entries());
    List<SignedHead> newHeads = new ArrayList<>();
    for (int i = 0; i < longer.entries().size(); i++) {
      if (!had.contains(longer.entries().get(i))) {
        newHeads.add(verified.heads().get(i));
      }
    }
    return new Followed(
        new ServiceTrust(ledger, genesis, genesisBytes, longer, verified.keys()), newHeads);
  }

  /// With the keys that a key chain proves, whose heads the caller believes.
  public ServiceTrust with(KeyChain longer, Signatures signatures) throws ProofRejectedException {
    return following(longer, signatures).trust();
  }

  /// How many rotations are known.
  int rotations() {
    return keys.terms().size() - 1;
  }

  /// A ledger has one strand for now.
  public StrandId strand() {
    return new StrandId(ledger, 0);
  }

  private static GenesisParams decode(Bytes encoded) throws ProofRejectedException {
    try {
      return GenesisParams.decode(encoded);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "genesis: " + e.getMessage(), e);
    }
  }
}
