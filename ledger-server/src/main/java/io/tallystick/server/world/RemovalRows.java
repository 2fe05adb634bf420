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
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Rows of what was removed, in the meta store. Source: docs/formats/savepoint.md.
///
/// ```
/// "o" ‖ ledgerId ‖ jsn   → [1, [gap, length, gap, length…]]   the journals whose bodies it erases
/// "z" ‖ ledgerId ‖ jsn   → [1, doneMs]   all that the removal names is erased
/// "y" ‖ ledgerId         → [1, [[jsn, firstKept, height, snapshot digest, timeMs, recallMs]…]]   purges not recalled
/// "w" ‖ ledgerId         → [2, [[kid, jsn, timeMs, coveredMs or nil]…]]   since when regulators are
/// ```
public final class RemovalRows {
  public static final Bytes OCCULTS = Bytes.utf8("o");
  public static final Bytes DONE = Bytes.utf8("z");
  public static final Bytes PURGES = Bytes.utf8("y");
  public static final Bytes REGULATORS = Bytes.utf8("w");
  private static final int VERSION = 1;
  private static final int REGULATORS_VERSION = 2;
  private static final int PURGES_MAX = 1_000_000;
  private static final int REGULATORS_MAX = 1_000_000;

  private RemovalRows() {}

  public static Bytes occultPrefix(LedgerId id) {
    return keyOf(OCCULTS, id);
  }

  public static Bytes regulatorsKey(LedgerId id) {
    return keyOf(REGULATORS, id);
  }

  public static Bytes purgesKey(LedgerId id) {
    return keyOf(PURGES, id);
  }

  private static Bytes keyOf(Bytes kind, LedgerId id) {
    byte[] key = new byte[1 + Digest.BYTES];
    kind.copyInto(key, 0);
    id.digest().copyInto(key, 1);
    return Bytes.wrap(key);
  }

  public static Bytes occultKey(LedgerId id, long jsn) {
    return keyOf(OCCULTS, id, jsn);
  }

  /// The key of the row that says that all that a removal names is erased.
  public static Bytes doneKey(LedgerId id, long jsn) {
    return keyOf(DONE, id, jsn);
  }

  private static Bytes keyOf(Bytes kind, LedgerId id, long jsn) {
    ByteBuffer key = ByteBuffer.allocate(1 + Digest.BYTES + Long.BYTES);
    key.put(keyOf(kind, id).toArray()).putLong(jsn);
    return Bytes.wrap(key.array());
  }

  /// The jsn at the end of the key of an occult's row.
  public static long jsnOf(Bytes key) throws MalformedException {
    if (key.size() != 1 + Digest.BYTES + Long.BYTES) {
      throw new MalformedException("key of an occult of " + key.size() + " bytes");
    }
    return ByteBuffer.wrap(key.toArray()).getLong(1 + Digest.BYTES);
  }

  public static Bytes encode(Occult occult) {
    CborWriter out = new CborWriter();
    out.array(2).uint(VERSION);
    occult.journals().encodeInto(out);
    return out.toBytes();
  }

  public static Bytes encodeDone(long doneMs) {
    return new CborWriter().array(2).uint(VERSION).uint(doneMs).toBytes();
  }

  /// When all that a removal names was erased and forced.
  public static long decodeDone(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("done row", 2);
    version(in);
    long doneMs = in.uint();
    in.end();
    return doneMs;
  }

  public static Occult decodeOccult(Bytes key, Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("occult row", 2);
    version(in);
    JsnSet journals = JsnSet.decode(in);
    in.end();
    long jsn = jsnOf(key);
    if (journals.isEmpty() || journals.last() >= jsn) {
      throw new MalformedException(
          String.format(Locale.ROOT, "occult row at %d of %s", jsn, journals));
    }
    return new Occult(jsn, journals);
  }

  public static Bytes encodeRegulators(Removals removals) {
    CborWriter out = new CborWriter();
    out.array(2).uint(REGULATORS_VERSION).array(removals.regulators().size());
    for (RegulatorStart start : removals.regulators()) {
      out.array(4).digest(start.kid()).uint(start.jsn()).uint(start.timeMs());
      if (start.coveredMs().isPresent()) {
        out.uint(start.coveredMs().getAsLong());
      } else {
        out.nil();
      }
    }
    return out.toBytes();
  }

  /// Decodes regulators. A row of version 1 knows of no time journal that covers a regulator: the
  /// next one does.
  static List<RegulatorStart> decodeRegulators(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("regulators row", 2);
    long version = in.uint();
    if (version != VERSION && version != REGULATORS_VERSION) {
      throw new MalformedException("row version " + version + ", want 1 or 2");
    }
    int count = in.arrayAtMost("regulators", REGULATORS_MAX);
    List<RegulatorStart> starts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      in.array("regulator", version == VERSION ? 3 : 4);
      Digest kid = in.digest();
      long jsn = in.uint();
      long timeMs = in.uint();
      OptionalLong coveredMs =
          version == VERSION || in.nil() ? OptionalLong.empty() : OptionalLong.of(in.uint());
      starts.add(new RegulatorStart(kid, jsn, timeMs, coveredMs));
    }
    in.end();
    return starts;
  }

  public static Bytes encodePurges(Removals removals) {
    CborWriter out = new CborWriter();
    out.array(2).uint(VERSION).array(removals.purges().size());
    for (Purge purge : removals.purges()) {
      out.array(6).uint(purge.jsn()).uint(purge.firstKept()).uint(purge.height());
      out.digest(purge.snapshot()).uint(purge.timeMs()).uint(purge.recallMs());
    }
    return out.toBytes();
  }

  public static List<Purge> decodePurges(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("purges row", 2);
    version(in);
    int count = in.arrayAtMost("purges", PURGES_MAX);
    List<Purge> purges = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      in.array("purge", 6);
      purges.add(new Purge(in.uint(), in.uint(), in.uint(), in.digest(), in.uint(), in.uint()));
    }
    in.end();
    return purges;
  }

  /// @param occults ascending
  /// @param purges null if the ledger never had one
  /// @param regulators null if the ledger never had one
  public static Removals removals(
      List<Occult> occults, @Nullable Bytes purges, @Nullable Bytes regulators)
      throws MalformedException {
    if (occults.isEmpty() && purges == null && regulators == null) {
      return Removals.NONE;
    }
    return Removals.of(
        occults,
        purges == null ? List.of() : decodePurges(purges),
        regulators == null ? List.of() : decodeRegulators(regulators));
  }

  private static void version(CborReader in) throws MalformedException {
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("row version " + version + ", want " + VERSION);
    }
  }
}
