package io.tallystick.master.witness;

import io.tallystick.model.LedgerId;
import io.tallystick.note.WitnessKey;
import io.tallystick.note.Witnesses;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/// Who cosigns the heads of which ledgers.
///
/// @param witnesses 1 to {@link Witnesses#COSIGNATURES_MAX}, of different names; all are asked
/// @param quorum how many of them must have cosigned a head before it is shown as cosigned in place
///   of an earlier one
/// @param ledgers the only ones whose heads are shown to witnesses
/// @param interval between two rounds
/// @param timeout for a witness' whole answer
public record WitnessSettings(
    List<Endpoint> witnesses,
    int quorum,
    List<LedgerId> ledgers,
    Duration interval,
    Duration timeout) {
  /// A witness.
  ///
  /// @param prefix to which `/add-checkpoint` is added: the submission prefix of C2SP tlog-witness
  public record Endpoint(WitnessKey key, URI prefix) {}

  public WitnessSettings {
    witnesses = List.copyOf(witnesses);
    ledgers = ledgers.stream().distinct().toList();
    Witnesses _ = trusted(witnesses, quorum);
    if (witnesses.stream().map(each -> each.key().name()).distinct().count() < witnesses.size()) {
      throw new IllegalArgumentException("two witnesses of one name");
    }
    for (Duration each : List.of(interval, timeout)) {
      if (each.isNegative() || each.isZero()) {
        throw new IllegalArgumentException("duration of " + each);
      }
    }
  }

  private static Witnesses trusted(List<Endpoint> witnesses, int quorum) {
    return new Witnesses(witnesses.stream().map(Endpoint::key).toList(), quorum);
  }
}
