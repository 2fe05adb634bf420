package io.tallystick.server.sim;

import io.tallystick.evidence.Anchor;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestDraft;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.Role;
import io.tallystick.model.TreeSize;
import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What clients ask for of proposals and anchors: mostly on what is kept, now and then on what was
/// kept when they looked, so that some come too late.
final class SimNotes {
  private static final int SEEN = 24;
  private static final int BURST = 5;
  private static final long ANCHOR_SIZES = 40;
  private static final long SECOND_MS = 1_000;
  private static final long DAY_MS = 24 * 60 * 60 * SECOND_MS;

  private final SplittableRandom random;
  private final KeptNotes kept;
  private final Map<SimLedger, List<KeptProposal>> seen = new HashMap<>();

  /// @param kept by which clients look
  SimNotes(SplittableRandom random, KeptNotes kept) {
    this.random = random;
    this.kept = kept;
  }

  /// To be sent one by one; two are made by two clients that saw the same.
  List<NoteAsk> next(SimLedger ledger, long nowMs) {
    int choice = random.nextInt(100);
    if (choice < 30) {
      return Stream.generate(() -> anchor(ledger)).limit(1 + random.nextInt(BURST)).toList();
    }
    if (choice < 34) {
      return List.of(new NoteAsk.DropGone(ledger));
    }
    List<KeptProposal> known = seen.computeIfAbsent(ledger, _ -> new ArrayList<>());
    if (known.isEmpty() || choice < 62) {
      return Stream.generate(() -> further(ledger, known, nowMs))
          .limit(1 + random.nextInt(BURST))
          .toList();
    }
    return change(ledger, known, look(known.get(random.nextInt(known.size()))));
  }

  private NoteAsk further(SimLedger ledger, List<KeptProposal> known, long nowMs) {
    return new NoteAsk.Replace(ledger, null, remember(known, proposal(ledger, nowMs)));
  }

  private List<NoteAsk> change(SimLedger ledger, List<KeptProposal> known, KeptProposal one) {
    return switch (random.nextInt(12)) {
      case 0, 1, 2 -> List.of(sign(ledger, known, one), sign(ledger, known, one));
      case 3, 4 -> List.of(sign(ledger, known, one));
      case 5, 6 ->
          one.takesSignatures() ? List.of(new NoteAsk.Remove(ledger, one)) : submit(ledger, one);
      case 7 -> List.of(new NoteAsk.Replace(ledger, null, one));
      default -> submit(ledger, one);
    };
  }

  private KeptProposal look(KeptProposal one) {
    KeptProposal now = random.nextInt(5) == 0 ? null : kept.like(one);
    return now == null ? one : now;
  }

  private static KeptProposal remember(List<KeptProposal> known, KeptProposal one) {
    if (known.size() == SEEN) {
      known.removeFirst();
    }
    known.add(one);
    return one;
  }

  private NoteAsk sign(SimLedger ledger, List<KeptProposal> known, KeptProposal one) {
    KeptProposal after =
        new KeptProposal(one.proposal().signedBy(signer(ledger)), Outcome.Open.INSTANCE);
    return new NoteAsk.Replace(ledger, one, remember(known, after));
  }

  /// What the service does with a proposal that has its signatures.
  private List<NoteAsk> submit(SimLedger ledger, KeptProposal one) {
    Outcome next =
        switch (one.outcome()) {
          case Outcome.Open _, Outcome.Refused _ -> Outcome.Submitting.INSTANCE;
          case Outcome.Submitting _, Outcome.Committed _ ->
              random.nextBoolean()
                  ? new Outcome.Committed(1 + random.nextInt(9))
                  : new Outcome.Refused(RejectionCode.LAST_OWNER, "nobody would be left");
        };
    return List.of(new NoteAsk.Replace(ledger, one, new KeptProposal(one.proposal(), next)));
  }

  private KeptProposal proposal(SimLedger ledger, long nowMs) {
    boolean close = random.nextInt(4) == 0;
    Proposal proposal =
        Proposal.of(
            RequestDraft.govern(
                    ledger.strand,
                    close ? Kind.CLOSE : Kind.MEMBER_REVOKE,
                    close ? Extension.Close.INSTANCE : new Extension.MemberRevoke(Digest.ZERO),
                    nowMs,
                    SimLedger.bytes32(random))
                .withExpiry(nowMs + random.nextLong(random.nextInt(3) == 0 ? SECOND_MS : DAY_MS))
                .build());
    return new KeptProposal(proposal.signedBy(signer(ledger)), Outcome.Open.INSTANCE);
  }

  /// Mostly a member; often the same one, which is no owner if there is such a one.
  private FakeSignatures.Key signer(SimLedger ledger) {
    if (random.nextInt(4) == 0) {
      return ledger.keys.get(random.nextInt(ledger.keys.size()));
    }
    FakeSignatures.Key busy = busy(ledger);
    return busy == null || random.nextInt(3) == 0 ? ledger.keys.getFirst() : busy;
  }

  private static FakeSignatures.@Nullable Key busy(SimLedger ledger) {
    for (FakeSignatures.Key key : ledger.keys) {
      SimLedger.KnownMember member = ledger.members.get(key.kid());
      if (member != null
          && !member.revoked()
          && member.role() != Role.OWNER
          && member.role().mayAppend()) {
        return key;
      }
    }
    return null;
  }

  private NoteAsk anchor(SimLedger ledger) {
    FakeSignatures.Key key = ledger.keys.get(random.nextInt(random.nextBoolean() ? 2 : 16));
    long size = 1 + random.nextLong(ANCHOR_SIZES);
    Digest root = Digest.of(SimLedger.bytes32(random));
    Anchor anchor = new Anchor(ledger.strand, new TreeSize(size), new JournalRoot(root));
    return new NoteAsk.Keep(ledger, new KeptAnchor(anchor, key.kid(), anchor.sign(key)));
  }
}
