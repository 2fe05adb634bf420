package io.tallystick.master.witness;

import io.tallystick.model.LedgerId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// How a service stands with its witnesses.
///
/// @param ledgers in the order of the settings
public record WitnessStatus(List<OfLedger> ledgers) {
  /// No ledger is witnessed.
  public static final WitnessStatus NONE = new WitnessStatus(List.of());

  public WitnessStatus {
    ledgers = List.copyOf(ledgers);
  }

  /// A head that a witness has cosigned and that is not in the log.
  ///
  /// @param witness its name
  /// @param size of that head
  /// @param ahead whether that is more than the log has: an old backup was restored. Else the log
  ///   has another head of this size
  public record Contradiction(String witness, long size, boolean ahead) {}

  /// A ledger that is witnessed.
  ///
  /// @param cosignedSize of the newest head with enough cosignatures; 0 if there is none
  /// @param cosignatures of that head
  /// @param lastCosignedMs when a witness cosigned last, by the service's time, since the start
  /// @param contradiction why it is read-only, if it is
  /// @param failing by witness, why its newest answer was of no use
  public record OfLedger(
      LedgerId ledger,
      long cosignedSize,
      int cosignatures,
      OptionalLong lastCosignedMs,
      Optional<Contradiction> contradiction,
      Map<String, String> failing) {
    public OfLedger {
      failing = Map.copyOf(failing);
    }
  }

  /// Since when the ledger waits that a witness cosigned least lately; absent if one was never
  /// cosigned since the start, or none is listed.
  public OptionalLong oldestCosignedMs() {
    long oldest = Long.MAX_VALUE;
    for (OfLedger each : ledgers) {
      if (each.lastCosignedMs.isEmpty()) {
        return OptionalLong.empty();
      }
      oldest = Math.min(oldest, each.lastCosignedMs.getAsLong());
    }
    return ledgers.isEmpty() ? OptionalLong.empty() : OptionalLong.of(oldest);
  }

  /// How many are read-only by what a witness has seen.
  public long contradictedCount() {
    return ledgers.stream().filter(each -> each.contradiction.isPresent()).count();
  }
}
