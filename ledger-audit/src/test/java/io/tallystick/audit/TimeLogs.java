package io.tallystick.audit;

import static io.tallystick.audit.Logs.FIXTURES;

import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import io.tallystick.time.TrustedTokens;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/// Time journals with tokens of an authority that writes genTime in 8 bytes, then the imprint.
public final class TimeLogs {
  static final TrustedTokens TOKENS =
      (token, imprint) -> {
        ByteBuffer in = ByteBuffer.wrap(token.unsafeArray());
        if (in.remaining() != Long.BYTES + Digest.BYTES) {
          throw new ProofRejectedException(Reason.MALFORMED, "token of " + token.size());
        }
        long genTimeMs = in.getLong();
        if (!Digest.of(token.slice(Long.BYTES, Digest.BYTES)).equals(imprint)) {
          throw new ProofRejectedException(Reason.COMMITMENT_MISMATCH, "of another head");
        }
        return genTimeMs;
      };

  private TimeLogs() {}

  static Bytes token(long genTimeMs, Digest imprint) {
    return Bytes.wrap(
        ByteBuffer.allocate(Long.BYTES + Digest.BYTES)
            .putLong(genTimeMs)
            .put(imprint.toArray())
            .array());
  }

  static Digest imprint(ReferenceLedger log, int size) {
    return new Checkpoint(
            log.fixtures().params().origin(0), new TreeSize(size), new JournalRoot(log.root(size)))
        .imprint();
  }

  /// The journal at `jsn`, as the next time journal names it.
  static Optional<JournalRef> reference(ReferenceLedger log, int jsn) {
    return Optional.of(
        new JournalRef(new Jsn(jsn), TreeHasher.leafHash(log.entries().get(jsn).leaf())));
  }

  static Extension.Time time(
      ReferenceLedger log, int size, Optional<JournalRef> previous, long genTimeMs) {
    return new Extension.Time(
        new TreeSize(size),
        new JournalRoot(log.root(size)),
        previous,
        new TimeProof.Token(token(genTimeMs, imprint(log, size))));
  }

  public static Submission submission(Extension.Time time) {
    return FIXTURES.service(Kind.TIME, time, List.of(Fixtures.RECEIPT));
  }

  /// Appends a right time journal about the first `size` leaves.
  public static ReferenceLedger anchor(
      ReferenceLedger log, int size, Optional<JournalRef> previous, long genTimeMs) {
    Extension.Time time = time(log, size, previous, genTimeMs);
    return log.append(log.fixtures().service(Kind.TIME, time, List.of(Fixtures.RECEIPT)));
  }
}
