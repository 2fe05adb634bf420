package io.tallystick.cli.operator;

import io.tallystick.cli.terminal.Refusals;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.operate.Operator;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;

/// Requests of the operator to the service that runs on a data directory.
final class AskedOperator {
  private AskedOperator() {}

  /// What is asked.
  interface Request<T> {
    T to(Operator operator) throws IOException, RequestRejectedException;
  }

  /// @throws ServiceUnavailableException if no service runs there
  static <T> T ask(Path data, Request<T> request) throws Exception {
    if (!Files.isDirectory(data)) {
      throw new NoSuchFileException(data.toString());
    }
    try {
      return request.to(new Operator(data));
    } catch (SocketException e) {
      throw new ServiceUnavailableException(
          String.format(
              Locale.ROOT,
              "no service takes the operator's requests in %s: %s",
              data,
              e.getMessage()),
          false,
          e);
    } catch (RequestRejectedException refusal) {
      throw Refusals.of(refusal);
    }
  }
}
