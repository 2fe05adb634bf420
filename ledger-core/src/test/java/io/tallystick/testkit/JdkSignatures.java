package io.tallystick.testkit;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.random.RandomGenerator;

/// Signatures by the JDK alone, for the tests of this module: it cannot depend on `ledger-crypto`,
/// whose providers pin the exact accept set. Keys come from a seed.
public final class JdkSignatures implements Signatures {
  private final RandomGenerator random;

  public JdkSignatures(RandomGenerator random) {
    this.random = random;
  }

  @Override
  public String providerName() {
    return "JDK";
  }

  @Override
  public void checkKey(PublicKey key) {
    // The JDK refuses bad points when it verifies.
  }

  @Override
  public void verify(PublicKey key, byte[] message, byte[] signature)
      throws ProofRejectedException {
    try {
      KeyFactory factory = KeyFactory.getInstance(isEd(key) ? "Ed25519" : "EC");
      Signature verifier = Signature.getInstance(name(key));
      verifier.initVerify(factory.generatePublic(new X509EncodedKeySpec(key.spki().toArray())));
      verifier.update(message);
      if (!verifier.verify(signature)) {
        throw new ProofRejectedException(
            ProofRejectedException.Reason.BAD_SIGNATURE, "by key " + key.kid());
      }
    } catch (GeneralSecurityException e) {
      throw new ProofRejectedException(
          ProofRejectedException.Reason.BAD_SIGNATURE, String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public ExportableSigner generate(SignatureAlgorithm algorithm) {
    try {
      boolean ed = algorithm == SignatureAlgorithm.ED25519;
      KeyPairGenerator generator = KeyPairGenerator.getInstance(ed ? "Ed25519" : "EC");
      generator.initialize(
          ed ? NamedParameterSpec.ED25519 : new ECGenParameterSpec("secp256r1"), seeded());
      KeyPair pair = generator.generateKeyPair();
      return new JdkSigner(pair, PublicKey.ofSpki(Bytes.wrap(pair.getPublic().getEncoded())));
    } catch (GeneralSecurityException | MalformedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public ExportableSigner importPkcs8(byte[] pkcs8) throws MalformedException {
    throw new MalformedException("the JDK cannot derive the public key");
  }

  private SecureRandom seeded() {
    return new SecureRandom() {
      @Override
      public void nextBytes(byte[] bytes) {
        random.nextBytes(bytes);
      }
    };
  }

  private static boolean isEd(PublicKey key) {
    return key.algorithm() == SignatureAlgorithm.ED25519;
  }

  private static String name(PublicKey key) {
    return isEd(key) ? "Ed25519" : "SHA256withECDSAinP1363Format";
  }

  private record JdkSigner(KeyPair pair, PublicKey publicKey) implements ExportableSigner {
    @Override
    public byte[] sign(byte[] message) {
      try {
        Signature signer = Signature.getInstance(name(publicKey));
        signer.initSign(pair.getPrivate());
        signer.update(message);
        return signer.sign();
      } catch (GeneralSecurityException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public byte[] exportPkcs8() {
      return pair.getPrivate().getEncoded();
    }
  }
}
