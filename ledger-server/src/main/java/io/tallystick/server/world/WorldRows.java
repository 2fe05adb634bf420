package io.tallystick.server.world;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import io.tallystick.node.LedgerName;
import io.tallystick.node.Member;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;

/// Rows of world state in the meta store. Source: docs/formats/savepoint.md.
///
/// ```
/// "l" ‖ ledgerId         → [1, GenesisParams bstr, nameSalt, name]
/// "m" ‖ ledgerId ‖ kid   → [1, role, SPKI, addedJsn, revokedJsn | nil]
/// "f" ‖ ledgerId         → [1, {feature => first height}]
/// ```
public final class WorldRows {
  public static final Bytes LEDGERS = Bytes.utf8("l");
  public static final Bytes MEMBERS = Bytes.utf8("m");
  public static final Bytes FEATURES = Bytes.utf8("f");
  private static final int VERSION = 1;
  private static final int NAME_BYTES_MAX = 1024;

  private WorldRows() {}

  public static Bytes ledgerKey(LedgerId id) {
    return key('l', id);
  }

  public static Bytes featuresKey(LedgerId id) {
    return key('f', id);
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

  public static Bytes encode(LedgerState ledger) {
    return new CborWriter()
        .array(4)
        .uint(VERSION)
        .bytes(ledger.paramsBytes())
        .digest(ledger.name().salt())
        .bytes(ledger.name().name().getBytes(StandardCharsets.UTF_8))
        .toBytes();
  }

  public static LedgerState decodeLedger(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("ledger row", 4);
    version(in);
    Bytes paramsBytes = Bytes.wrap(in.bytes());
    Digest salt = in.digest();
    String name = name(Bytes.wrap(in.bytes("name", NAME_BYTES_MAX)));
    in.end();
    GenesisParams params = GenesisParams.decode(paramsBytes);
    return new LedgerState(params.ledgerId(), paramsBytes, params, new LedgerName(salt, name));
  }

  private static String name(Bytes utf8) throws MalformedException {
    String name = new String(utf8.unsafeArray(), StandardCharsets.UTF_8);
    if (!Bytes.utf8(name).equals(utf8)) {
      throw new MalformedException("name is not UTF-8");
    }
    return name;
  }

  public static Bytes encode(Member member) {
    CborWriter out = new CborWriter();
    out.array(5).uint(VERSION).uint(member.role().code()).bytes(member.key().spki());
    out.uint(member.addedJsn());
    if (member.revokedJsn() == Member.NEVER) {
      out.nil();
    } else {
      out.uint(member.revokedJsn());
    }
    return out.toBytes();
  }

  public static Member decodeMember(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("member row", 5);
    version(in);
    long code = in.uint();
    Role role =
        Role.ofCode(code).orElseThrow(() -> new MalformedException("role " + code + " is unknown"));
    PublicKey key = PublicKey.ofSpki(Bytes.wrap(in.bytes()));
    long added = in.uint();
    long revoked = in.nil() ? Member.NEVER : in.uint("revokedJsn", Member.NEVER - 1);
    in.end();
    return new Member(key, role, added, revoked);
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
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("row version " + version + ", want " + VERSION);
    }
  }
}
