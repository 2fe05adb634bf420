package io.tallystick.proxy;

import java.util.List;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// The rates that each member of each ledger may use; beyond them 429 `rate_limited`.
///
/// @param memberJournalsPerSecond `tallystick.limits.member-journals-per-second`: appended; 0:
///   without limit. A batch may be larger: the next then waits for it. Default 0
/// @param memberReadsPerSecond `tallystick.limits.member-reads-per-second`: calls that read with a
///   token; 0: without limit. Default 0
public record LimitsProperties(
    @DefaultValue("0") long memberJournalsPerSecond, @DefaultValue("0") long memberReadsPerSecond) {
  static final LimitsProperties NONE = new LimitsProperties(0, 0);

  public LimitsProperties {
    check("member-journals-per-second", memberJournalsPerSecond);
    check("member-reads-per-second", memberReadsPerSecond);
  }

  private static void check(String name, long value) {
    if (value < 0) {
      throw new IllegalArgumentException("tallystick.limits." + name + " is " + value);
    }
  }

  List<String> arguments() {
    return List.of(
        "--tallystick.limits.member-journals-per-second=" + memberJournalsPerSecond,
        "--tallystick.limits.member-reads-per-second=" + memberReadsPerSecond);
  }
}
