package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.api.ProblemTrailer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Bytes;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: every class that an application gets with the client is one for its runtime, which
/// `.ci/client21` makes Java 21. Method: each is loaded, linked and initialized, and the types in
/// its methods are resolved.
class ClassesLinkTest {
  @ParameterizedTest
  @ValueSource(
      classes = {Bytes.class, ProblemTrailer.class, SignatureProviders.class, TallyClient.class})
  void everyClassOfItsModule(Class<?> one) throws Exception {
    URI module = one.getProtectionDomain().getCodeSource().getLocation().toURI();
    List<String> names = names(Path.of(module));
    assertThat(names).contains(one.getName());
    for (String name : names) {
      assertThat(Class.forName(name).getDeclaredMethods()).as(name).isNotNull();
    }
  }

  private static List<String> names(Path module) throws IOException {
    if (Files.isDirectory(module)) {
      return namesBelow(module);
    }
    try (FileSystem jar = FileSystems.newFileSystem(module)) {
      return namesBelow(jar.getPath("/"));
    }
  }

  private static List<String> namesBelow(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .map(file -> root.relativize(file).toString())
          .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
          .map(file ->
              file.substring(0, file.length() - ".class".length()).replaceAll("[/\\\\]", "."))
          .toList();
    }
  }
}
