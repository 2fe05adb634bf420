package io.tallystick.client;

import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import java.util.concurrent.CompletableFuture;

/// The start of an append whose caller does not wait.
@FunctionalInterface
interface Starting<T> {
  CompletableFuture<T> begin() throws TallyException;

  /// @return also where the start fails otherwise than for want of the service
  /// @throws ServiceUnavailableException if the service cannot be reached
  static <T> CompletableFuture<T> of(Starting<T> start) throws ServiceUnavailableException {
    try {
      return start.begin();
    } catch (ServiceUnavailableException e) {
      throw e;
    } catch (TallyException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
