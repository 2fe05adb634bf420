package io.tallystick.server.world;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Rows of what was removed, in the meta store. Source: docs/formats/savepoint.md.
///
/// ```
/// "o" ‖ ledgerId ‖ jsn   → [1, [gap, length, gap, length…], doneMs | nil]   the journals whose bodies it erases
/// "w" ‖ ledgerId         → [1, [[kid, jsn, timeMs]…]]   since when regulators are
/// ```
public final class RemovalRows {
  public static final Bytes OCCULTS = Bytes.utf8("o");
  public static final Bytes REGULATORS = Bytes.utf8("w");
  private static final int VERSION = 1;
  private static final int REGULATORS_MAX = 1_000_000;

  private RemovalRows() {}

  public static Bytes occultPrefix(LedgerId id) {
    return keyOf(OCCULTS, id);
  }

  public static Bytes regulatorsKey(LedgerId id) {
    return keyOf(REGULATORS, id);
  }

  private static Bytes keyOf(Bytes kind, LedgerId id) {
    byte[] key = new byte[1 + Digest.BYTES];
    kind.copyInto(key, 0);
    id.digest().copyInto(key, 1);
    return Bytes.wrap(key);
  }

  public static Bytes occultKey(LedgerId id, long jsn) {
    ByteBuffer key = ByteBuffer.allocate(1 + Digest.BYTES + Long.BYTES);
    key.put(occultPrefix(id).toArray()).putLong(jsn);
    return Bytes.wrap(key.array());
  }

  /// The jsn at the end of the key of an occult's row.
  public static long jsnOf(Bytes key) throws MalformedException {
    if (key.size() != 1 + Digest.BYTES + Long.BYTES) {
      throw new MalformedException("key of an occult of " + key.size() + " bytes");
    }
    return ByteBuffer.wrap(key.toArray()).getLong(1 + Digest.BYTES);
  }

  /// Of an occult of which not all is erased.
  public static Bytes encode(Occult occult) {
    return begin(occult).nil().toBytes();
  }

  /// Of an occult of which all is erased.
  public static Bytes encodeDone(Occult occult, long doneMs) {
    return begin(occult).uint(doneMs).toBytes();
  }

  private static CborWriter begin(Occult occult) {
    CborWriter out = new CborWriter();
    out.array(3).uint(VERSION);
    occult.journals().encodeInto(out);
    return out;
  }

  /// When all that an occult names was erased and forced; empty while it is not.
  public static OptionalLong decodeDone(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("occult row", 3);
    version(in);
    var _ = JsnSet.decode(in);
    return done(in);
  }

  private static OptionalLong done(CborReader in) throws MalformedException {
    return in.nil() ? OptionalLong.empty() : OptionalLong.of(in.uint());
  }

  public static Occult decodeOccult(Bytes key, Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("occult row", 3);
    version(in);
    JsnSet journals = JsnSet.decode(in);
    var _ = done(in);
    in.end();
    long jsn = jsnOf(key);
    if (journals.isEmpty() || journals.last() >= jsn) {
      throw new MalformedException("occult row at %d of %s".formatted(jsn, journals));
    }
    return new Occult(jsn, journals);
  }

  public static Bytes encodeRegulators(Removals removals) {
    CborWriter out = new CborWriter();
    out.array(2).uint(VERSION).array(removals.regulators().size());
    for (RegulatorStart start : removals.regulators()) {
      out.array(3).digest(start.kid()).uint(start.jsn()).uint(start.timeMs());
    }
    return out.toBytes();
  }

  static List<RegulatorStart> decodeRegulators(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("regulators row", 2);
    version(in);
    int count = in.arrayAtMost("regulators", REGULATORS_MAX);
    List<RegulatorStart> starts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      in.array("regulator", 3);
      starts.add(new RegulatorStart(in.digest(), in.uint(), in.uint()));
    }
    in.end();
    return starts;
  }

  /// @param occults ascending
  /// @param regulators null if the ledger never had one
  public static Removals removals(List<Occult> occults, @Nullable Bytes regulators)
      throws MalformedException {
    if (occults.isEmpty() && regulators == null) {
      return Removals.NONE;
    }
    return Removals.of(occults, regulators == null ? List.of() : decodeRegulators(regulators));
  }

  private static void version(CborReader in) throws MalformedException {
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("row version " + version + ", want " + VERSION);
    }
  }
}
