package io.tallystick.server.sim;

import io.tallystick.journal.Body;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.SignedRequest;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.server.sim.RemovedJournals.Purged;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongPredicate;

/// Random bytes of erased bodies, which no file and no row may have any more once their removal is
/// done.
final class ErasedBytes {
  private static final int BYTES = 16;

  /// By the first eight bytes.
  private final Map<Long, List<Marker>> markers = new HashMap<>();

  private final BitSet firstTwo = new BitSet(1 << Short.SIZE);

  private record Marker(Bytes bytes, String what) {}

  boolean isEmpty() {
    return markers.isEmpty();
  }

  /// Of all removals of a ledger that are done.
  ///
  /// @param saved whether a savepoint has a removal as done
  void addAll(SimLedger ledger, LongPredicate saved) {
    for (RemovedJournals.Occulted occult : ledger.removed.occults()) {
      if (ledger.erased.contains(occult.jsn())) {
        for (long jsn : occult.journals()) {
          add(ledger, jsn, SimLedger.NEVER, "occult " + occult.jsn());
        }
      }
    }
    for (Purged purge : ledger.removed.purges()) {
      if (ledger.erased.contains(purge.jsn())) {
        for (long jsn = 1; jsn < purge.firstKept(); jsn++) {
          add(ledger, jsn, purge.height(), "purge " + purge.jsn());
        }
        if (purge.firstKept() > ledger.closedJsn && saved.test(purge.jsn())) {
          add(ledger.founding.name().salt().toBytes(), "name, purge " + purge.jsn());
        }
      }
    }
  }

  /// @param height at whose state values may be left; {@link SimLedger#NEVER} if none may
  private void add(SimLedger ledger, long jsn, long height, String removal) {
    History.Entry entry = ledger.history.entry(jsn);
    if (entry.sent() == null) {
      return;
    }
    SignedRequest request = entry.sent().request(entry.index());
    if (standsTwice(ledger, request)) {
      return;
    }
    String what = removal + " of " + ledger.strand + ": journal " + jsn;
    add(request.salt(), what);
    try {
      Body body = Body.decode(request.body());
      add(body.payload(), what);
      List<Bytes> values = new ArrayList<>(body.values());
      for (Op op : Ops.decode(request.ops()).values()) {
        if (op instanceof Op.Put put) {
          Bytes value = values.removeFirst();
          if (height == SimLedger.NEVER || !isCurrent(ledger, put.key(), jsn, height)) {
            add(value, what);
          }
        }
      }
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  /// Whether others have signed the same request, which then is another journal, too.
  private static boolean standsTwice(SimLedger ledger, SignedRequest request) {
    int times = 0;
    for (long jsn = 0; jsn < ledger.history.size(); jsn++) {
      History.Entry entry = ledger.history.entry(jsn);
      Sent sent = entry.sent();
      times += sent != null && sent.request(entry.index()).salt().equals(request.salt()) ? 1 : 0;
    }
    return times > 1;
  }

  private static boolean isCurrent(SimLedger ledger, Bytes key, long jsn, long height) {
    SimState.Held held = ledger.history.state().at(height).get(key);
    StateEntry entry = held == null ? null : held.entry();
    return entry != null && entry.jsn().value() == jsn;
  }

  private void add(Bytes bytes, String what) {
    if (bytes.size() < BYTES) {
      return; // others may have the same by chance
    }
    Bytes marker = bytes.slice(0, BYTES);
    ByteBuffer buffer = ByteBuffer.wrap(marker.toArray());
    markers
        .computeIfAbsent(buffer.getLong(0), _ -> new ArrayList<>())
        .add(new Marker(marker, what));
    firstTwo.set(Short.toUnsignedInt(buffer.getShort(0)));
  }

  /// @throws Violation if any of them is there
  void search(InMemoryDisk disk, MetaStore meta) {
    try {
      for (String name : disk.names()) {
        search(disk.content(name), name);
      }
      meta.scan(
          Bytes.EMPTY,
          null,
          (key, row) -> {
            search(row.toArray(), "row " + key);
            return true;
          });
    } catch (IOException e) {
      throw new AssertionError("a copy in memory does not fail", e);
    }
  }

  private void search(byte[] bytes, String where) {
    ByteBuffer content = ByteBuffer.wrap(bytes);
    for (int at = 0; at <= content.limit() - BYTES; at++) {
      if (!firstTwo.get(Short.toUnsignedInt(content.getShort(at)))) {
        continue;
      }
      List<Marker> found = markers.get(content.getLong(at));
      for (Marker marker : Objects.requireNonNullElse(found, List.<Marker>of())) {
        Violation.unless(
            !Bytes.copyOf(bytes, at, BYTES).equals(marker.bytes),
            "%s is done, and its bytes are in %s at %s",
            marker.what,
            where,
            at);
      }
    }
  }
}
