package io.tallystick.cli;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.removal.RemovalCertificate;
import io.tallystick.time.TrustedTokens;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Checks the certificate of a removal and writes its page for a data-protection officer.
@Command(
    name = "certificate",
    description = {
      "Check the certificate of an occult or a purge, from its file alone.",
      "It shows what was removed, on whose order, and when; that the bytes are gone is the "
          + "service's word."
    },
    mixinStandardHelpOptions = true)
final class ErasureCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();
  @Mixin private AuthorityOptions authorities = new AuthorityOptions();

  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id, as you pinned it")
  private String ledgerId = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "JSN",
      description = "The removal; the certificate must be of this one")
  private @Nullable Long jsn;

  @Option(
      names = "--verify",
      required = true,
      paramLabel = "FILE",
      description = "The certificate to check")
  private Path file = Path.of("");

  @Option(
      names = "--page",
      paramLabel = "FILE",
      description = "Write one page about it in HTML; the file must not exist")
  private @Nullable Path page;

  @Override
  public Integer call() throws Exception {
    StrandId strand = new StrandId(ServiceOptions.ledgerId(ledgerId), 0);
    if (page != null && Files.exists(page)) {
      throw new FileAlreadyExistsException(page.toString());
    }
    RemovalCertificate.Verified verified = verified(strand);
    ErasurePage shown = new ErasurePage(verified, proven(verified));
    if (page != null) {
      write(page, shown.html());
    }
    output.print(shown.text(), ErasureRow.of(verified, shown.provenMs()));
    return ExitCode.OK;
  }

  private RemovalCertificate.Verified verified(StrandId strand)
      throws IOException, ProofRejectedException {
    Bytes encoded = EvidenceOptions.read(file);
    RemovalCertificate certificate;
    try {
      certificate = RemovalCertificate.decode(encoded);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, file + ": " + e.getMessage(), e);
    }
    RemovalCertificate.Verified verified = certificate.verify(strand, SignatureProviders.best());
    if (jsn != null && verified.removal().jsn().value() != jsn) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          "%s: of removal %s, want %d".formatted(file, verified.removal().jsn(), jsn));
    }
    return verified;
  }

  private OptionalLong proven(RemovalCertificate.Verified verified)
      throws IOException, UsageException, ProofRejectedException {
    Optional<TrustedTokens> tokens = authorities.tokens();
    if (tokens.isEmpty() || verified.time().isEmpty()) {
      return OptionalLong.empty();
    }
    String origin = verified.genesis().origin(verified.strand().strand());
    return verified.time().get().provenMs(origin, tokens.get());
  }

  private static void write(Path page, String html) throws IOException {
    try {
      Files.writeString(page, html, StandardOpenOption.CREATE_NEW);
    } catch (IOException e) {
      throw LocalPaths.notWritten(page, e);
    }
  }
}
