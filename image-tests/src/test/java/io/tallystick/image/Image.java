package io.tallystick.image;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.testcontainers.DockerClientFactory;
import org.yaml.snakeyaml.Yaml;

/// The image that `image/build` has made, in the engine.
final class Image {
  private static final Duration COMMAND = Duration.ofMinutes(1);

  private Image() {}

  /// Loads it from its archive, so that no other image of its name is tried.
  ///
  /// @return its name
  static String load() throws IOException {
    String name = System.getProperty("tallystick.image");
    Path archive = Path.of(System.getProperty("tallystick.image.archive"));
    if (!Files.exists(archive)) {
      throw new IOException(archive + " is missing: image/build makes it");
    }
    DockerClient engine = DockerClientFactory.instance().client();
    try (InputStream in = Files.newInputStream(archive)) {
      engine.loadImageCmd(in).exec();
    }
    try {
      engine.inspectImageCmd(name).exec();
    } catch (NotFoundException e) {
      throw new IOException(archive + " holds no image " + name, e);
    }
    return name;
  }

  /// A fresh pair of the service's keys, as `tally keys --secret` prints it: file names and PEM.
  static Map<String, String> newKeys(String image) throws Exception {
    try (Locked container = Locked.down(image).withCommand("keys", "--secret", "tallystick-keys")) {
      container.start();
      if (container.awaitExit(COMMAND) != 0) {
        throw new AssertionError("no keys: " + container.errors());
      }
      return new Fields("Secret", new Yaml().load(container.output())).textsByName("stringData");
    }
  }
}
