package io.tallystick.journal;

import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Utf8;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The salted and domain-separated hashes of `docs/formats/request.md` and `ledger.md`.
public final class Commitments {
  private static final byte[] NAME = domain("name");
  private static final byte[] LEDGER = domain("ledger");
  private static final byte[] BODY = domain("body");
  private static final byte[] CLUE = domain("clue");
  private static final byte[] VALUE = domain("value");
  private static final byte[] VALUE_KEY = "value".getBytes(StandardCharsets.US_ASCII);

  // Looking the algorithm up costs as much as using it.
  private static final ThreadLocal<Mac> MAC = ThreadLocal.withInitial(Commitments::newMac);

  private Commitments() {}

  private static Mac newMac() {
    try {
      return Mac.getInstance("HmacSHA256");
    } catch (GeneralSecurityException e) {
      throw new AssertionError("every JDK has HMAC-SHA-256", e);
    }
  }

  /// The commitment to a ledger's name in genesis. Without the salt it tells nothing of the name.
  public static Digest name(Bytes salt, String name) {
    return Sha256.hash(NAME, salt(salt), Utf8.encode(name));
  }

  public static LedgerId ledgerId(Bytes genesisParams) {
    return new LedgerId(Sha256.hash(LEDGER, genesisParams.unsafeArray()));
  }

  public static Digest body(Bytes salt, Bytes body) {
    return Sha256.hash(BODY, salt(salt), body.unsafeArray());
  }

  /// As {@link #body(Bytes, Bytes)}, into 32 bytes of `target`, with the caller's hasher.
  static void body(MessageDigest hasher, Bytes salt, Bytes body, byte[] target) {
    hasher.update(BODY);
    salt.updateInto(hasher);
    body.updateInto(hasher);
    Sha256.finish(hasher, target, 0);
  }

  /// The same of a salt and the body right behind it, both in `array`: without an object for
  /// either.
  ///
  /// @param count of both, in bytes
  public static void body(
      MessageDigest hasher, byte[] array, int offset, int count, byte[] target) {
    hasher.update(BODY);
    hasher.update(array, offset, count);
    Sha256.finish(hasher, target, 0);
  }

  /// A hasher that has taken what stands before a body; the caller feeds the body and finishes it.
  static MessageDigest bodyHasher(Bytes salt) {
    MessageDigest hasher = Sha256.newDigest();
    hasher.update(BODY);
    hasher.update(salt(salt));
    return hasher;
  }

  /// The commitment of a grant to an X.509 chain, which is kept beside and can be erased:
  /// SHA-256(CBOR [DER…]).
  ///
  /// @param ders the certificates in DER, the member's first
  public static Digest certificates(List<Bytes> ders) {
    CborWriter out = new CborWriter(2048).array(ders.size());
    ders.forEach(out::bytes);
    return Sha256.hash(out.toArray());
  }

  /// Cannot be erased, and anyone can test a guess against it: a clue that names a person should be
  /// a pseudonym.
  public static Digest clueId(LedgerId ledger, String clue) {
    return Sha256.hash(CLUE, ledger.digest().toArray(), Utf8.encode(clue));
  }

  /// The same of a clue that stands as UTF-8 in `array`, into 32 bytes of `target`, with the
  /// caller's hasher.
  ///
  /// @param count of its bytes
  public static void clueId(
      MessageDigest hasher, LedgerId ledger, byte[] array, int offset, int count, byte[] target) {
    hasher.update(CLUE);
    hasher.update(ledger.digest().toArray());
    hasher.update(array, offset, count);
    Sha256.finish(hasher, target, 0);
  }

  /// The commitment to the value of operation `index`.
  public static Digest value(Bytes salt, int index, Bytes value) {
    return value(valueOpening(salt, index), value);
  }

  /// The opening of the commitment to operation `index`'s value: HMAC-SHA-256(salt, "value" ‖ u32
  /// index). The salt is stretched by the index, so that equal values of a request do not show, and
  /// one value can be shown without the salt.
  public static Digest valueOpening(Bytes salt, int index) {
    try {
      Mac mac = MAC.get();
      mac.init(new SecretKeySpec(salt(salt), "HmacSHA256"));
      mac.update(VALUE_KEY);
      mac.update(
          new byte[] {
            (byte) (index >>> 24), (byte) (index >>> 16), (byte) (index >>> 8), (byte) index
          });
      return Digest.of(mac.doFinal(), 0);
    } catch (InvalidKeyException e) {
      throw new AssertionError("HMAC takes a key of any bytes", e);
    }
  }

  /// The commitment to a value, given what {@link #valueOpening} makes.
  public static Digest value(Digest opening, Bytes value) {
    return Sha256.hash(VALUE, opening.toArray(), value.unsafeArray());
  }

  private static byte[] salt(Bytes salt) {
    if (salt.size() != Limits.SALT_BYTES) {
      throw new IllegalArgumentException("salt of " + salt.size() + " bytes, want 32");
    }
    return salt.unsafeArray();
  }

  private static byte[] domain(String name) {
    return ("tallystick/" + name + "/1\0").getBytes(StandardCharsets.US_ASCII);
  }
}
