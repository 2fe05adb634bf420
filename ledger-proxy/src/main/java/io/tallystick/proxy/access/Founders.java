package io.tallystick.proxy.access;

import io.tallystick.crypto.Signatures;
import io.tallystick.master.FoundingRule;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Who may found a ledger here: anyone, no one, or the keys on the operator's list and those they
/// invited. Source: `docs/access.md`.
@FunctionalInterface
public interface Founders {
  /// The rule for a founding that came with this invitation.
  ///
  /// @param invitation a token as sent; null if there was none
  FoundingRule ruleFor(@Nullable String invitation);

  static Founders anyone() {
    return _ -> _ -> {};
  }

  static Founders noOne() {
    return _ ->
        _ -> {
          throw notAllowed("this service has no list of founders");
        };
  }

  /// @param authority what an invitation must be for
  /// @param timeMs the service's time, which never falls: an invitation expires by it
  /// @throws IOException if the list cannot be read; the message names file and line
  static Founders listedIn(Path file, Signatures signatures, String authority, LongSupplier timeMs)
      throws IOException {
    return ListedFounders.of(file, signatures, authority, timeMs);
  }

  /// `FOUNDING_NOT_ALLOWED`.
  static RequestRejectedException notAllowed(String detail) {
    return new RequestRejectedException(RejectionCode.FOUNDING_NOT_ALLOWED, detail);
  }
}
