package io.tallystick.proxy.execute;

import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.KeyLookup;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.util.Optional;

/// The keys of one ledger's members, as the registry knows them.
record MemberKeys(LedgerRegistry registry, LedgerId ledger) implements KeyLookup {
  @Override
  public Optional<PublicKey> find(Digest kid) {
    try {
      return registry.memberKey(ledger, kid);
    } catch (RequestRejectedException e) {
      throw new RefusedLookupException(e);
    }
  }

  /// Carries a refusal, such as an unknown ledger, through a lookup that has no word for it.
  static final class RefusedLookupException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final RequestRejectedException refusal;

    RefusedLookupException(RequestRejectedException refusal) {
      super(refusal);
      this.refusal = refusal;
    }

    RequestRejectedException refusal() {
      return refusal;
    }
  }
}
