package io.tallystick.cli.demo;

import io.tallystick.cli.process.TemporaryFolder;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Tells the whole story on real files.
@Command(
    name = "demo",
    description = {
      "Notarise, verify and audit a folder's files, then show that an audit finds a "
          + "changed byte.",
      "The folder may hold at most 100,000 files. The demo writes into a temporary folder "
          + "only."
    },
    mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();

  @Parameters(
      arity = "0..1",
      paramLabel = "DIR",
      defaultValue = "${env:TALLY_ROOT:-.}",
      description = "The folder to notarise. Default: the project's own files")
  private Path folder = Path.of("");

  @Option(names = "--keep", description = "Keep the temporary folder and say where it is")
  private boolean keep;

  @Override
  public Integer call() throws Exception {
    if (!Files.exists(folder)) {
      throw new NoSuchFileException(folder.toString());
    }
    if (!Files.isDirectory(folder)) {
      throw new IOException(folder + " is not a folder");
    }
    try (TemporaryFolder temporary = TemporaryFolder.create("tally-demo-")) {
      if (keep) {
        temporary.keep();
      }
      Path home = temporary.path();
      long started = System.nanoTime();
      Demo.Outcome outcome = new Demo(folder.toRealPath(), home, output::say).run();
      long elapsedMs = (System.nanoTime() - started) / 1_000_000;
      output.print(
          String.format(
              Locale.ROOT,
              "%nDone in %.1f s.%s",
              elapsedMs / 1000.0,
              keep ? " Everything is in " + home : ""),
          Output.object(
              "succeeded", outcome.succeeded(), "elapsedMs", elapsedMs, "outcome", outcome));
      return outcome.succeeded() ? ExitCode.OK : ExitCode.EVIDENCE;
    }
  }
}
