package io.tallystick.server.sim;

import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.TimeProof;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.TreeSize;
import io.tallystick.server.keys.KeyNotReadException;
import io.tallystick.server.seal.TimeRequest;
import io.tallystick.server.world.ServiceTerms;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/// Makes time journals as the service does, of heads that are durable. Some are late, early, about
/// an old head, or name another time journal than the newest.
final class SimTimes {
  private static final long SOON_MS = 1_000;
  private static final long FAR_MS = 20_000;
  private static final int BEYOND = 1_000_000;

  private final SplittableRandom random;

  SimTimes(SplittableRandom random) {
    this.random = random;
  }

  /// @param ledger that is durable
  Sent make(SimLedger ledger, long nowMs) {
    History.Block block =
        random.nextInt(8) == 0
            ? ledger.history.blockOf(random.nextInt(ledger.history.size()))
            : ledger.history.last();
    long size = random.nextInt(40) == 0 ? block.size() + BEYOND : block.size();
    SimLedger.KnownTime newest = random.nextInt(12) == 0 ? null : ledger.newestTime;
    Optional<JournalRef> previous =
        newest == null || newest.jsn() >= size
            ? Optional.empty()
            : Optional.of(
                new JournalRef(
                    new Jsn(newest.jsn()), ledger.history.entry(newest.jsn()).leafHash()));
    long offMs = random.nextInt(8) == 0 ? FAR_MS : SOON_MS;
    byte[] token = new byte[1 + random.nextInt(300)];
    random.nextBytes(token);
    Extension.Time time =
        new Extension.Time(
            new TreeSize(size),
            new JournalRoot(block.root()),
            previous,
            new TimeProof.Token(Bytes.wrap(token)));
    try {
      VerifiedSubmission submission =
          TimeRequest.sign(
              ledger.strand,
              time,
              nowMs + random.nextLong(-offMs, offMs),
              SimLedger.bytes32(random),
              ledger.service,
              new ServiceTerms(ledger.serviceKeys, 0));
      return new Sent(ledger, submission, List.of());
    } catch (KeyNotReadException e) {
      throw new AssertionError("all keys are at hand", e);
    }
  }
}
