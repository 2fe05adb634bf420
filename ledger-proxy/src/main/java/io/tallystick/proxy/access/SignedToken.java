package io.tallystick.proxy.access;

import io.tallystick.model.Digest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A token whose signature is its signer's. Whether it is in time is asked each time it is used.
///
/// @param signer kid of the key that signed
/// @param subject whom it speaks of; null if of nobody
/// @param notBeforeMs 0 if it does not say
record SignedToken(
    Digest signer,
    List<String> audience,
    @Nullable String subject,
    long notBeforeMs,
    long expiresMs) {
  SignedToken {
    audience = List.copyOf(audience);
  }
}
