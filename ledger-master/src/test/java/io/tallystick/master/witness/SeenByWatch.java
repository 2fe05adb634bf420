package io.tallystick.master.witness;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// What a watch was told, in order.
final class SeenByWatch implements WitnessWatch {
  final List<String> seen = new CopyOnWriteArrayList<>();

  @Override
  public void cosigned(LedgerId ledger, String witness) {
    seen.add("cosigned " + witness);
  }

  @Override
  public void failed(LedgerId ledger, WitnessFailedException failure) {
    seen.add("failed " + failure.code());
  }

  @Override
  public void contradicted(LedgerId ledger, WitnessStatus.Contradiction contradiction) {
    seen.add("contradicted " + contradiction.size());
  }

  @Override
  public void unreadable(LedgerId ledger, RequestRejectedException refusal) {
    seen.add("unreadable " + refusal.code().wire());
  }

  @Override
  public void faulted(Exception fault) {
    seen.add("faulted " + fault);
  }
}
