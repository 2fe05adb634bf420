package io.tallystick.crypto.provider.time;

import io.tallystick.model.Digest;
import io.tallystick.time.TimeTokens;
import io.tallystick.time.TokenRefusedException;
import io.tallystick.time.TokenRefusedException.Reason;
import java.math.BigInteger;
import java.text.ParseException;
import java.time.Instant;
import java.util.Arrays;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.tsp.Accuracy;
import org.bouncycastle.asn1.tsp.MessageImprint;
import org.bouncycastle.asn1.tsp.TSTInfo;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.Extensions;
import org.jspecify.annotations.Nullable;

/// The content of a TSTInfo. Source: RFC 3161 section 2.4.2.
record TokenStatement(
    MessageImprint imprint,
    Instant genTime,
    long accuracyMs,
    boolean accuracyStated,
    String policy,
    BigInteger serial,
    @Nullable BigInteger nonce) {
  private static final int VERSION = 1;
  private static final int MICROS_PER_MS = 1_000;
  private static final int FRACTION_MAX = 999;

  static TokenStatement of(TSTInfo info) throws TokenRefusedException {
    if (!info.getVersion().hasValue(VERSION)) {
      throw new TokenRefusedException(
          Reason.MALFORMED, "TSTInfo of version " + info.getVersion() + ", want 1");
    }
    Extensions extensions = info.getExtensions();
    if (extensions != null && extensions.getCriticalExtensionOIDs().length > 0) {
      throw new TokenRefusedException(
          Reason.MALFORMED,
          "TSTInfo with critical extension " + extensions.getCriticalExtensionOIDs()[0]);
    }
    Accuracy accuracy = info.getAccuracy();
    ASN1Integer nonce = info.getNonce();
    return new TokenStatement(
        info.getMessageImprint(),
        genTime(info),
        accuracyMs(accuracy),
        accuracy != null,
        info.getPolicy().getId(),
        info.getSerialNumber().getValue(),
        nonce == null ? null : nonce.getValue());
  }

  private static Instant genTime(TSTInfo info) throws TokenRefusedException {
    try {
      return info.getGenTime().getDate().toInstant();
    } catch (ParseException e) {
      throw new TokenRefusedException(Reason.MALFORMED, "genTime: " + e.getMessage(), e);
    }
  }

  /// An accuracy that is not stated is the worst that is allowed, not none: RFC 3161 leaves it to
  /// the policy, and genTime is to the second at least.
  private static long accuracyMs(@Nullable Accuracy accuracy) throws TokenRefusedException {
    if (accuracy == null) {
      return TimeTokens.ACCURACY_MS_MAX;
    }
    BigInteger seconds = value(accuracy.getSeconds());
    int millis = fraction(accuracy.getMillis());
    int micros = fraction(accuracy.getMicros());
    BigInteger sum =
        seconds
            .multiply(BigInteger.valueOf(1_000))
            .add(BigInteger.valueOf(millis + (micros + MICROS_PER_MS - 1L) / MICROS_PER_MS));
    if (seconds.signum() < 0) {
      throw new TokenRefusedException(Reason.MALFORMED, "accuracy of " + seconds + " s");
    }
    if (sum.compareTo(BigInteger.valueOf(TimeTokens.ACCURACY_MS_MAX)) > 0) {
      throw new TokenRefusedException(
          Reason.INACCURATE, "accuracy " + sum + " ms, at most " + TimeTokens.ACCURACY_MS_MAX);
    }
    return sum.longValueExact();
  }

  private static BigInteger value(@Nullable ASN1Integer integer) {
    return integer == null ? BigInteger.ZERO : integer.getValue();
  }

  private static int fraction(@Nullable ASN1Integer integer) throws TokenRefusedException {
    BigInteger value = value(integer);
    if (value.signum() < 0 || value.compareTo(BigInteger.valueOf(FRACTION_MAX)) > 0) {
      throw new TokenRefusedException(
          Reason.MALFORMED, "fraction of accuracy is " + value + ", at most " + FRACTION_MAX);
    }
    return value.intValueExact();
  }

  void requireImprint(Digest wanted) throws TokenRefusedException {
    AlgorithmIdentifier algorithm = imprint.getHashAlgorithm();
    ASN1Encodable parameters = algorithm.getParameters();
    if (!algorithm.getAlgorithm().equals(NISTObjectIdentifiers.id_sha256)
        || !(parameters == null || DERNull.INSTANCE.equals(parameters))) {
      throw new TokenRefusedException(
          Reason.WRONG_HASH, "imprint by " + algorithm.getAlgorithm() + ", want SHA-256");
    }
    byte[] stamped = imprint.getHashedMessage();
    if (!Arrays.equals(stamped, wanted.toArray())) {
      throw new TokenRefusedException(
          Reason.WRONG_IMPRINT, "stamps another hash than " + wanted.hex());
    }
  }
}
