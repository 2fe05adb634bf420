package io.tallystick.audit.statement;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.PublicKey;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.JournalRef;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.TreeSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The encoding of the closing, the service's keys and time within a statement's state.
final class TrustCodec {
  private static final int ITEMS = 3;
  private static final int TIME_ITEMS = 6;
  private static final int WINDOWS_ITEMS = 7;
  private static final int SPKI_BYTES_MAX = 91;

  private TrustCodec() {}

  static void write(AuditStatement.Trust trust, CborWriter out) {
    out.array(ITEMS);
    PeopleCodec.writeOrNil(trust.closedJsn(), out);
    out.array(trust.rotations().size());
    for (ServiceKeys.Term term : trust.rotations()) {
      out.array(3).uint(term.above().value());
      out.bytes(term.noteKey().spki()).bytes(term.receiptKey().spki());
    }
    writeTime(trust.time(), out);
  }

  private static void writeTime(TimeState time, CborWriter out) {
    out.array(TIME_ITEMS);
    if (time.newest().isPresent()) {
      JournalRef newest = time.newest().get();
      out.array(2).uint(newest.jsn().value()).digest(newest.leafHash());
    } else {
      out.nil();
    }
    out.array(time.heads().size());
    for (TimeHeads.Head head : time.heads()) {
      out.array(3).uint(head.size()).digest(head.root()).uint(head.journals());
    }
    out.uint(time.knownFrom()).uint(time.judged()).uint(time.unjudged());
    writeWindows(time.windows(), out);
  }

  private static void writeWindows(TimeState.Windows windows, CborWriter out) {
    out.array(WINDOWS_ITEMS).uint(windows.journals());
    PeopleCodec.writeOrNil(windows.earliestMs(), out);
    PeopleCodec.writeOrNil(windows.latestMs(), out);
    out.uint(windows.unbounded());
    PeopleCodec.writeOrNil(windows.largestMs(), out);
    out.array(windows.open().size());
    for (TimeState.Segment segment : windows.open()) {
      out.array(3).uint(segment.firstJsn()).uint(segment.firstJournal());
      PeopleCodec.writeOrNil(segment.notBeforeMs(), out);
    }
    out.array(windows.windows().size());
    new TreeMap<>(windows.windows())
        .forEach((bucket, count) -> out.array(2).uint(bucket).uint(count));
  }

  /// @param earliest whether the earliest genTime is there
  static AuditStatement.Trust read(CborReader in, boolean earliest) throws MalformedException {
    in.array("trust", ITEMS);
    long closedJsn = PeopleCodec.readOrNil(in);
    int count = in.array();
    List<ServiceKeys.Term> rotations = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      in.array("rotation", 3);
      rotations.add(new ServiceKeys.Term(new TreeSize(in.uint()), key(in), key(in)));
    }
    return new AuditStatement.Trust(closedJsn, rotations, readTime(in, earliest));
  }

  private static PublicKey key(CborReader in) throws MalformedException {
    return PublicKey.ofSpki(Bytes.wrap(in.bytes("SPKI", SPKI_BYTES_MAX)));
  }

  private static TimeState readTime(CborReader in, boolean earliest) throws MalformedException {
    in.array("time", TIME_ITEMS);
    Optional<JournalRef> newest = Optional.empty();
    if (!in.nil()) {
      in.array("newest", 2);
      newest = Optional.of(new JournalRef(new Jsn(in.uint()), in.digest()));
    }
    int count = in.arrayAtMost("heads", TimeHeads.KEPT_MAX + 1);
    List<TimeHeads.Head> heads = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      in.array("head", 3);
      heads.add(new TimeHeads.Head(in.uint(), in.digest(), in.uint()));
    }
    return new TimeState(newest, heads, in.uint(), in.uint(), in.uint(), readWindows(in, earliest));
  }

  private static TimeState.Windows readWindows(CborReader in, boolean earliest)
      throws MalformedException {
    in.array("windows", earliest ? WINDOWS_ITEMS : WINDOWS_ITEMS - 1);
    long journals = in.uint();
    long earliestMs = earliest ? PeopleCodec.readOrNil(in) : TimeState.UNKNOWN;
    long latestMs = PeopleCodec.readOrNil(in);
    long unbounded = in.uint();
    long largestMs = PeopleCodec.readOrNil(in);
    int segments = in.array();
    List<TimeState.Segment> open = new ArrayList<>(segments);
    for (int i = 0; i < segments; i++) {
      in.array("segment", 3);
      open.add(new TimeState.Segment(in.uint(), in.uint(), PeopleCodec.readOrNil(in)));
    }
    return new TimeState.Windows(
        journals, earliestMs, latestMs, unbounded, largestMs, open, readSizes(in));
  }

  private static Map<Integer, Long> readSizes(CborReader in) throws MalformedException {
    int count = in.array();
    TreeMap<Integer, Long> windows = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      in.array("window", 2);
      int bucket = (int) in.uint("bucket", WindowSizes.BUCKETS - 1);
      if (!windows.isEmpty() && bucket <= windows.lastKey()) {
        throw new MalformedException("windows do not ascend at " + i);
      }
      windows.put(bucket, in.uint());
    }
    return windows;
  }
}
