package io.tallystick.proxy.execute;

import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.KeyLookup;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Member;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The keys of one ledger's members, looked up in the registry for one submission, or for a
/// committed journal. A look-up that the registry refuses finds no key, and leaves the refusal
/// here. Not thread-safe.
public final class MemberKeys implements KeyLookup {
  private final LedgerRegistry registry;
  private final LedgerId ledger;
  private final OptionalLong jsn;
  private @Nullable RequestRejectedException refusal;

  public MemberKeys(LedgerRegistry registry, LedgerId ledger) {
    this(registry, ledger, OptionalLong.empty());
  }

  private MemberKeys(LedgerRegistry registry, LedgerId ledger, OptionalLong jsn) {
    this.registry = registry;
    this.ledger = ledger;
    this.jsn = jsn;
  }

  /// The keys that were members' when journal `jsn` was committed.
  public static MemberKeys at(LedgerRegistry registry, LedgerId ledger, long jsn) {
    return new MemberKeys(registry, ledger, OptionalLong.of(jsn));
  }

  @Override
  public Optional<PublicKey> find(Digest kid) {
    try {
      return jsn.isEmpty()
          ? registry.memberKey(ledger, kid)
          : registry
              .member(ledger, kid)
              .filter(member -> isMemberAt(member, jsn.getAsLong()))
              .map(Member::key);
    } catch (RequestRejectedException e) {
      refusal = e;
      return Optional.empty();
    }
  }

  private static boolean isMemberAt(Member member, long jsn) {
    return member.addedJsn() < jsn && jsn <= member.revokedJsn();
  }

  /// Why the registry refused a look-up, such as an unknown ledger; empty if it refused none.
  public Optional<RequestRejectedException> refusal() {
    return Optional.ofNullable(refusal);
  }
}
