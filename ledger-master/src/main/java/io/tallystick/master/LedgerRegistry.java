package io.tallystick.master;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.CreatedLedger;
import io.tallystick.node.Founding;
import io.tallystick.node.LedgerFilter;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerView;
import io.tallystick.node.Member;
import io.tallystick.node.MembersView;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.founding.FoundingVerifier;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The registry of ledgers and their members. It holds no state of its own but a cache: ledgers and
/// members are what the nodes' journals say. Thread-safe; every method may block on a disk.
public final class LedgerRegistry {
  private final Placement placement;
  private final Signatures signatures;
  private final MemberKeyCache memberKeys;

  public LedgerRegistry(Placement placement, Signatures signatures) {
    this(placement, signatures, new MemberKeyCache(MemberKeyCache.ENTRIES_MAX));
  }

  LedgerRegistry(Placement placement, Signatures signatures, MemberKeyCache memberKeys) {
    this.placement = placement;
    this.signatures = signatures;
    this.memberKeys = memberKeys;
  }

  public ServiceIdentity identity() {
    return placement.anyNode().identity();
  }

  /// The service's clock, milliseconds since the epoch.
  public long timeMs() {
    return placement.anyNode().timeMs();
  }

  /// The time of the clock that {@link #timeMs} follows; behind it after the clock was set back.
  public long clockMs() {
    return placement.anyNode().clockMs();
  }

  /// The node to ask about `ledger`; that node may yet answer `UNKNOWN_LEDGER`.
  public LedgerNode nodeOf(LedgerId ledger) {
    return placement.nodeOf(ledger);
  }

  /// Founds a ledger, or answers the one that exists with the same id. All owners must have signed.
  ///
  /// @param genesisParams as received
  /// @param attestation as received
  /// @param rule who may found, asked once the owners' signatures are known to be theirs. Of a
  ///   ledger that exists nobody is asked: a repeat founds nothing
  public CreatedLedger create(
      Bytes genesisParams, Bytes attestation, LedgerName name, FoundingRule rule)
      throws RequestRejectedException {
    Founding founding = FoundingVerifier.verify(genesisParams, attestation, name, signatures);
    LedgerId id = founding.params().ledgerId();
    if (!exists(id)) {
      rule.check(founding.params());
    }
    return placement.nodeOf(id).createLedger(founding);
  }

  private boolean exists(LedgerId id) throws RequestRejectedException {
    try {
      var _ = ledger(id);
      return true;
    } catch (RequestRejectedException refusal) {
      if (refusal.code() == RejectionCode.UNKNOWN_LEDGER) {
        return false;
      }
      throw refusal;
    }
  }

  public LedgerView ledger(LedgerId id) throws RequestRejectedException {
    return placement.nodeOf(id).ledger(id);
  }

  /// Ledgers that `filter` lets through, with an id greater than `after` (null: from the first),
  /// ascending.
  public List<LedgerView> ledgers(@Nullable LedgerId after, int limit, LedgerFilter filter)
      throws RequestRejectedException {
    return placement.ledgers(after, limit, filter);
  }

  /// Members with their roles as of the newest sealed journal, revoked ones included.
  public MembersView members(LedgerId id) throws RequestRejectedException {
    return placement.nodeOf(id).members(id);
  }

  /// Whether there is a ledger of that id that anybody may read.
  public boolean isPublic(LedgerId id) throws RequestRejectedException {
    return placement.nodeOf(id).isPublic(id);
  }

  /// A member as of the newest committed journal, revoked or not; never from a cache.
  public Optional<Member> member(LedgerId ledger, Digest kid) throws RequestRejectedException {
    return placement.nodeOf(ledger).member(ledger, kid);
  }

  /// Any key that is or was a member's; whether it may sign is the sequencer's decision.
  public Optional<PublicKey> memberKey(LedgerId ledger, Digest kid)
      throws RequestRejectedException {
    Optional<PublicKey> cached = memberKeys.find(ledger, kid);
    if (cached.isPresent()) {
      return cached;
    }
    Optional<PublicKey> found = member(ledger, kid).map(Member::key);
    found.ifPresent(key -> memberKeys.keep(ledger, key));
    return found;
  }
}
