package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Body;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.tledger.HeadEntry;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The checks of a T-Ledger's entry by itself: whose head it holds, that the submitter's service
/// signed it, and that its seal is not of a later time than the entry. Source:
/// `docs/formats/t-ledger.md`.
final class HeadEntryCheck {
  private static final Pattern LEDGER = Pattern.compile("[0-9a-f]{64}");

  private final AuditContext context;
  private final Map<LedgerId, ServiceKeys> submitters;
  private final List<AuditFault> faults;

  HeadEntryCheck(
      AuditContext context, Map<LedgerId, ServiceKeys> submitters, List<AuditFault> faults) {
    this.context = context;
    this.submitters = submitters;
    this.faults = faults;
  }

  /// @return null if the journal is no entry, or one at fault
  @Nullable HeldHead check(JournalLeaf leaf, RequestHeader header, LogEntry entry) {
    if (header.kind() != Kind.APPEND || entry.bodyState() != BodyState.PRESENT) {
      return null;
    }
    long jsn = leaf.jsn().value();
    try {
      Body body = Body.decode(entry.body());
      if (body.contentType().equals(HeadEntry.CONTENT_TYPE)) {
        return held(leaf, body);
      }
      if (body.clues().stream().anyMatch(clue -> LEDGER.matcher(clue).matches())) {
        fault(jsn, "it names the clue of a ledger and is no head of one");
      }
    } catch (MalformedException e) {
      fault(jsn, e.getMessage());
    } catch (ProofRejectedException e) {
      fault(jsn, e.getMessage());
    }
    return null;
  }

  private @Nullable HeldHead held(JournalLeaf leaf, Body body)
      throws MalformedException, ProofRejectedException {
    long jsn = leaf.jsn().value();
    List<String> clues = body.clues();
    if (clues.size() != 1 || !LEDGER.matcher(clues.getFirst()).matches()) {
      fault(jsn, "it names " + clues + ", want the one ledger whose head it is");
      return null;
    }
    LedgerId submitter = LedgerId.fromHex(clues.getFirst());
    HeadEntry entry = HeadEntry.decode(body.payload());
    ServiceKeys keys = submitters.get(submitter);
    if (keys == null) {
      return new HeldHead(jsn, submitter, entry, null, 0);
    }
    HeadEntry.Verified verified =
        entry.verifyAlone(new StrandId(submitter, 0), keys, context.signatures());
    long ahead = verified.sealTimeMs() - leaf.timeMs();
    if (ahead > HeadEntry.SEAL_SKEW_MS_MAX) {
      fault(
          jsn,
          String.format(
              Locale.ROOT,
              "the head was sealed at %s, %d ms after the leaf's time, at most %d",
              Printable.time(verified.sealTimeMs()),
              ahead,
              HeadEntry.SEAL_SKEW_MS_MAX));
    }
    return new HeldHead(jsn, submitter, entry, verified.head(), Math.max(0, -ahead));
  }

  private void fault(long jsn, @Nullable String detail) {
    faults.add(new AuditFault(jsn, FaultKind.HEAD_ENTRY_INVALID, String.valueOf(detail)));
  }
}
