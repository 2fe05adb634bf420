package io.tallystick.server.host;

import io.tallystick.journal.Feature;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Founding;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.world.FeatureTable;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Founds ledgers on a shard, if they are this service's to found.
final class Foundings {
  private static final long FOUNDING_SECONDS_MAX = 30;

  /// All ledgers of a shard share one replay table: a ledger with a longer window could fill it for
  /// everybody else.
  static final long REQUEST_WINDOW_MS_MAX = 10 * 60_000L;

  private final Shard shard;
  private final ServiceIdentity identity;

  Foundings(Shard shard, ServiceIdentity identity) {
    this.shard = shard;
    this.identity = identity;
  }

  /// Waits until the genesis is sealed.
  ///
  /// @return whether the ledger was there before
  boolean found(Founding founding) throws RequestRejectedException {
    checkOurs(founding);
    return await(founding);
  }

  private void checkOurs(Founding founding) throws RequestRejectedException {
    var params = founding.params();
    boolean ours =
        params.authority().equals(identity.authority())
            && params.noteKey().equals(identity.noteKey())
            && params.receiptKey().equals(identity.receiptKey());
    if (!ours) {
      throw new RequestRejectedException(
          RejectionCode.WRONG_AUTHORITY,
          String.format(
              Locale.ROOT,
              "genesis names authority %s with keys %s and %s; this is %s with %s and %s",
              params.authority(),
              params.noteKey().kid(),
              params.receiptKey().kid(),
              identity.authority(),
              identity.noteKey().kid(),
              identity.receiptKey().kid()));
    }
    if (params.maxWindowMs() > REQUEST_WINDOW_MS_MAX) {
      throw new RequestRejectedException(
              RejectionCode.WINDOW_TOO_LONG,
              String.format(
                  Locale.ROOT,
                  "maxWindowMs %d, this service remembers signatures for at most %d",
                  params.maxWindowMs(),
                  REQUEST_WINDOW_MS_MAX))
          .withLimit(REQUEST_WINDOW_MS_MAX);
    }
    if (!FeatureTable.SUPPORTED.containsAll(params.features()) || params.strandCount() != 1) {
      throw new RequestRejectedException(
          RejectionCode.FEATURE_NOT_ENABLED,
          String.format(
              Locale.ROOT,
              "features %s and %d strands; this service has features %s and 1 strand",
              names(params.features()),
              params.strandCount(),
              names(FeatureTable.SUPPORTED)));
    }
  }

  private static List<String> names(Set<Feature> features) {
    return features.stream().map(Feature::name).toList();
  }

  private boolean await(Founding founding) throws RequestRejectedException {
    try {
      return shard.found(founding).get(FOUNDING_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RequestRejectedException refusal) {
        throw refusal;
      }
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "the shard stopped while founding", e);
    } catch (TimeoutException e) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "not founded within " + FOUNDING_SECONDS_MAX + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "interrupted", e);
    }
  }
}
