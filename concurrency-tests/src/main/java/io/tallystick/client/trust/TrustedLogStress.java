package io.tallystick.client.trust;

import io.tallystick.client.failure.TallyException;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.SignedHead;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.JdkSignatures;
import io.tallystick.testkit.ReferenceLedger;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/// Heads that are joined at once to the log of a new trust folder.
public final class TrustedLogStress {
  private static final int OLDER = 7;
  private static final int NEWER = 12;

  private TrustedLogStress() {}

  /// Two heads of one log.
  @JCStressTest
  @Outcome(id = "true, true, 12", expect = Expect.ACCEPTABLE, desc = "both, and the newer is kept")
  @State
  public static class OneLog extends Joins {
    @Actor
    public void first(ZZI_Result result) {
      result.r1 = isJoined(OLDER_HEAD);
    }

    @Actor
    public void second(ZZI_Result result) {
      result.r2 = isJoined(NEWER_HEAD);
    }

    @Arbiter
    public void end(ZZI_Result result) {
      result.r3 = sizeThenDelete();
    }
  }

  /// Two heads of one size with different roots.
  @JCStressTest
  @Outcome(id = "true, false, 12", expect = Expect.ACCEPTABLE, desc = "the first only")
  @Outcome(id = "false, true, 12", expect = Expect.ACCEPTABLE, desc = "the second only")
  @State
  public static class Fork extends Joins {
    @Actor
    public void first(ZZI_Result result) {
      result.r1 = isJoined(NEWER_HEAD);
    }

    @Actor
    public void second(ZZI_Result result) {
      result.r2 = isJoined(OTHER_HEAD);
    }

    @Arbiter
    public void end(ZZI_Result result) {
      result.r3 = sizeThenDelete();
    }
  }

  /// A reader sees the trusted head while one is joined.
  @JCStressTest
  @Outcome(id = "0, 0, 12", expect = Expect.ACCEPTABLE, desc = "read before")
  @Outcome(id = "0, 12, 12", expect = Expect.ACCEPTABLE, desc = "read before and after")
  @Outcome(id = "12, 12, 12", expect = Expect.ACCEPTABLE, desc = "read after")
  @State
  public static class Reader extends Joins {
    @Actor
    public void joining() {
      isJoined(NEWER_HEAD);
    }

    @Actor
    public void reading(III_Result result) {
      result.r1 = size();
      result.r2 = size();
    }

    @Arbiter
    public void end(III_Result result) {
      result.r3 = sizeThenDelete();
    }
  }

  /// A trusted log whose folder is below `java.io.tmpdir`.
  static class Joins {
    private static final Signatures SIGNATURES = new JdkSignatures(new SplittableRandom(1));
    private static final ReferenceLedger LOG = ReferenceLedger.sample();
    private static final LedgerId LEDGER = LOG.strand().ledger();
    private static final ServiceTrust TRUST = trust();
    static final SignedHead OLDER_HEAD = head(LOG, OLDER);
    static final SignedHead NEWER_HEAD = head(LOG, NEWER);
    static final SignedHead OTHER_HEAD = head(ReferenceLedger.sample(100, 4, 4), NEWER);

    private final Path directory;
    private final TrustedLog log;

    Joins() {
      try {
        directory = Files.createTempDirectory("trusted-log-stress");
        TrustFolder folder = TrustFolder.open(directory, LEDGER);
        folder.saveGenesis(Fixtures.ledger().params().encode());
        log =
            TrustedLog.open(
                TRUST,
                SIGNATURES,
                folder,
                (_, from, to) ->
                    LOG.consistency(Math.toIntExact(from.value()), Math.toIntExact(to.value())),
                _ -> KeyChain.EMPTY);
      } catch (IOException | TallyException e) {
        throw new AssertionError(e);
      }
    }

    private static ServiceTrust trust() {
      try {
        return ServiceTrust.of(LEDGER, Fixtures.ledger().params().encode(), SIGNATURES);
      } catch (ProofRejectedException e) {
        throw new AssertionError(e);
      }
    }

    private static SignedHead head(ReferenceLedger log, int size) {
      try {
        return HeadStatement.verify(log.checkpoint(size), log.strand(), log.keys(), SIGNATURES);
      } catch (ProofRejectedException e) {
        throw new AssertionError(e);
      }
    }

    final boolean isJoined(SignedHead head) {
      try {
        log.join(head);
        return true;
      } catch (TallyException e) {
        return false;
      }
    }

    final int size() {
      return log.head().map(head -> Math.toIntExact(head.size().value())).orElse(0);
    }

    final int sizeThenDelete() {
      int size = size();
      log.close();
      try (Stream<Path> files = Files.walk(directory)) {
        List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
        for (Path file : deepestFirst) {
          Files.delete(file);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return size;
    }
  }
}
