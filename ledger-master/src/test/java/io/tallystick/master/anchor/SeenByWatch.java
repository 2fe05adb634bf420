package io.tallystick.master.anchor;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A watch that remembers, a word for each event.
final class SeenByWatch implements AnchorWatch {
  private final List<String> seen = new CopyOnWriteArrayList<>();

  List<String> seen() {
    return List.copyOf(seen);
  }

  @Override
  public void anchored(StrandId strand) {
    seen.add("anchored");
  }

  @Override
  public void authorityFailed(AuthorityFailedException failure) {
    seen.add(failure.code());
  }

  @Override
  public void journalRefused(StrandId strand, RequestRejectedException refusal) {
    seen.add("refused " + refusal.code().wire());
  }

  @Override
  public void faulted(Exception fault) {
    seen.add("fault");
  }
}
