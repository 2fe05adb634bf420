package io.tallystick.cli;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.client.ClientKey;
import io.tallystick.crypto.SignatureAlgorithm;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Makes a member's key.
@Command(
    name = "keygen",
    description = "Make a private key that only you can read, and show its public half.",
    mixinStandardHelpOptions = true)
final class KeygenCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "FILE",
      description = "The file to write the key to (PKCS#8 PEM, mode 0600); it must not exist")
  private Path file = Path.of("");

  @Option(
      names = "--algorithm",
      defaultValue = "ed25519",
      description = "The signature algorithm: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
  private SignatureAlgorithm algorithm = SignatureAlgorithm.ED25519;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws Exception {
    ClientKey key = ClientKey.generate(algorithm);
    save(key);
    String kid = key.kid().hex();
    String spki = key.publicKey().spki().hex();
    output.print(
        "Wrote %s%nkid  %s%nSPKI %s".formatted(file, kid, spki),
        Output.object("file", file.toString(), "kid", kid, "spki", spki));
    return ExitCode.OK;
  }

  private void save(ClientKey key) throws IOException {
    try {
      key.save(file);
    } catch (FileAlreadyExistsException e) {
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        throw e; // a key is never overwritten
      }
      throw LocalPaths.notWritten(file, new NotDirectoryException(e.getFile()));
    } catch (IOException e) {
      throw LocalPaths.notWritten(file, e);
    }
  }
}
