package io.tallystick.crypto.provider;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;

/// Signatures by AWS-LC through the Amazon Corretto Crypto Provider. The provider object is passed
/// and never installed: its SHA-256 is half as fast as the JDK's.
///
/// AWS-LC computes S·B − h·A (h reduced modulo L) and compares its encoding with R: cofactorless.
final class AccpSignatures extends CheckedSignatures {
  static final String NAME = "ACCP";

  private final Provider provider;

  private AccpSignatures(Provider provider) {
    super(NAME);
    this.provider = provider;
  }

  /// @throws UnsupportedPlatformException if the native library does not load or fails its own
  ///   tests
  static AccpSignatures load() throws UnsupportedPlatformException {
    try {
      AmazonCorrettoCryptoProvider accp = AmazonCorrettoCryptoProvider.INSTANCE;
      accp.assertHealthy();
      return new AccpSignatures(accp);
    } catch (RuntimeException | LinkageError e) {
      throw new UnsupportedPlatformException(NAME + " does not load here: " + e.getMessage(), e);
    }
  }

  @Override
  Verifier verifier(PublicKey key) {
    java.security.PublicKey jcaKey = jcaKey(key);
    SignaturePool pool =
        new SignaturePool(() -> {
          Signature signature = newSignature(key.algorithm());
          signature.initVerify(jcaKey);
          return signature;
        });
    return (message, signature) -> {
      if (!isValid(pool, message, signature)) {
        throw AcceptSet.badSignature("the signature does not fit key and message");
      }
    };
  }

  private static boolean isValid(SignaturePool pool, byte[] message, byte[] signature) {
    try {
      return pool.with(jca -> {
        jca.update(message);
        return jca.verify(signature);
      });
    } catch (SignatureException e) {
      return false;
    } catch (GeneralSecurityException e) {
      throw new AssertionError("a checked key is refused", e);
    }
  }

  @Override
  ExportableSigner signer(SecretKey secret) {
    PrivateKey jcaKey = jcaKey(secret);
    SignaturePool pool =
        new SignaturePool(() -> {
          Signature signature = newSignature(secret.algorithm());
          signature.initSign(jcaKey);
          return signature;
        });
    return new KeySigner(
        secret,
        message -> {
          try {
            return pool.with(jca -> {
              jca.update(message);
              return jca.sign();
            });
          } catch (GeneralSecurityException e) {
            throw new AssertionError("a checked key does not sign", e);
          }
        });
  }

  private Signature newSignature(SignatureAlgorithm algorithm) throws GeneralSecurityException {
    String name =
        switch (algorithm) {
          case ED25519 -> "Ed25519";
          case ES256 -> "SHA256withECDSAinP1363Format";
        };
    return Signature.getInstance(name, provider);
  }

  private java.security.PublicKey jcaKey(PublicKey key) {
    byte[] spki = key.spki().toArray();
    return switch (key.algorithm()) {
      case ED25519 -> new EncodedKey.Public(spki);
      case ES256 -> {
        try {
          yield ecKeys().generatePublic(new X509EncodedKeySpec(spki));
        } catch (GeneralSecurityException e) {
          throw new AssertionError("a checked key is refused", e);
        }
      }
    };
  }

  private PrivateKey jcaKey(SecretKey secret) {
    byte[] pkcs8 = Pkcs8.encode(secret);
    return switch (secret.algorithm()) {
      case ED25519 -> new EncodedKey.Private(pkcs8);
      case ES256 -> {
        try {
          yield ecKeys().generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
        } catch (GeneralSecurityException e) {
          throw new AssertionError("a checked key is refused", e);
        }
      }
    };
  }

  private KeyFactory ecKeys() throws GeneralSecurityException {
    return KeyFactory.getInstance("EC", provider);
  }
}
