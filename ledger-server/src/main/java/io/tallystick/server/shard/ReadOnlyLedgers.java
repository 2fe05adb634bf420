package io.tallystick.server.shard;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.sequencer.Input;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Ledgers to which nothing is appended, because someone has seen a head of them that is not in
/// their log. Kept in memory only: whoever knows says so again after a start. Thread-safe.
final class ReadOnlyLedgers {
  private final Map<LedgerId, Long> seenSizes = new ConcurrentHashMap<>();

  /// @param seenSize of that head; the largest counts
  void add(LedgerId ledger, long seenSize) {
    seenSizes.merge(ledger, seenSize, Math::max);
  }

  /// Refuses the appends to them.
  ///
  /// @return the others, in their order
  List<Input<AdmittedAppend>> refuse(List<Input<AdmittedAppend>> inputs) {
    if (seenSizes.isEmpty()) {
      return inputs;
    }
    List<Input<AdmittedAppend>> others = new ArrayList<>(inputs.size());
    for (Input<AdmittedAppend> input : inputs) {
      Long seenSize =
          input instanceof AdmittedAppend append
              ? seenSizes.get(append.submission().strand().ledger())
              : null;
      if (seenSize == null) {
        others.add(input);
      } else {
        input.refuse(refusal(seenSize));
      }
    }
    return others;
  }

  private static RequestRejectedException refusal(long seenSize) {
    return new RequestRejectedException(
            RejectionCode.READ_ONLY,
            String.format(
                Locale.ROOT,
                "a head of %d leaves was seen that is not in this ledger's log",
                seenSize))
        .withLimit(seenSize);
  }
}
