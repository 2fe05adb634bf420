package io.tallystick.audit.options;

import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Commitments;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/// The ledgers whose heads a T-Ledger holds, as far as the auditor knows their services' keys. The
/// others' heads are counted, not judged.
public record Submitters(Map<LedgerId, ServiceKeys> keys) {
  /// None is known.
  public static final Submitters NONE = new Submitters(Map.of());

  public Submitters {
    keys = Map.copyOf(keys);
  }

  /// The keys of one ledger's service.
  public record Keys(LedgerId ledger, ServiceKeys keys) {
    /// @param genesisParams which the ledgerId commits to, so whoever gives them is not believed
    /// @throws ProofRejectedException if the chain does not lead on from them
    public static Keys of(Bytes genesisParams, KeyChain chain, Signatures signatures)
        throws ProofRejectedException {
      LedgerId ledger = Commitments.ledgerId(genesisParams);
      return new Keys(
          ledger, chain.verify(genesisParams, new StrandId(ledger, 0), signatures).keys());
    }
  }

  /// The submitters with these keys; of two entries for one ledger the later counts.
  public static Submitters of(Collection<Keys> known) {
    Map<LedgerId, ServiceKeys> keys = new HashMap<>();
    known.forEach(each -> keys.put(each.ledger(), each.keys()));
    return new Submitters(keys);
  }
}
