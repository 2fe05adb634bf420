package io.tallystick.cli.member;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.client.ClientKey;
import io.tallystick.crypto.SignatureAlgorithm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Makes a member's key.
@Command(
    name = "keygen",
    description =
        "Make a private key that only you can read, or name one that a module holds; show its"
            + " public half.",
    mixinStandardHelpOptions = true)
public final class KeygenCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "FILE",
      description = "The file to write the key to (PKCS#8 PEM, mode 0600); it must not exist")
  private Path file = Path.of("");

  @Option(
      names = "--algorithm",
      defaultValue = "ed25519",
      description = "The signature algorithm: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
  private SignatureAlgorithm algorithm = SignatureAlgorithm.ED25519;

  @Option(
      names = "--delegated",
      paramLabel = "URI",
      description =
          "Make no key: write a key file that names one in a hardware security module, by its"
              + " RFC 7512 URI (pkcs11:object=LABEL?module-path=FILE&pin-source=file:FILE)")
  private @Nullable String delegated;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws Exception {
    String uri = delegated;
    ClientKey key = uri == null ? ClientKey.generate(algorithm) : signedOnce(uri);
    save(uri == null ? key::save : path -> ClientKey.saveUri(path, uri));
    String kid = key.kid().hex();
    String spki = key.publicKey().spki().hex();
    output.print(
        String.format(Locale.ROOT, "Wrote %s%nkid  %s%nSPKI %s", LocalPaths.shown(file), kid, spki),
        Output.object("file", file.toString(), "kid", kid, "spki", spki));
    return ExitCode.OK;
  }

  /// A holder that opens the key and then does not sign is found out now.
  private static ClientKey signedOnce(String uri) throws IOException {
    ClientKey key = ClientKey.delegated(uri);
    try {
      key.signer().sign(new byte[0]);
    } catch (UncheckedIOException e) {
      throw Objects.requireNonNull(e.getCause());
    }
    return key;
  }

  private interface Writing {
    void to(Path file) throws IOException;
  }

  private void save(Writing key) throws IOException {
    try {
      key.to(file);
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
