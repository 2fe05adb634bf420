package io.tallystick.wire;

import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.Appending;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.LogRange;
import io.tallystick.node.LogVisitor;
import io.tallystick.node.Member;
import io.tallystick.node.NodeChange;
import io.tallystick.node.NodeHealth;
import io.tallystick.node.NodeRead;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.testkit.Fixtures;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/// Takes appends and says nothing; walks for ever.
class IdleNode implements LedgerNode {
  final Queue<Appending> taken = new ConcurrentLinkedQueue<>();
  final Queue<Integer> followings = new ConcurrentLinkedQueue<>();
  final AtomicLong takenBytes = new AtomicLong();
  final AtomicLong visited = new AtomicLong();
  final Semaphore walksEnded = new Semaphore(0);

  @Override
  public ServiceIdentity identity() {
    return new ServiceIdentity(
        Fixtures.ledger().params().authority(),
        Fixtures.NOTE.publicKey(),
        Fixtures.RECEIPT.publicKey());
  }

  @Override
  public long timeMs() {
    return Fixtures.TIME_MS;
  }

  @Override
  public NodeHealth health() {
    return new NodeHealth(true, true, "");
  }

  @Override
  @SuppressWarnings("unchecked") // the one question that a verifier asks
  public <R> R ask(NodeRead<R> read) throws RequestRejectedException {
    if (read instanceof LedgerRead.FindSigner find) {
      return (R)
          Fixtures.owners().stream()
              .filter(owner -> owner.publicKey().kid().equals(find.kid()))
              .map(owner -> new Member(owner.publicKey(), Role.OWNER, 0, Member.NEVER))
              .findFirst();
    }
    throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "idle");
  }

  @Override
  public <R> R change(NodeChange<R> change) throws RequestRejectedException {
    throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "idle");
  }

  @Override
  public void append(List<Appending> submissions, int following) {
    followings.add(following);
    for (Appending each : submissions) {
      taken.add(each);
      takenBytes.addAndGet(each.submission().requests().getFirst().sizeBytes());
    }
  }

  void refuseAll() {
    for (Appending each = taken.poll(); each != null; each = taken.poll()) {
      each.waiter().failed(new RequestRejectedException(RejectionCode.READ_ONLY, "told to"));
    }
  }

  @Override
  public void readLog(LogRange range, LogVisitor visitor) throws RequestRejectedException {
    Bytes leaf = Bytes.wrap(new byte[10 << 10]);
    long jsn = 0;
    while (visitor.leaf(jsn++, leaf, null, Bytes.EMPTY, BodyState.NONE, null, null)) {
      visited.set(jsn);
    }
    walksEnded.release();
  }

  @Override
  public void close() {}
}
