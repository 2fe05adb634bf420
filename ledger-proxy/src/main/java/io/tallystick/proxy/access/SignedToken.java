package io.tallystick.proxy.access;

import io.tallystick.model.Digest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A token whose signature was verified. Its times are checked at every use.
///
/// @param signer kid of the key that signed
/// @param subject the claim `sub`; null if it has none
/// @param notBeforeMs 0 if it has no `nbf`
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
