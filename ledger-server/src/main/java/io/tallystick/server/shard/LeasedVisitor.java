package io.tallystick.server.shard;

import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LogVisitor;
import org.jspecify.annotations.Nullable;

/// Passes leaves with bodies on while this process is known to own the shard: another owner may
/// have removed a body that was read here. One thread uses it.
public final class LeasedVisitor implements LogVisitor {
  private final OwnerLease lease;
  private final LogVisitor visitor;
  private @Nullable RequestRejectedException refusal;

  /// @param lease that the shard had before anything was read
  public LeasedVisitor(OwnerLease lease, LogVisitor visitor) {
    this.lease = lease;
    this.visitor = visitor;
  }

  @Override
  public boolean leaf(
      long jsn,
      Bytes leaf,
      @Nullable Bytes attestation,
      Bytes ops,
      BodyState bodyState,
      @Nullable Bytes salt,
      @Nullable Bytes body) {
    try {
      lease.await();
    } catch (RequestRejectedException e) {
      refusal = e;
      return false;
    }
    return visitor.leaf(jsn, leaf, attestation, ops, bodyState, salt, body);
  }

  /// To be called when the walk has ended.
  ///
  /// @throws RequestRejectedException `UNAVAILABLE` if it was ended because the lease was not held
  public void check() throws RequestRejectedException {
    if (refusal != null) {
      throw refusal;
    }
  }
}
