package io.tallystick.cluster.history;

import io.tallystick.client.failure.TallyException;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.node.KeptAnchors;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// The judge of a history. What it finds is a fault of the service, whatever happened to its
/// processes.
public final class HistoryCheck {
  /// How long a revoked reader may be served.
  private static final long REVOKED_NANOS = 1_000_000_000;

  /// Anchors of one member that are kept, but for some that may stand though nobody was told.
  private static final int ANCHORS_KEPT = KeptAnchors.PER_MEMBER_MAX - 4;

  private final List<Told> told;
  private final JudgedLedger door;
  private final List<String> faults = new ArrayList<>();

  private HistoryCheck(History history, JudgedLedger door) {
    this.told = history.all();
    this.door = door;
  }

  /// @param door of a client that has no part in the history
  /// @return what is wrong; empty: nothing
  public static List<String> faults(History history, JudgedLedger door) throws TallyException {
    HistoryCheck check = new HistoryCheck(history, door);
    check.answers();
    check.order();
    check.newest();
    check.removals();
    check.readers();
    check.log(door.log());
    check.kept();
    door.alarm().ifPresent(check.faults::add);
    return List.copyOf(check.faults);
  }

  private void fault(String what) {
    faults.add(what);
  }

  private <T extends Told> List<T> all(Class<T> kind) {
    return told.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private void answers() {
    for (Told.Fault each : all(Told.Fault.class)) {
      fault("a call ended with: " + each.what());
    }
  }

  /// Whoever was answered before another was sent has the lower jsn.
  private void order() {
    record Run(Told.Span span, long first, long last) {}
    List<Run> runs = new ArrayList<>();
    for (Told each : told) {
      switch (each) {
        case Told.Receipted it ->
            runs.add(
                new Run(it.span(), it.journals().getFirst().jsn(), it.journals().getLast().jsn()));
        case Told.Promised it ->
            runs.add(new Run(it.span(), it.first(), it.first() + it.texts().size() - 1));
        default -> {}
      }
    }
    Sweep answered = new Sweep();
    runs.forEach(run -> answered.add(run.span(), run.last()));
    runs.sort(Comparator.comparingLong(run -> run.span().sentNanos()));
    for (Run run : runs) {
      long before = answered.before(run.span());
      if (before >= run.first()) {
        fault("journal " + run.first() + " was sent after " + before + " was acknowledged");
      }
    }
  }

  /// The largest of the values whose calls were answered before others were sent, which are asked
  /// for in the order of their sending.
  private static final class Sweep {
    private record Value(Told.Span span, long value) {}

    private final List<Value> values = new ArrayList<>();
    private int next;
    private long largest = -1;

    void add(Told.Span span, long value) {
      values.add(new Value(span, value));
    }

    long before(Told.Span asked) {
      if (next == 0) {
        values.sort(Comparator.comparingLong(each -> each.span().answeredNanos()));
      }
      while (next < values.size() && values.get(next).span().before(asked)) {
        largest = Math.max(largest, values.get(next++).value());
      }
      return largest;
    }
  }

  /// A newest head covers all receipts and heads that were there before it was asked for; no size
  /// below these is in the future.
  private void newest() {
    Sweep sizes = new Sweep();
    List<Told> asked = new ArrayList<>();
    for (Told each : told) {
      switch (each) {
        case Told.Receipted it ->
            sizes.add(it.span(), Math.max(it.head().size(), it.journals().getLast().jsn() + 1));
        case Told.Newest it -> {
          sizes.add(it.span(), it.head().size());
          asked.add(it);
        }
        case Told.FutureSize it -> asked.add(it);
        default -> {}
      }
    }
    asked.sort(Comparator.comparingLong(each -> each.span().sentNanos()));
    for (Told each : asked) {
      long known = sizes.before(each.span());
      if (each instanceof Told.Newest it && it.head().size() < known) {
        fault("the newest head has size " + it.head().size() + " after " + known + " was shown");
      }
      if (each instanceof Told.FutureSize it && it.size() <= known) {
        fault("size " + it.size() + " is said to be in the future after " + known + " was shown");
      }
    }
  }

  /// No body after its occult.
  private void removals() {
    Map<Long, Told.Span> erased = new HashMap<>();
    all(Told.Erased.class).forEach(each -> erased.put(each.jsn(), each.span()));
    for (Told.Body body : all(Told.Body.class)) {
      Told.Span since = erased.get(body.jsn());
      if (body.present() && since != null && since.before(body.span())) {
        fault("journal " + body.jsn() + " has its body after it was erased");
      }
    }
  }

  /// Nobody reads a second after its revocation, and none is turned away before that was sent.
  private void readers() {
    Map<Digest, Told.Span> revoked = new HashMap<>();
    all(Told.Revoked.class).forEach(each -> revoked.put(each.kid(), each.span()));
    for (Told.ReadBy read : all(Told.ReadBy.class)) {
      Told.Span since = revoked.get(read.kid());
      if (since != null && read.span().sentNanos() - since.answeredNanos() - REVOKED_NANOS > 0) {
        fault(read.kid().hex() + " reads a second after it was revoked");
      }
    }
    all(Told.MayBeRevoked.class).forEach(each -> revoked.put(each.kid(), each.span()));
    for (Told.TurnedAway away : all(Told.TurnedAway.class)) {
      Told.Span since = revoked.get(away.kid());
      if (since == null || away.span().answeredNanos() - since.sentNanos() < 0) {
        fault(away.kid().hex() + " is turned away before it was revoked");
      }
    }
  }

  /// Each journal once, where it was said to be, and nothing else, without what was erased; all
  /// heads are heads of this log.
  private void log(List<JudgedLedger.Listed> log) {
    Map<String, Long> found = new HashMap<>();
    Set<Digest> requests = new HashSet<>();
    Map<Long, Digest> stated = stated();
    Set<Long> erased = erased();
    List<Digest> subtrees = new ArrayList<>();
    for (JudgedLedger.Listed each : log) {
      each.requestHash()
          .filter(hash -> !requests.add(hash))
          .ifPresent(_ -> fault("the request of journal " + each.jsn() + " stands twice"));
      each.text()
          .filter(text -> found.put(text, each.jsn()) != null)
          .ifPresent(text -> fault(text + " stands twice, again as " + each.jsn()));
      each.text()
          .filter(_ -> erased.contains(each.jsn()))
          .ifPresent(text -> fault(text + " was erased and stands at " + each.jsn()));
      grow(subtrees, each.jsn(), TreeHasher.leafHash(each.leaf()));
      Digest head = stated.remove(each.jsn() + 1);
      if (head != null && !head.equals(TreeHasher.foldRight(subtrees))) {
        fault("the head of size " + (each.jsn() + 1) + " is none of this log");
      }
    }
    stated.keySet().forEach(size -> fault("a head has size " + size + ", the log ends before"));
    places(log, found);
  }

  private Set<Long> erased() {
    Set<Long> erased = new HashSet<>();
    all(Told.Erased.class).forEach(each -> erased.add(each.jsn()));
    return erased;
  }

  /// The roots that were signed, by size.
  private Map<Long, Digest> stated() {
    Map<Long, Digest> roots = new TreeMap<>();
    for (Told each : told) {
      Told.Stated head =
          switch (each) {
            case Told.Receipted it -> it.head();
            case Told.Newest it -> it.head();
            default -> null;
          };
      if (head != null) {
        Digest other = roots.put(head.size(), head.root());
        if (other != null && !other.equals(head.root())) {
          fault("fork: two roots of size " + head.size());
        }
      }
    }
    return roots;
  }

  /// Adds a leaf to the complete subtrees of a tree, largest first.
  private static void grow(List<Digest> subtrees, long before, Digest leaf) {
    Digest right = leaf;
    for (long size = before; (size & 1) == 1; size >>= 1) {
      right = TreeHasher.nodeHash(subtrees.removeLast(), right);
    }
    subtrees.add(right);
  }

  private void places(List<JudgedLedger.Listed> log, Map<String, Long> found) {
    Set<Long> erased = erased();
    all(Told.MayBeErased.class).forEach(each -> erased.add(each.jsn()));
    Set<String> sent = new HashSet<>();
    for (Told each : told) {
      switch (each) {
        case Told.Receipted it ->
            it.journals()
                .forEach(journal -> {
                  sent.add(journal.text());
                  place(found, erased, journal.text(), journal.jsn());
                  leaf(log, journal);
                });
        case Told.Promised it -> {
          sent.addAll(it.texts());
          for (int i = 0; i < it.texts().size(); i++) {
            place(found, erased, it.texts().get(i), it.first() + i);
          }
        }
        case Told.Unknown it -> sent.addAll(it.texts());
        case Told.Refused it ->
            it.texts().stream()
                .filter(found::containsKey)
                .forEach(text -> fault(text + " was refused (" + it.code() + ") and stands"));
        default -> {}
      }
    }
    found.keySet().stream()
        .filter(text -> !text.isEmpty() && !sent.contains(text))
        .forEach(text -> fault("nobody was told of " + text));
  }

  private void place(Map<String, Long> found, Set<Long> erased, String text, long jsn) {
    Long at = found.get(text);
    if (at == null && !erased.contains(jsn)) {
      fault("lost: " + text + " was acknowledged as " + jsn);
    } else if (at != null && at != jsn) {
      fault(text + " was acknowledged as " + jsn + " and stands at " + at);
    }
  }

  private void leaf(List<JudgedLedger.Listed> log, Told.Placed journal) {
    if (journal.jsn() >= log.size()
        || !TreeHasher.leafHash(log.get((int) journal.jsn()).leaf()).equals(journal.leafHash())) {
      fault("the log has another leaf than the receipt of " + journal.jsn());
    }
  }

  /// Proposals and the newest anchors that were acknowledged are there.
  private void kept() throws TallyException {
    Set<Digest> proposals = door.proposals();
    for (Told.Proposed each : all(Told.Proposed.class)) {
      if (!proposals.contains(each.requestHash())) {
        fault("lost: proposal " + each.requestHash().hex());
      }
    }
    NavigableSet<Long> anchors = new TreeSet<>();
    all(Told.Anchored.class).forEach(each -> anchors.add(each.size()));
    for (long size : anchors.descendingSet().stream().limit(ANCHORS_KEPT).toList()) {
      if (door.anchored(size) != size) {
        fault("lost: the anchor of size " + size);
      }
    }
  }
}
