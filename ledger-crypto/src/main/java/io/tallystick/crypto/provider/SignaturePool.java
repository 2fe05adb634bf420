package io.tallystick.crypto.provider;

import java.security.GeneralSecurityException;
import java.security.Signature;
import java.util.concurrent.ArrayBlockingQueue;

/// JCA signature objects initialised for one key. They are not thread-safe and cost more to
/// initialise than to use, so idle ones are kept; a burst makes more, which are then dropped.
final class SignaturePool {
  private static final int IDLE_MAX = 8;

  private final Source source;
  private final ArrayBlockingQueue<Signature> idle = new ArrayBlockingQueue<>(IDLE_MAX);

  SignaturePool(Source source) {
    this.source = source;
  }

  /// Makes an object initialised for signing or for verifying.
  interface Source {
    Signature make() throws GeneralSecurityException;
  }

  /// One use of a signature object.
  interface Use<T> {
    T apply(Signature signature) throws GeneralSecurityException;
  }

  /// An object that threw is not used again: its state is unknown.
  <T> T with(Use<T> use) throws GeneralSecurityException {
    Signature taken = idle.poll();
    Signature signature = taken != null ? taken : source.make();
    T result = use.apply(signature);
    idle.offer(signature);
    return result;
  }
}
