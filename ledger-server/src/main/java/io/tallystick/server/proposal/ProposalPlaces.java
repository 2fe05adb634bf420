package io.tallystick.server.proposal;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.OpenProposals;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The places of one ledger's proposals at one moment: which are gone, and whether there is one for
/// a change. Source: `docs/access.md`, "Proposals".
final class ProposalPlaces {
  /// Those that are gone and dropped at once: a frame has notes of many ledgers.
  static final int DROPPED_MAX = 32;

  private static final int FOR_MEMBERS =
      OpenProposals.PER_LEDGER_MAX - OpenProposals.KEPT_FOR_OWNERS;

  /// Who may sign now.
  @FunctionalInterface
  interface Signing {
    /// Empty unless `kid` is a member's whose signature on a proposal counts.
    Optional<Role> role(LedgerId ledger, Digest kid);
  }

  private final LedgerId ledger;
  private final Map<Digest, ProposalEntry> entries;
  private final Signing signing;
  private final long nowMs;
  private final Map<Digest, Optional<Role>> roles = new HashMap<>();

  /// @param entries by request hash
  ProposalPlaces(LedgerId ledger, Map<Digest, ProposalEntry> entries, Signing signing, long nowMs) {
    this.ledger = ledger;
    this.entries = entries;
    this.signing = signing;
    this.nowMs = nowMs;
  }

  /// Request hashes of the proposals that have expired, or whose signers may all sign no more.
  List<Digest> gone() {
    List<Digest> gone = new ArrayList<>();
    for (var each : entries.entrySet()) {
      if (gone(each.getValue())) {
        gone.add(each.getKey());
      }
    }
    return gone;
  }

  private boolean gone(ProposalEntry entry) {
    return entry.expiresMs() < nowMs || (entry.waits() && !anyOf(entry.signers(), false));
  }

  /// Whether one of `kids` may sign or, if `owner`, is an owner.
  private boolean anyOf(List<Digest> kids, boolean owner) {
    for (Digest kid : kids) {
      Role role = role(kid);
      if (role != null && (!owner || role == Role.OWNER)) {
        return true;
      }
    }
    return false;
  }

  private @Nullable Role role(Digest kid) {
    Optional<Role> known = roles.get(kid);
    if (known == null) {
      known = signing.role(ledger, kid);
      roles.put(kid, known);
    }
    return known.orElse(null);
  }

  /// Checks that `after` has a place.
  ///
  /// @param before in whose place it comes; null if it is a further one
  /// @return what gives way to it: for a further one those that are gone and, if that is not
  ///   enough, the committed one that expires first
  /// @throws RequestRejectedException `TOO_MANY_PROPOSALS`
  List<Digest> take(@Nullable KeptProposal before, KeptProposal after)
      throws RequestRejectedException {
    if (before != null && !after.takesSignatures()) {
      return List.of(); // an outcome is noted, whoever may sign by now
    }
    boolean ofOwner = anyOf(after.proposal().signers(), true);
    if (!ofOwner && after.takesSignatures()) {
      List<Digest> added = new ArrayList<>(after.proposal().signers());
      if (before != null) {
        added.removeAll(before.proposal().signers());
      }
      for (Digest kid : added) {
        checkPlaceOf(kid, after.requestHash());
      }
    }
    return before == null ? room(after.requestHash(), ofOwner) : List.of();
  }

  private void checkPlaceOf(Digest kid, Digest further) throws RequestRejectedException {
    int taken = 0;
    for (var each : entries.entrySet()) {
      ProposalEntry entry = each.getValue();
      if (!each.getKey().equals(further)
          && entry.waits()
          && entry.signers().contains(kid)
          && !gone(entry)
          && !anyOf(entry.signers(), true)) {
        taken++;
      }
    }
    if (taken >= OpenProposals.PER_MEMBER_MAX) {
      throw refusal(
          OpenProposals.PER_MEMBER_MAX,
          "member "
              + kid
              + " has signed "
              + taken
              + " proposals that no owner has, the most of one member; withdraw one, or let an owner"
              + " sign it");
    }
  }

  private List<Digest> room(Digest further, boolean ofOwner) throws RequestRejectedException {
    List<Digest> gone = gone();
    gone.remove(further); // one of the same request is written over
    int left = entries.size() - gone.size() - (entries.containsKey(further) ? 1 : 0);
    List<Digest> dropped = new ArrayList<>(gone.subList(0, Math.min(gone.size(), DROPPED_MAX)));
    int committed = 0;
    Digest oldest = null;
    long oldestUntilMs = Long.MAX_VALUE;
    for (var each : entries.entrySet()) {
      ProposalEntry entry = each.getValue();
      if (entry.state() == ProposalEntry.State.COMMITTED && entry.expiresMs() >= nowMs) {
        committed++;
        if (oldest == null || entry.expiresMs() < oldestUntilMs) {
          oldest = each.getKey();
          oldestUntilMs = entry.expiresMs();
        }
      }
    }
    int waiting = left - committed;
    if (waiting >= OpenProposals.PER_LEDGER_MAX) {
      throw refusal(
          OpenProposals.PER_LEDGER_MAX,
          "ledger "
              + ledger
              + " keeps "
              + waiting
              + " proposals; sign, withdraw or let expire some");
    }
    if (!ofOwner && waiting >= FOR_MEMBERS) {
      throw refusal(
          FOR_MEMBERS,
          "ledger "
              + ledger
              + " keeps "
              + waiting
              + " proposals, and the places left are for those that an owner has signed; sign,"
              + " withdraw or let expire some");
    }
    if (left >= OpenProposals.PER_LEDGER_MAX && oldest != null) {
      dropped.add(oldest);
    }
    return dropped;
  }

  private static RequestRejectedException refusal(int limit, String detail) {
    return new RequestRejectedException(RejectionCode.TOO_MANY_PROPOSALS, detail).withLimit(limit);
  }
}
