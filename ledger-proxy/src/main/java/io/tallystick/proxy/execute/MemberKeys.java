package io.tallystick.proxy.execute;

import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.KeyLookup;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The keys of one ledger's members, looked up in the registry for one submission. A look-up that
/// the registry refuses finds no key, and leaves the refusal here. Not thread-safe.
public final class MemberKeys implements KeyLookup {
  private final LedgerRegistry registry;
  private final LedgerId ledger;
  private @Nullable RequestRejectedException refusal;

  public MemberKeys(LedgerRegistry registry, LedgerId ledger) {
    this.registry = registry;
    this.ledger = ledger;
  }

  @Override
  public Optional<PublicKey> find(Digest kid) {
    try {
      return registry.memberKey(ledger, kid);
    } catch (RequestRejectedException e) {
      refusal = e;
      return Optional.empty();
    }
  }

  /// Why the registry refused a look-up, such as an unknown ledger; empty if it refused none.
  public Optional<RequestRejectedException> refusal() {
    return Optional.ofNullable(refusal);
  }
}
