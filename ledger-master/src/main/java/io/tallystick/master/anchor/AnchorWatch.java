package io.tallystick.master.anchor;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;

/// Who is told what an anchoring does, for logs and metrics. Called from several threads; must not
/// block.
public interface AnchorWatch {
  /// A time journal is durable.
  void anchored(StrandId strand);

  /// An authority failed; the next one is asked.
  void authorityFailed(AuthorityFailedException failure);

  /// The node did not take a time journal; the strand's next head is stamped in its stead.
  void journalRefused(StrandId strand, RequestRejectedException refusal);

  /// A round ended early by a fault of ours; the next one begins in a while.
  void faulted(Exception fault);
}
