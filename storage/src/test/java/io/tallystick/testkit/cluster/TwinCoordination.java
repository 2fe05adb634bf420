package io.tallystick.testkit.cluster;

import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.ChangeRefusedException.Reason;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A twin of ZooKeeper in memory. It keeps every value that ever stood at a path, so that a client
/// may read an old one. Each server has a client, and with it a session, of its own. Thread-safe.
public final class TwinCoordination {
  private final RandomGenerator random;

  /// By path, and there by the number of the commit that wrote it.
  private final NavigableMap<String, NavigableMap<Long, Node>> history = new TreeMap<>();

  /// Changes whose sender was given no answer, and which may still be done.
  private final List<Sent> late = new ArrayList<>();

  private TwinFaults faults = TwinFaults.NONE;
  private long commits;

  /// What stands at a path.
  ///
  /// @param value null once it is deleted
  record Node(@Nullable Bytes value, int version, @Nullable Object session) {}

  private record Sent(List<Change> changes, Object session) {}

  /// @param random decides all that goes wrong
  public TwinCoordination(RandomGenerator random) {
    this.random = random;
    history.put("/", new TreeMap<>(Map.of(0L, new Node(Bytes.EMPTY, 0, null))));
  }

  /// What one server has: a session.
  public Coordination client(Steps steps) {
    return new TwinCoordinationClient(this, steps);
  }

  /// The end of a client's session: what was ephemeral in it goes. The client gets a new one.
  public synchronized void expire(Coordination client) {
    commits++;
    for (NavigableMap<Long, Node> path : history.values()) {
      Node node = path.lastEntry().getValue();
      if (node.value != null && client.equals(node.session)) {
        path.put(commits, new Node(null, node.version, null));
      }
    }
  }

  public synchronized void faults(TwinFaults now) {
    faults = now;
  }

  // For the clients, which hold this twin's monitor.

  TwinFaults faults() {
    return faults;
  }

  RandomGenerator random() {
    return random;
  }

  boolean befalls(int often) {
    return TwinFaults.befalls(often, random);
  }

  /// Number of the newest commit.
  long newest() {
    return commits;
  }

  /// @param seen number of the newest commit that the reader knows of
  @Nullable Node read(String path, long seen) {
    NavigableMap<Long, Node> values = history.get(path);
    Map.Entry<Long, Node> entry = values == null ? null : values.floorEntry(seen);
    return entry == null || entry.getValue().value == null ? null : entry.getValue();
  }

  List<String> children(String path, long seen) {
    String prefix = path.equals("/") ? "/" : path + "/";
    List<String> names = new ArrayList<>();
    for (String each : history.tailMap(prefix, false).keySet()) {
      if (!each.startsWith(prefix)) {
        break;
      }
      String name = each.substring(prefix.length());
      if (name.indexOf('/') < 0 && read(each, seen) != null) {
        names.add(name);
      }
    }
    return names;
  }

  void commit(List<Change> changes, Object session) throws ChangeRefusedException {
    commits++;
    Map<String, Node> made = new TreeMap<>();
    for (int i = 0; i < changes.size(); i++) {
      make(i, changes.get(i), session, made);
    }
    made.forEach(
        (path, node) -> history.computeIfAbsent(path, p -> new TreeMap<>()).put(commits, node));
  }

  /// Keeps changes that may be done later.
  void keep(List<Change> changes, Object session) {
    late.add(new Sent(changes, session));
  }

  /// Does some of the changes that were sent earlier, or drops them.
  void catchUp() {
    for (int i = late.size() - 1; i >= 0; i--) {
      if (random.nextBoolean()) {
        Sent sent = late.remove(i);
        try {
          commit(sent.changes, sent.session);
        } catch (ChangeRefusedException _) {
          // Nobody waits for the answer.
        }
      }
    }
  }

  private void make(int index, Change change, Object session, Map<String, Node> made)
      throws ChangeRefusedException {
    Node there = now(change.path(), made);
    boolean present = there != null && there.value != null;
    if (change instanceof Change.Create create) {
      Node parent = now(parent(change.path()), made);
      if (present) {
        throw new ChangeRefusedException(index, Reason.EXISTS, change.path());
      }
      if (parent == null || parent.value == null) {
        throw new ChangeRefusedException(index, Reason.ABSENT, change.path());
      }
      made.put(create.path(), new Node(create.value(), 0, create.ephemeral() ? session : null));
      return;
    }
    if (there == null || !present) {
      throw new ChangeRefusedException(index, Reason.ABSENT, change.path());
    }
    int wanted =
        switch (change) {
          case Change.Check check -> check.version();
          case Change.Put put -> put.version();
          case Change.Delete delete -> delete.version();
          case Change.Create _ -> throw new AssertionError("seen above");
        };
    if (wanted != Change.ANY && wanted != there.version) {
      throw new ChangeRefusedException(index, Reason.VERSION, change.path());
    }
    if (change instanceof Change.Put put) {
      made.put(put.path(), new Node(put.value(), there.version + 1, there.session));
    } else if (change instanceof Change.Delete delete) {
      if (!children(delete.path(), commits).isEmpty()) {
        throw new ChangeRefusedException(index, Reason.CHILDREN, change.path());
      }
      made.put(delete.path(), new Node(null, there.version, null));
    }
  }

  private @Nullable Node now(String path, Map<String, Node> made) {
    Node node = made.get(path);
    return node != null ? node : read(path, commits);
  }

  private static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash == 0 ? "/" : path.substring(0, slash);
  }
}
