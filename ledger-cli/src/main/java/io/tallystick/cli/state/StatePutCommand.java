package io.tallystick.cli.state;

import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.state.StateWrite;
import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Writes one key.
@Command(
    name = "put",
    description = "Write a value under a key, and verify the receipt.",
    mixinStandardHelpOptions = true)
final class StatePutCommand implements Callable<Integer> {
  private static final String STANDARD_INPUT = "-";

  @Mixin private ServiceOptions service = new ServiceOptions();
  @Mixin private Output output = new Output();
  @Mixin private StateKeyOptions of = new StateKeyOptions();
  @Mixin private StateWriteOptions how = new StateWriteOptions();

  @Parameters(
      index = "2",
      arity = "0..1",
      paramLabel = "VALUE",
      description = "The value as text; leave it out if you give --file")
  private @Nullable String value;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "The file that holds the value; - is standard input")
  private @Nullable String file;

  @Override
  public Integer call() throws Exception {
    how.write(service, of.ledgerId(), StateWrite.put(of.key(), value()), output);
    return ExitCode.OK;
  }

  private Bytes value() throws IOException, UsageException {
    String text = value;
    String from = file;
    if (text != null && from == null) {
      return Bytes.utf8(text);
    }
    if (text == null && from != null) {
      return Bytes.wrap(read(from));
    }
    throw new UsageException("give VALUE or --file, one of them");
  }

  private static byte[] read(String from) throws IOException {
    boolean standardInput = from.equals(STANDARD_INPUT);
    if (!standardInput) {
      LocalPaths.checkNoFolder(Path.of(from));
    }
    byte[] value;
    try (InputStream in = standardInput ? System.in : Files.newInputStream(Path.of(from))) {
      value = in.readNBytes(Limits.REQUEST_BYTES_MAX + 1);
    }
    if (value.length > Limits.REQUEST_BYTES_MAX) {
      throw new IOException(
          from + " is longer than a request may be, " + Limits.REQUEST_BYTES_MAX + " bytes");
    }
    return value;
  }
}
