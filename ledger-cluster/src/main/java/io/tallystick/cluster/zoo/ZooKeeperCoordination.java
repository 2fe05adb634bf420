package io.tallystick.cluster.zoo;

import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.OutcomeUnknownException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/// A tree of values in Apache ZooKeeper. Curator keeps the session; nothing is tried again here or
/// there. Thread-safe.
public final class ZooKeeperCoordination implements Coordination {
  private static final String ROOT = "/";
  private static final int ANY_VERSION = -1;

  private final CuratorFramework curator;
  private final Object sessions = new Object();
  private long session;

  /// @param curator started; the caller closes it
  public ZooKeeperCoordination(CuratorFramework curator) {
    this.curator = curator;
  }

  @Override
  public Optional<Versioned> read(String path) throws IOException {
    try {
      Stat stat = new Stat();
      byte[] value = connected().getData(path, false, stat);
      return Optional.of(new Versioned(Bytes.wrap(value), stat.getVersion()));
    } catch (KeeperException.NoNodeException _) {
      return Optional.empty();
    } catch (KeeperException | InterruptedException e) {
      throw failed("reading " + path, e);
    }
  }

  @Override
  public List<String> children(String path) throws IOException {
    try {
      return connected().getChildren(path, false).stream().sorted().toList();
    } catch (KeeperException.NoNodeException _) {
      return List.of();
    } catch (KeeperException | InterruptedException e) {
      throw failed("listing " + path, e);
    }
  }

  @Override
  public void commit(List<Change> changes) throws IOException {
    List<Op> operations = changes.stream().map(ZooKeeperCoordination::operation).toList();
    ZooKeeper client = connected();
    try {
      client.multi(operations);
    } catch (KeeperException e) {
      throw refusal(changes, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OutcomeUnknownException("interrupted while a change was on its way", e);
    }
  }

  private static Op operation(Change change) {
    return switch (change) {
      case Change.Check check -> Op.check(check.path(), check.version());
      case Change.Create create ->
          Op.create(
              create.path(),
              create.value().toArray(),
              ZooDefs.Ids.OPEN_ACL_UNSAFE,
              create.ephemeral() ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT);
      case Change.Put put -> Op.setData(put.path(), put.value().toArray(), put.version());
      case Change.Delete delete -> Op.delete(delete.path(), delete.version());
    };
  }

  /// The answer to changes of which one cannot be made, or of which nothing is known.
  private static IOException refusal(List<Change> changes, KeeperException failure) {
    List<OpResult> results = failure.getResults();
    for (int i = 0; results != null && i < results.size(); i++) {
      if (results.get(i) instanceof OpResult.ErrorResult error) {
        ChangeRefusedException.Reason reason = reasonOf(Code.get(error.getErr()));
        if (reason != null) {
          return new ChangeRefusedException(i, reason, changes.get(i).path());
        }
      }
    }
    return switch (failure.code()) {
      case CONNECTIONLOSS, OPERATIONTIMEOUT, SESSIONEXPIRED, SESSIONMOVED, REQUESTTIMEOUT ->
          new OutcomeUnknownException(
              "a change was not answered: " + failure.getMessage(), failure);
      default -> new IOException("a change was not made: " + failure.getMessage(), failure);
    };
  }

  private static ChangeRefusedException.@Nullable Reason reasonOf(Code code) {
    return switch (code) {
      case BADVERSION -> ChangeRefusedException.Reason.VERSION;
      case NODEEXISTS -> ChangeRefusedException.Reason.EXISTS;
      case NONODE -> ChangeRefusedException.Reason.ABSENT;
      case NOTEMPTY -> ChangeRefusedException.Reason.CHILDREN;
      default -> null;
    };
  }

  /// ZooKeeper promises that reads never go back within one session alone: its servers may be
  /// behind what an earlier session saw. So each session begins with a change of nothing, which a
  /// quorum orders and the session's server has applied when it answers.
  private ZooKeeper connected() throws IOException {
    try {
      ZooKeeper client = curator.getZookeeperClient().getZooKeeper();
      synchronized (sessions) {
        if (client.getSessionId() == 0 || client.getSessionId() != session) {
          client.multi(List.of(Op.check(ROOT, ANY_VERSION)));
          session = client.getSessionId();
        }
      }
      return client;
    } catch (Exception e) { // Curator declares no narrower one
      throw failed("connecting", e);
    }
  }

  private static IOException failed(String doing, Exception failure) {
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException(doing + ": interrupted");
      interrupted.initCause(failure);
      return interrupted;
    }
    return new IOException(doing + ": " + failure.getMessage(), failure);
  }
}
