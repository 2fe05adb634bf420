package io.tallystick.evidence;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import java.util.OptionalLong;

/// A member, as far as the journals that are shown tell.
///
/// @param since the journal that gave the role; a renewal of the same role does not change it
/// @param sinceMs the time of that journal
public record ShownMember(
    PublicKey key, Role role, Jsn since, long sinceMs, OptionalLong notAfterMs, boolean delegated) {
  boolean validAt(long timeMs) {
    return notAfterMs.isEmpty() || timeMs <= notAfterMs.getAsLong();
  }
}
