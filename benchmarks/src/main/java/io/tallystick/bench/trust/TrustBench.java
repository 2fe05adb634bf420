package io.tallystick.bench.trust;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.figure.MeasuredCases;
import io.tallystick.bench.service.AnchorReplayBench;
import java.util.List;

/// The cases of `tally bench trust`. A case is registered here and nowhere else.
public final class TrustBench {
  public static final MeasuredCases CASES =
      new MeasuredCases()
          .with("tokens", new TokensCase())
          .with("t-ledger", new TLedgerCase())
          .with("audit", new AnchoredAuditCase())
          .with("replay", TrustBench::replay);

  private static final int REPLAYED_PER_SECOND = 20_000;

  private TrustBench() {}

  /// Of a log that takes about as many seconds as a measurement.
  private static List<BenchCase> replay(MeasuredCase.Run run) throws Exception {
    int journals = run.count(REPLAYED_PER_SECOND);
    return new AnchorReplayBench(run.home(), journals, run.repetitions(), run.narrator()).measure();
  }
}
