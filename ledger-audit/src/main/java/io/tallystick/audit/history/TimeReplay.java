package io.tallystick.audit.history;

import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.finding.AnchoredTime;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.Findings;
import io.tallystick.audit.options.EntryBounds;
import io.tallystick.audit.options.TimeOptions;
import io.tallystick.audit.options.TrustedTLedger;
import io.tallystick.audit.statement.TimeHeads;
import io.tallystick.audit.statement.TimeState;
import io.tallystick.crypto.Signatures;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;
import io.tallystick.time.TokenRefusedException;
import io.tallystick.time.TrustedTokens;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The time journals: each names the newest before it and a head the log really had, and its token
/// is about that head and of the leaf's own time. Not thread-safe.
final class TimeReplay {
  /// How far genTime and the leaf's time may be apart.
  static final long SKEW_MS_MAX = 10_000;

  private final String origin;
  private final TimeOptions options;
  private final StrandId strand;
  private final Signatures signatures;
  private final Findings findings;
  private final @Nullable EntryBounds bounds;
  private final TimeHeads heads;
  private final TimeWindows windows = new TimeWindows();
  private final EntryOrder entries = new EntryOrder();
  private Optional<JournalRef> newest = Optional.empty();
  private long judged;
  private long unjudged;

  /// The lowest leaf that the log has.
  private long start;

  /// @param bounds told of each token that was verified; null if nobody asks
  TimeReplay(
      AuditContext context, TimeOptions options, Findings findings, @Nullable EntryBounds bounds) {
    this.strand = context.strand();
    this.signatures = context.signatures();
    this.bounds = bounds;
    this.origin = context.genesis().authority().origin(context.strand());
    this.options = options;
    this.findings = findings;
    this.heads = new TimeHeads(TimeHeads.KEPT_MAX);
  }

  /// To be told of each journal before it is judged.
  void journal(long jsn) {
    windows.journal(jsn);
  }

  /// To be told of each seal once it has been appended.
  void sealed(BlockReplay blocks) {
    heads.add(new TimeHeads.Head(blocks.size(), blocks.root(), windows.journals()));
    if (bounds != null) {
      bounds.sealed(blocks.size(), blocks.root());
    }
  }

  /// @throws FaultException with a fault of this time journal
  void check(long jsn, long timeMs, Extension.Time time)
      throws FaultException, AuditLimitException {
    if (!time.previous().equals(newest)) {
      throw new FaultException(
          jsn,
          FaultKind.TIME_CHAIN_BROKEN,
          String.format(
              Locale.ROOT,
              "previous is %s, the newest time journal before is %s",
              told(time.previous()),
              told(newest)));
    }
    if (time.size().value() < start) {
      unjudged++; // about a head below what is left of the log
      return;
    }
    TimeHeads.Head head = head(jsn, time);
    Optional<TrustedTLedger.Shown> shown =
        switch (time.proof()) {
          case TimeProof.Token(Bytes token) -> stamped(jsn, timeMs, time, token);
          case TimeProof.TLedger entry -> entered(jsn, timeMs, time, entry);
        };
    if (shown.isEmpty()) {
      unjudged++;
      return;
    }
    judged++;
    windows.anchor(
        jsn,
        shown.get().notBeforeMs(),
        shown.get().notAfterMs(),
        new TimeWindows.Covered(head.size(), head.journals()),
        this::closed);
  }

  private Optional<TrustedTLedger.Shown> stamped(
      long jsn, long timeMs, Extension.Time time, Bytes token) throws FaultException {
    Optional<TrustedTokens> tokens = options.tokens();
    if (tokens.isEmpty()) {
      return Optional.empty();
    }
    long genTimeMs = genTimeMs(jsn, tokens.get(), token, time);
    checkSkew(jsn, timeMs, "genTime", genTimeMs);
    if (bounds != null) {
      bounds.token(genTimeMs, time.size().value());
    }
    return Optional.of(new TrustedTLedger.Shown(genTimeMs, genTimeMs, genTimeMs));
  }

  private Optional<TrustedTLedger.Shown> entered(
      long jsn, long timeMs, Extension.Time time, TimeProof.TLedger entry) throws FaultException {
    inOrder(jsn, entry);
    if (options.tLedgers().isEmpty()) {
      return Optional.empty();
    }
    TrustedTLedger tLedger =
        options.tLedgers().stream()
            .filter(each -> each.id().equals(entry.ledger()))
            .findFirst()
            .orElseThrow(() ->
                new FaultException(
                    jsn,
                    FaultKind.TIME_ENTRY_REFUSED,
                    String.format(
                        Locale.ROOT,
                        "UNTRUSTED: it stands in ledger %s, which is none of the T-Ledgers given",
                        entry.ledger())));
    try {
      TrustedTLedger.Shown shown =
          tLedger.judge(
              entry, strand.ledger(), new Checkpoint(origin, time.size(), time.root()), signatures);
      checkSkew(jsn, timeMs, "the time of its entry", shown.timeMs());
      return Optional.of(shown);
    } catch (ProofRejectedException e) {
      throw new FaultException(jsn, FaultKind.TIME_ENTRY_REFUSED, String.valueOf(e.getMessage()));
    }
  }

  private void inOrder(long jsn, TimeProof.TLedger entry) throws FaultException {
    try {
      entries.check(entry);
    } catch (ProofRejectedException e) {
      throw new FaultException(jsn, FaultKind.TIME_ENTRY_REFUSED, String.valueOf(e.getMessage()));
    }
  }

  private static void checkSkew(long jsn, long timeMs, String what, long otherMs)
      throws FaultException {
    long apart = Math.abs(otherMs - timeMs);
    if (apart > SKEW_MS_MAX) {
      throw new FaultException(
          jsn,
          FaultKind.TIME_SKEWED,
          String.format(
              Locale.ROOT,
              "%s is %s, %d ms from the leaf's time, at most %d",
              what,
              Printable.time(otherMs),
              apart,
              SKEW_MS_MAX));
    }
  }

  private static String told(Optional<JournalRef> reference) {
    return reference.map(JournalRef::toString).orElse("none");
  }

  private TimeHeads.Head head(long jsn, Extension.Time time)
      throws FaultException, AuditLimitException {
    long size = time.size().value();
    TimeHeads.Head head =
        heads
            .find(size)
            .orElseThrow(() ->
                new FaultException(
                    jsn,
                    FaultKind.TIME_HEAD_WRONG,
                    "no block since the newest time journal left a head of size " + size));
    if (!head.root().equals(time.root().digest())) {
      throw new FaultException(
          jsn,
          FaultKind.TIME_HEAD_WRONG,
          String.format(
              Locale.ROOT,
              "root of size %d is %s, the log has %s",
              size,
              time.root(),
              head.root()));
    }
    return head;
  }

  private long genTimeMs(long jsn, TrustedTokens tokens, Bytes token, Extension.Time time)
      throws FaultException {
    try {
      return tokens.genTimeMs(token, new Checkpoint(origin, time.size(), time.root()).imprint());
    } catch (ProofRejectedException e) {
      // The rule that a refused token breaks says more than what that means for the proof.
      Throwable why = e.getCause() instanceof TokenRefusedException rule ? rule : e;
      throw new FaultException(jsn, FaultKind.TIME_TOKEN_REFUSED, String.valueOf(why.getMessage()));
    }
  }

  private void closed(long firstJsn, long windowMs) throws FaultException {
    if (options.maxWindowMs().isEmpty()) {
      return;
    }
    long max = options.maxWindowMs().getAsLong();
    if (windowMs == TimeState.UNKNOWN || windowMs > max) {
      String window =
          windowMs == TimeState.UNKNOWN ? "no token before" : "a window of " + windowMs + " ms";
      findings.add(
          new AuditFault(
              firstJsn,
              FaultKind.TIME_WINDOW_TOO_WIDE,
              String.format(
                  Locale.ROOT, "journals from here on have %s, at most %d ms", window, max)));
    }
  }

  /// To be told of each time journal once it was judged, right or wrong: the log has it.
  void follow(long jsn, Digest leafHash) {
    newest = Optional.of(new JournalRef(new Jsn(jsn), leafHash));
    heads.clear();
  }

  /// To be asked at the end of the log.
  void checkTail(long timeMs) throws FaultException {
    AnchoredTime time = report(timeMs);
    if (time.tailJournals() > 0) {
      closed(windows.tailJsn(), time.tailMs());
    }
  }

  AnchoredTime report(long timeMs) {
    return windows.report(options, judged, unjudged, timeMs);
  }

  /// The part of this replay that a statement keeps.
  TimeState state() {
    return new TimeState(newest, heads.all(), heads.knownFrom(), judged, unjudged, windows.state());
  }

  /// Goes on behind the seal up to which a log was purged.
  ///
  /// @param root of all leaves below
  void begin(Beginning beginning, Digest root) {
    start = beginning.firstKept();
    for (Beginning.Kept kept : beginning.kept()) {
      if (kept.journal().header().extension() instanceof Extension.Time) {
        newest = Optional.of(new JournalRef(kept.journal().jsn(), kept.journal().leafHash()));
      }
    }
    heads.add(new TimeHeads.Head(start, root, 0));
  }

  void restore(TimeState state) {
    newest = state.newest();
    heads.restore(state.heads(), state.knownFrom());
    judged = state.judged();
    unjudged = state.unjudged();
    windows.restore(state.windows());
  }
}
