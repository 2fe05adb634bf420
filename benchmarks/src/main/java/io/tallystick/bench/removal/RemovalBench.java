package io.tallystick.bench.removal;

import io.tallystick.bench.figure.MeasuredCases;

/// The cases of `tally bench removal`. A case is registered here and nowhere else.
public final class RemovalBench {
  public static final MeasuredCases CASES =
      new MeasuredCases()
          .with("appends", new AppendsCase())
          .with("purge", new PurgeCase())
          .with("occult", new OccultCase())
          .with("audit", new OccultedAuditCase());

  private RemovalBench() {}
}
