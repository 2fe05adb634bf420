package io.tallystick.client.failure;

import io.tallystick.head.HeadAge;
import io.tallystick.model.TreeSize;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/// The newest head that the service shows is older than the client allows
/// (`ClientConfig.withMaxHeadAge`). It verifies, and nothing contradicts it: the service may
/// withhold what was appended since, or nothing was appended. A later try may find a newer one.
public final class StaleHeadException extends TallyException {
  private static final long serialVersionUID = 1;

  private final long size;
  private final Instant sealedAt;
  private final Duration age;
  private final Duration ageMax;

  /// @param size of the head
  /// @param head its age when it was read
  public StaleHeadException(TreeSize size, HeadAge head, Duration ageMax) {
    super(
        String.format(
            Locale.ROOT,
            "the newest head is too old: %s leaves, sealed %s; at most %s is allowed",
            size,
            head.text(),
            HeadAge.words(ageMax)));
    this.size = size.value();
    this.sealedAt = head.sealed();
    this.age = head.age();
    this.ageMax = ageMax;
  }

  /// The size of the head, in leaves.
  public TreeSize size() {
    return new TreeSize(size);
  }

  /// The time in the head's seal.
  public Instant sealedAt() {
    return sealedAt;
  }

  /// By the client's clock when the head was read.
  public Duration age() {
    return age;
  }

  /// The greatest age that is allowed.
  public Duration ageMax() {
    return ageMax;
  }
}
