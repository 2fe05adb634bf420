package io.tallystick.master.anchor;

import io.tallystick.time.TimeQuery;
import io.tallystick.time.TrustedAuthorities;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which time authorities are asked, and how.
///
/// @param urls in the order in which they are asked; the next only when one fails
/// @param trusted certificates that their tokens must lead to
/// @param policy asked for and demanded, an object identifier; null: the authority's own
/// @param timeout for a whole answer
public record AuthoritySettings(
    List<URI> urls, TrustedAuthorities trusted, @Nullable String policy, Duration timeout) {
  public AuthoritySettings {
    urls = List.copyOf(urls);
    if (urls.isEmpty()) {
      throw new IllegalArgumentException("no time authority");
    }
    if (policy != null) {
      TimeQuery.checkPolicy(policy);
    }
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("timeout of " + timeout);
    }
  }
}
