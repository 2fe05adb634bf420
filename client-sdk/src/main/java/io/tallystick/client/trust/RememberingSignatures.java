package io.tallystick.client.trust;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/// Verifies like what it wraps, and remembers what was good: all receipts of a block carry one
/// signature, so most of the hundreds that arrive together need no second verification. Only the
/// exact same key, message and signature count as the same. Thread-safe.
public final class RememberingSignatures implements Signatures {
  private static final int REMEMBERED_MAX = 256;

  private record Verified(PublicKey key, Bytes message, Bytes signature) {}

  private final Signatures signatures;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Verified, Boolean> good =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Verified, Boolean> eldest) {
          return size() > REMEMBERED_MAX;
        }
      };

  /// @param signatures asked about what is not remembered
  public RememberingSignatures(Signatures signatures) {
    this.signatures = signatures;
  }

  @Override
  public void verify(PublicKey key, byte[] message, byte[] signature)
      throws ProofRejectedException {
    Verified statement = new Verified(key, Bytes.copyOf(message), Bytes.copyOf(signature));
    if (!seen(statement)) {
      signatures.verify(key, message, signature);
      remember(statement);
    }
  }

  private boolean seen(Verified statement) {
    lock.lock();
    try {
      return good.containsKey(statement);
    } finally {
      lock.unlock();
    }
  }

  private void remember(Verified statement) {
    lock.lock();
    try {
      good.put(statement, true);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String providerName() {
    return signatures.providerName();
  }

  @Override
  public void checkKey(PublicKey key) throws ProofRejectedException {
    signatures.checkKey(key);
  }

  @Override
  public ExportableSigner generate(SignatureAlgorithm algorithm) {
    return signatures.generate(algorithm);
  }

  @Override
  public ExportableSigner importPkcs8(byte[] pkcs8) throws MalformedException {
    return signatures.importPkcs8(pkcs8);
  }
}
