package io.tallystick.server.world;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.PublicKey;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import io.tallystick.model.TreeSize;
import io.tallystick.model.Utf8;
import io.tallystick.node.LedgerName;
import io.tallystick.node.Member;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Rows of world state in the meta store. Source: docs/formats/savepoint.md.
///
/// ```
/// "l" ‖ ledgerId         → [1, GenesisParams bstr, nameSalt, name]
/// "m" ‖ ledgerId ‖ kid   → [1, role, SPKI, addedJsn, revokedJsn | nil]
///                        | [2, role, SPKI, addedJsn, revokedJsn | nil, grantedJsn, notAfterMs | nil,
///                           delegated, certDigest | nil, replacedBy | nil]
/// "f" ‖ ledgerId         → [1, {feature => first height}]
/// "e" ‖ ledgerId         → [1, closedJsn]
/// "t" ‖ ledgerId         → [1, jsn, size]
/// "k" ‖ ledgerId         → [1, rotatedMs, [[above, note SPKI, receipt SPKI]…]]
/// ```
public final class WorldRows {
  public static final Bytes LEDGERS = Bytes.utf8("l");
  public static final Bytes MEMBERS = Bytes.utf8("m");
  public static final Bytes FEATURES = Bytes.utf8("f");
  public static final Bytes CLOSINGS = Bytes.utf8("e");
  public static final Bytes TIMES = Bytes.utf8("t");
  public static final Bytes ROTATIONS = Bytes.utf8("k");
  private static final int VERSION = 1;
  private static final int GRANTED_VERSION = 2;
  private static final int ADDED_ITEMS = 5;
  private static final int GRANTED_ITEMS = 10;
  private static final int NAME_BYTES_MAX = 1024;
  private static final int ROTATIONS_MAX = 100_000;

  /// Genesis and its seal.
  private static final int SIZE_MIN = 2;

  private WorldRows() {}

  public static Bytes ledgerKey(LedgerId id) {
    return key('l', id);
  }

  /// The ledger that a row of {@link #LEDGERS} is of.
  public static LedgerId ledgerOf(Bytes key) {
    return new LedgerId(Digest.of(key.toArray(), 1));
  }

  public static Bytes featuresKey(LedgerId id) {
    return key('f', id);
  }

  public static Bytes closingKey(LedgerId id) {
    return key('e', id);
  }

  public static Bytes timeKey(LedgerId id) {
    return key('t', id);
  }

  public static Bytes rotationsKey(LedgerId id) {
    return key('k', id);
  }

  private static Bytes key(char kind, LedgerId id) {
    byte[] key = new byte[1 + Digest.BYTES];
    key[0] = (byte) kind;
    id.digest().copyInto(key, 1);
    return Bytes.wrap(key);
  }

  public static Bytes memberPrefix(LedgerId id) {
    return key('m', id);
  }

  /// The {@link #memberPrefix} of a member's key.
  public static Bytes prefixOfMember(Bytes key) throws MalformedException {
    if (key.size() != 1 + 2 * Digest.BYTES) {
      throw new MalformedException("member key of " + key.size() + " bytes");
    }
    return key.slice(0, 1 + Digest.BYTES);
  }

  public static Bytes memberKey(LedgerId id, Digest kid) {
    byte[] key = new byte[1 + 2 * Digest.BYTES];
    memberPrefix(id).copyInto(key, 0);
    kid.copyInto(key, 1 + Digest.BYTES);
    return Bytes.wrap(key);
  }

  public static Bytes encode(LedgerGenesis ledger) {
    return new CborWriter()
        .array(4)
        .uint(VERSION)
        .bytes(ledger.paramsBytes())
        .digest(ledger.name().salt())
        .bytes(Utf8.encode(ledger.name().name()))
        .toBytes();
  }

  public static LedgerGenesis decodeLedger(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("ledger row", 4);
    version(in);
    Bytes paramsBytes = Bytes.wrap(in.bytes());
    Digest salt = in.digest();
    String name = name(Bytes.wrap(in.bytes("name", NAME_BYTES_MAX)));
    in.end();
    GenesisParams params = GenesisParams.decode(paramsBytes);
    return new LedgerGenesis(params.ledgerId(), paramsBytes, params, new LedgerName(salt, name));
  }

  private static String name(Bytes utf8) throws MalformedException {
    String name = new String(utf8.unsafeArray(), StandardCharsets.UTF_8);
    if (!Bytes.utf8(name).equals(utf8)) {
      throw new MalformedException("name is not UTF-8");
    }
    return name;
  }

  /// Version 1 of a member that it can say all about, else version 2.
  public static Bytes encode(Member member) {
    CborWriter out = new CborWriter();
    boolean added = isAsAdded(member);
    out.array(added ? ADDED_ITEMS : GRANTED_ITEMS).uint(added ? VERSION : GRANTED_VERSION);
    out.uint(member.role().code()).bytes(member.key().spki()).uint(member.addedJsn());
    uintOrNil(out, member.revokedJsn());
    if (!added) {
      Member.Terms terms = member.terms();
      uintOrNil(out.uint(member.grantedJsn()), terms.notAfterMs());
      out.bool(terms.delegated());
      terms.certDigest().ifPresentOrElse(out::digest, out::nil);
      member.replacedBy().ifPresentOrElse(out::digest, out::nil);
    }
    return out.toBytes();
  }

  private static boolean isAsAdded(Member member) {
    return member.grantedJsn() == member.addedJsn()
        && member.terms().equals(Member.Terms.NONE)
        && member.replacedBy().isEmpty();
  }

  private static void uintOrNil(CborWriter out, long value) {
    if (value == Member.NEVER) {
      out.nil();
    } else {
      out.uint(value);
    }
  }

  public static Member decodeMember(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    int items = in.array();
    long version = in.uint();
    if (items != ADDED_ITEMS && items != GRANTED_ITEMS) {
      throw new MalformedException("member row of " + items + " items");
    }
    checkVersion(version, items == ADDED_ITEMS ? VERSION : GRANTED_VERSION);
    long code = in.uint();
    Role role =
        Role.ofCode(code).orElseThrow(() -> new MalformedException("role " + code + " is unknown"));
    PublicKey key = PublicKey.ofSpki(Bytes.wrap(in.bytes()));
    long added = in.uint();
    long revoked = neverIfNil(in, "revokedJsn");
    Member member =
        items == ADDED_ITEMS
            ? new Member(key, role, added, revoked)
            : new Member(
                key,
                role,
                added,
                in.uint(),
                new Member.Terms(neverIfNil(in, "notAfterMs"), in.bool(), optionalDigest(in)),
                revoked,
                optionalDigest(in));
    in.end();
    if (items == GRANTED_ITEMS && isAsAdded(member)) {
      throw new MalformedException("member row of version 2 says no more than version 1 could");
    }
    return member;
  }

  private static long neverIfNil(CborReader in, String name) throws MalformedException {
    return in.nil() ? Member.NEVER : in.uint(name, Member.NEVER - 1);
  }

  private static Optional<Digest> optionalDigest(CborReader in) throws MalformedException {
    return in.nil() ? Optional.empty() : Optional.of(in.digest());
  }

  public static Bytes encodeClosing(long closedJsn) {
    return new CborWriter().array(2).uint(VERSION).uint(closedJsn).toBytes();
  }

  /// @return the jsn of the journal that closed the ledger
  public static long decodeClosing(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("closing row", 2);
    version(in);
    long closedJsn = in.uint("closedJsn", Governance.OPEN - 1);
    in.end();
    return closedJsn;
  }

  public static Bytes encode(NewestTime time) {
    return new CborWriter().array(3).uint(VERSION).uint(time.jsn()).uint(time.size()).toBytes();
  }

  public static NewestTime decodeTime(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("time row", 3);
    version(in);
    NewestTime time = new NewestTime(in.uint(), in.uint());
    in.end();
    if (time.size() < SIZE_MIN || time.size() > time.jsn()) {
      throw new MalformedException(
          String.format(
              Locale.ROOT, "time row of a journal at %d about size %d", time.jsn(), time.size()));
    }
    return time;
  }

  /// The row of a ledger whose service keys were rotated.
  public static Bytes encode(ServiceTerms service) {
    CborWriter out = new CborWriter();
    out.array(3).uint(VERSION).uint(service.rotatedMs()).array(service.rotations().size());
    for (ServiceKeys.Term term : service.rotations()) {
      out.array(3).uint(term.above().value());
      out.bytes(term.noteKey().spki()).bytes(term.receiptKey().spki());
    }
    return out.toBytes();
  }

  public static ServiceTerms decodeRotations(Bytes row, GenesisParams genesis)
      throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("rotations row", 3);
    version(in);
    long rotatedMs = in.uint();
    int count = in.arrayAtMost("rotations", ROTATIONS_MAX);
    List<ServiceKeys.Term> terms = new ArrayList<>(ServiceTerms.ofGenesis(genesis).keys().terms());
    try {
      for (int i = 0; i < count; i++) {
        in.array("rotation", 3);
        terms.add(new ServiceKeys.Term(new TreeSize(in.uint()), spki(in), spki(in)));
      }
      in.end();
      if (count == 0) {
        throw new MalformedException("rotations row without a rotation");
      }
      return new ServiceTerms(new ServiceKeys(genesis.authority(), terms), rotatedMs);
    } catch (IllegalArgumentException e) {
      throw new MalformedException("rotations row: " + e.getMessage(), e);
    }
  }

  private static PublicKey spki(CborReader in) throws MalformedException {
    return PublicKey.ofSpki(Bytes.wrap(in.bytes()));
  }

  public static Bytes encode(FeatureTable features) {
    CborWriter out = new CborWriter();
    out.array(2).uint(VERSION).map(features.firstHeights().size());
    features.firstHeights().forEach((feature, first) -> out.uint(feature.code()).uint(first));
    return out.toBytes();
  }

  public static FeatureTable decodeFeatures(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("features row", 2);
    version(in);
    Map<Feature, Long> firstHeights = new EnumMap<>(Feature.class);
    int pairs = in.map();
    for (int i = 0; i < pairs; i++) {
      firstHeights.put(Feature.ofCode(in.uint()), in.uint());
    }
    in.end();
    return FeatureTable.of(firstHeights);
  }

  private static void version(CborReader in) throws MalformedException {
    checkVersion(in.uint(), VERSION);
  }

  private static void checkVersion(long version, int want) throws MalformedException {
    if (version != want) {
      throw new MalformedException("row version " + version + ", want " + want);
    }
  }
}
