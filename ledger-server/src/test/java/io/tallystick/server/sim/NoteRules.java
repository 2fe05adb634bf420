package io.tallystick.server.sim;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.Role;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptAnchors;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.OpenProposals;
import io.tallystick.server.anchor.TestAnchors;
import io.tallystick.server.proposal.TestProposals;
import io.tallystick.server.sim.KeptNotes.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What becomes of proposals and anchors, by the rules and not by the code. Source:
/// `docs/access.md`, "Proposals", "Trusted anchors". The places of a ledger are never all taken in
/// a run.
///
/// @param rows that a decision changes
/// @param members of the ledger
/// @param timeMs of the frame
record NoteRules(
    NavigableMap<Bytes, Row> rows, Map<Digest, SimLedger.KnownMember> members, long timeMs) {
  /// Of those that are gone, so many are dropped at once.
  private static final int DROPPED_MAX = 32;

  /// @param changes whether a note is made
  /// @param gaveWay whether an anchor gave way to another
  record Decided(Object answer, boolean changes, boolean gaveWay) {
    Decided(Object answer, boolean changes) {
      this(answer, changes, false);
    }
  }

  Decided decide(NoteAsk ask) throws Refusal {
    return switch (ask) {
      case NoteAsk.Replace replace -> replace(replace);
      case NoteAsk.Remove remove -> {
        Bytes key = key(remove.kept());
        boolean same = remove.kept().equals(current(key));
        if (same) {
          rows.remove(key);
        }
        yield new Decided(same, same);
      }
      case NoteAsk.DropGone drop -> {
        List<Bytes> gone = gone(drop.ledger()).stream().limit(DROPPED_MAX).toList();
        gone.forEach(rows::remove);
        yield new Decided(gone.size(), !gone.isEmpty());
      }
      case NoteAsk.Keep keep -> keep(keep.ledger(), keep.anchor());
    };
  }

  private Decided replace(NoteAsk.Replace ask) throws Refusal {
    KeptProposal before = ask.before();
    KeptProposal after = ask.after();
    Bytes key = key(after);
    if (!Objects.equals(before, current(key))) {
      return new Decided(false, false);
    }
    if (after.takesSignatures() && !isOwners(after)) {
      for (Digest kid : after.proposal().signers()) {
        boolean had = before != null && before.proposal().signedBy(kid);
        if (!had && places(ask.ledger(), kid, key) >= OpenProposals.PER_MEMBER_MAX) {
          throw new Refusal(RejectionCode.TOO_MANY_PROPOSALS);
        }
      }
    }
    if (before == null) {
      gone(ask.ledger()).stream()
          .filter(each -> !each.equals(key))
          .limit(DROPPED_MAX)
          .forEach(rows::remove);
      int left = KeptNotes.of(ask.ledger(), rows, false).size();
      Violation.unless(
          left < OpenProposals.PER_LEDGER_MAX - OpenProposals.KEPT_FOR_OWNERS,
          "a run has %s proposals: the rule for so many is missing here",
          left);
    }
    rows.put(key, Row.of(after));
    return new Decided(true, true);
  }

  private Decided keep(SimLedger ledger, KeptAnchor anchor) {
    Bytes key = TestAnchors.key(anchor);
    boolean gaveWay = false;
    if (!rows.containsKey(key)) {
      List<Bytes> own = new ArrayList<>();
      KeptNotes.of(ledger, rows, true)
          .forEach((each, row) -> {
            if (Objects.requireNonNull(row.anchor()).kid().equals(anchor.kid())) {
              own.add(each);
            }
          });
      if (own.size() == KeptAnchors.PER_MEMBER_MAX) {
        rows.remove(own.getFirst());
        gaveWay = true;
      }
    }
    rows.put(key, Row.of(anchor));
    return new Decided(true, true, gaveWay);
  }

  private static Bytes key(KeptProposal kept) {
    return TestProposals.key(kept.ledger(), kept.requestHash());
  }

  private @Nullable KeptProposal current(Bytes key) {
    Row row = rows.get(key);
    KeptProposal kept = row == null ? null : row.proposal();
    return kept == null || kept.expiresMs() < timeMs ? null : kept;
  }

  /// Places that a member has taken, but for that of `except`.
  private long places(SimLedger ledger, Digest kid, Bytes except) {
    return KeptNotes.of(ledger, rows, false).entrySet().stream()
        .filter(each -> !each.getKey().equals(except))
        .map(each -> Objects.requireNonNull(each.getValue().proposal()))
        .filter(kept ->
            kept.takesSignatures()
                && kept.proposal().signedBy(kid)
                && !isGone(kept)
                && !isOwners(kept))
        .count();
  }

  private List<Bytes> gone(SimLedger ledger) {
    List<Bytes> gone = new ArrayList<>();
    KeptNotes.of(ledger, rows, false)
        .forEach((key, row) -> {
          if (isGone(Objects.requireNonNull(row.proposal()))) {
            gone.add(key);
          }
        });
    return gone;
  }

  private boolean isGone(KeptProposal kept) {
    boolean signed = kept.proposal().signers().stream().anyMatch(kid -> role(kid) != null);
    return kept.expiresMs() < timeMs || (kept.takesSignatures() && !signed);
  }

  private boolean isOwners(KeptProposal kept) {
    return kept.proposal().signers().stream().anyMatch(kid -> role(kid) == Role.OWNER);
  }

  /// Of a member that may sign; null for others.
  private @Nullable Role role(Digest kid) {
    SimLedger.KnownMember member = members.get(kid);
    boolean signs =
        member != null
            && !member.revoked()
            && timeMs <= member.notAfterMs()
            && member.role().mayAppend();
    return signs ? Objects.requireNonNull(member).role() : null;
  }
}
