package io.tallystick.client.internal.read;

import io.tallystick.client.failure.StaleHeadException;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.head.HeadAge;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The newest block that a client has verified of one ledger, and how old it may be. Thread-safe.
public final class NewestSeal {
  private final InstantSource clock;
  private final @Nullable Duration ageMax;
  private final AtomicReference<Optional<VerifiedBlock>> newest =
      new AtomicReference<>(Optional.empty());

  /// @param ageMax null: any age
  public NewestSeal(InstantSource clock, @Nullable Duration ageMax) {
    this.clock = clock;
    this.ageMax = ageMax;
  }

  Optional<VerifiedBlock> block() {
    return newest.get();
  }

  void saw(VerifiedBlock block) {
    newest.updateAndGet(known ->
        known.isPresent() && known.get().height() >= block.height() ? known : Optional.of(block));
  }

  /// Whether the age of a head matters.
  boolean limited() {
    return ageMax != null;
  }

  /// Whether a newer head need not be asked for.
  boolean fresh() {
    return ageMax == null
        || newest.get().map(block -> block.age(clock).age().compareTo(ageMax) <= 0).orElse(false);
  }

  /// @param shown as the service's newest block
  /// @throws StaleHeadException if it is too old
  void check(VerifiedBlock shown) throws StaleHeadException {
    HeadAge age = shown.age(clock);
    if (ageMax != null && age.age().compareTo(ageMax) > 0) {
      throw new StaleHeadException(shown.head().size(), age, ageMax);
    }
  }
}
