package io.tallystick.testkit;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.Signatures.ExportableSigner;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.bouncycastle.asn1.x9.ECNamedCurveTable;
import org.bouncycastle.asn1.x9.X9ECParameters;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.digests.SHA512Digest;
import org.bouncycastle.crypto.params.ECDomainParameters;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.crypto.signers.Ed25519Signer;
import org.bouncycastle.crypto.signers.HMacDSAKCalculator;

/// A private key made from a name, for tests only: the same name is the same key, and the same
/// message the same signature, also with ES256 (RFC 6979).
public final class SeededSigner implements ExportableSigner {
  private static final String ED25519_PKCS8 = "302e020100300506032b657004220420";
  private static final String P256_PKCS8_HEAD =
      "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420";
  private static final String P256_PKCS8_MIDDLE = "a144034200";
  private static final String P256_SPKI_HEAD =
      "3059301306072a8648ce3d020106082a8648ce3d030107034200";
  private static final ECDomainParameters P256 = p256();
  private static final BigInteger ED25519_ORDER =
      BigInteger.ONE.shiftLeft(252).add(new BigInteger("27742317777372353535851937790883648493"));

  private final byte[] seed;
  private final PublicKey publicKey;

  private SeededSigner(byte[] seed, PublicKey publicKey) {
    this.seed = seed;
    this.publicKey = publicKey;
  }

  public static SeededSigner ed25519(String name) {
    byte[] seed = seed(name);
    byte[] raw = new Ed25519PrivateKeyParameters(seed).generatePublicKey().getEncoded();
    return new SeededSigner(seed, key(PublicKey.ed25519Spki(raw)));
  }

  public static SeededSigner es256(String name) {
    byte[] seed = seed(name);
    byte[] point = P256.getG().multiply(new BigInteger(1, seed)).normalize().getEncoded(false);
    return new SeededSigner(
        seed, key(Bytes.fromHex(P256_SPKI_HEAD + HexFormat.of().formatHex(point))));
  }

  @Override
  public PublicKey publicKey() {
    return publicKey;
  }

  @Override
  public byte[] sign(byte[] message) {
    return switch (publicKey.algorithm()) {
      case ED25519 -> signEd25519(message);
      case ES256 -> signEs256(message);
    };
  }

  private byte[] signEd25519(byte[] message) {
    Ed25519Signer signer = new Ed25519Signer();
    signer.init(true, new Ed25519PrivateKeyParameters(seed));
    signer.update(message, 0, message.length);
    return signer.generateSignature();
  }

  /// An Ed25519 signature that only the holder of the key can make and no verifier accepts: the
  /// equation holds, and R is the neutral element.
  public byte[] signWithoutNonce(byte[] message) {
    byte[] signature = new byte[64];
    signature[0] = 1;
    byte[] secret = Arrays.copyOf(sha512(seed), 32);
    secret[0] &= (byte) 0xf8;
    secret[31] = (byte) ((secret[31] & 0x3f) | 0x40);
    byte[] nonce = Arrays.copyOf(signature, 32);
    BigInteger challenge = littleEndian(sha512(nonce, publicKey.raw(), message));
    byte[] s = challenge.multiply(littleEndian(secret)).mod(ED25519_ORDER).toByteArray();
    for (int i = 0; i < s.length; i++) {
      signature[32 + i] = s[s.length - 1 - i];
    }
    return signature;
  }

  private static byte[] sha512(byte[]... parts) {
    SHA512Digest digest = new SHA512Digest();
    for (byte[] part : parts) {
      digest.update(part, 0, part.length);
    }
    byte[] hash = new byte[64];
    digest.doFinal(hash, 0);
    return hash;
  }

  private static BigInteger littleEndian(byte[] bytes) {
    byte[] reversed = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      reversed[i] = bytes[bytes.length - 1 - i];
    }
    return new BigInteger(1, reversed);
  }

  private byte[] signEs256(byte[] message) {
    ECDSASigner signer = new ECDSASigner(new HMacDSAKCalculator(new SHA256Digest()));
    signer.init(true, new ECPrivateKeyParameters(new BigInteger(1, seed), P256));
    BigInteger[] pair = signer.generateSignature(Sha256.hash(message).toArray());
    return join(pair[0], pair[1]);
  }

  /// The other valid ES256 signature of the same message, r ‖ n − s: what anyone can make of it.
  public static byte[] flipped(byte[] es256Signature) {
    BigInteger r = new BigInteger(1, Arrays.copyOf(es256Signature, 32));
    BigInteger s = new BigInteger(1, Arrays.copyOfRange(es256Signature, 32, 64));
    return join(r, P256.getN().subtract(s));
  }

  @Override
  public byte[] exportPkcs8() {
    String secret = HexFormat.of().formatHex(seed);
    String encoded =
        switch (publicKey.algorithm()) {
          case ED25519 -> ED25519_PKCS8 + secret;
          case ES256 ->
              P256_PKCS8_HEAD
                  + secret
                  + P256_PKCS8_MIDDLE
                  + HexFormat.of().formatHex(publicKey.raw());
        };
    return HexFormat.of().parseHex(encoded);
  }

  private static byte[] join(BigInteger r, BigInteger s) {
    byte[] signature = new byte[64];
    copyUnsigned(r, signature, 32);
    copyUnsigned(s, signature, 64);
    return signature;
  }

  private static void copyUnsigned(BigInteger value, byte[] target, int end) {
    byte[] bytes = value.toByteArray();
    int count = Math.min(bytes.length, 32);
    System.arraycopy(bytes, bytes.length - count, target, end - count, count);
  }

  private static byte[] seed(String name) {
    // Below the order of P-256 but with a chance of 2⁻³².
    return Sha256.hash(("tallystick test key " + name).getBytes(StandardCharsets.UTF_8)).toArray();
  }

  private static PublicKey key(Bytes spki) {
    try {
      return PublicKey.ofSpki(spki);
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private static ECDomainParameters p256() {
    X9ECParameters curve = ECNamedCurveTable.getByName("P-256");
    return new ECDomainParameters(curve.getCurve(), curve.getG(), curve.getN(), curve.getH());
  }
}
