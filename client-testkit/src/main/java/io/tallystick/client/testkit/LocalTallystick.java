package io.tallystick.client.testkit;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.TallyException;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.StartFailedException;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A service in this process, on free ports of loopback, with its data in a temporary folder, and
/// one client of it. Closing it stops both and removes the folder.
public final class LocalTallystick implements AutoCloseable {
  private final Path home;
  private final RunningService service;
  private final ClientKey key;
  private final TallyClient client;

  private LocalTallystick(Path home, RunningService service) {
    this.home = home;
    this.service = service;
    this.key = ClientKey.generate();
    this.client = TallyClient.connect(ClientConfig.of(service.target(), home.resolve("trust")));
  }

  /// Returns when the service listens.
  ///
  /// @param settings further ones of `docs/configuration.md`, as `--tallystick.reads=open`
  /// @throws IllegalStateException if the service does not start; its cause says why
  public static LocalTallystick start(String... settings) {
    Path home = null;
    try {
      home = Files.createTempDirectory("tallystick-");
      return new LocalTallystick(home, service(home, settings));
    } catch (IOException | StartFailedException e) {
      remove(home);
      throw new IllegalStateException("Tallystick does not start: " + e.getMessage(), e);
    }
  }

  private static RunningService service(Path home, String... settings) throws StartFailedException {
    String[] all = new String[settings.length + 3];
    all[0] = "--tallystick.data-dir=" + home.resolve("data");
    all[1] = "--tallystick.port=0";
    all[2] = "--tallystick.http-port=0";
    System.arraycopy(settings, 0, all, 3, settings.length);
    return TallystickService.start(LocalNode::open, all);
  }

  /// Where it listens for gRPC, `127.0.0.1:PORT`: what `ClientConfig.of` and the property
  /// `tallystick.client.target` take.
  public String target() {
    return service.target();
  }

  /// Where its REST interface is, `http://127.0.0.1:PORT`.
  public String restTarget() {
    return service.httpTarget();
  }

  /// A client of it, with a trust directory of its own; closed with the service.
  public TallyClient client() {
    return client;
  }

  /// The owner of the ledgers that {@link #found} makes.
  public ClientKey key() {
    return key;
  }

  /// A new ledger, empty and with a state.
  public LedgerHandle found(String name) throws TallyException {
    return client.createLedger(name, List.of(key), LedgerOptions.DEFAULT.withState());
  }

  @Override
  public void close() {
    client.close();
    service.close();
    remove(home);
  }

  private static void remove(@Nullable Path folder) {
    if (folder == null) {
      return;
    }
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.delete(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path each, @Nullable IOException failure)
                throws IOException {
              Files.delete(each);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + folder, e);
    }
  }
}
