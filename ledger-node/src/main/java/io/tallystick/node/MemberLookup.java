package io.tallystick.node;

import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.KeyLookup;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The keys of one ledger's members, as a node knows them, for one submission. A look-up that the
/// node refuses finds no key, and leaves the refusal here. Not thread-safe.
public final class MemberLookup implements KeyLookup {
  private final LedgerNode node;
  private final LedgerId ledger;
  private @Nullable RequestRejectedException refusal;

  public MemberLookup(LedgerNode node, LedgerId ledger) {
    this.node = node;
    this.ledger = ledger;
  }

  @Override
  public Optional<PublicKey> find(Digest kid) {
    try {
      return node.signer(ledger, kid).map(Member::key);
    } catch (RequestRejectedException e) {
      refusal = e;
      return Optional.empty();
    }
  }

  /// What to answer where a submission was refused: to the verifier a key that was not looked up is
  /// a key of no member.
  public RequestRejectedException cause(RequestRejectedException refused) {
    return refusal == null ? refused : refusal;
  }
}
