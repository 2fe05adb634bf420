package io.tallystick.cli.removal;

import io.tallystick.cli.option.AuthorityOptions;
import io.tallystick.cli.option.EvidenceOptions;
import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.HeadText;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.removal.RemovalCertificate;
import io.tallystick.time.TrustedTokens;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
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
      "Fetch the certificate of an occult or a purge, or check one from its file alone.",
      "It shows what was removed, on whose order, and when; that the bytes are gone is the "
          + "service's word."
    },
    mixinStandardHelpOptions = true)
public final class ErasureCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private AuthorityOptions authorities = new AuthorityOptions();

  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id, as you pinned it")
  private String ledgerId = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "JSN",
      description =
          "The removal, or without --verify also a journal that it erased; a certificate from a "
              + "file must be of this removal")
  private @Nullable Long jsn;

  @Option(
      names = "--verify",
      paramLabel = "FILE",
      description = "The certificate to check, without a service")
  private @Nullable Path file;

  @Option(
      names = "--save",
      paramLabel = "FILE",
      description = "Where to save the certificate that is fetched; the file must not exist")
  private @Nullable Path save;

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
    checkAsked();
    if (file != null) {
      read.checkNoAge("--verify");
      ErasurePage shown = shown(verified(strand, file, EvidenceOptions.read(file)));
      output.print(shown.text(), ErasureRow.of(shown.verified(), shown.provenMs()));
      return ExitCode.OK;
    }
    try (TallyClient client = read.connect()) {
      LedgerHandle ledger = ReadOptions.open(client, strand.ledger());
      ErasurePage shown = shown(fetched(ledger, strand));
      HeadText.print(
          output, ledger, shown.text(), ErasureRow.of(shown.verified(), shown.provenMs()));
    }
    return ExitCode.OK;
  }

  private ErasurePage shown(RemovalCertificate.Verified verified)
      throws IOException, UsageException, ProofRejectedException {
    ErasurePage shown = new ErasurePage(verified, proven(verified));
    if (page != null) {
      LocalPaths.writeNew(page, shown.html().getBytes(StandardCharsets.UTF_8));
    }
    return shown;
  }

  private void checkAsked() throws IOException, UsageException {
    if (file == null && jsn == null) {
      throw new UsageException(
          "name the JSN of a removal to fetch its certificate, or --verify FILE");
    }
    if (file != null && save != null) {
      throw new UsageException("--save is for a certificate that is fetched, not for --verify");
    }
    if (save != null && Files.exists(save)) {
      throw new FileAlreadyExistsException(save.toString());
    }
  }

  private RemovalCertificate.Verified fetched(LedgerHandle ledger, StrandId strand)
      throws Exception {
    Bytes encoded = ledger.removals().certificate(new Jsn(Objects.requireNonNull(jsn)));
    if (save != null) {
      LocalPaths.writeNew(save, encoded.toArray());
    }
    return RemovalCertificate.decode(encoded).verify(strand, SignatureProviders.best());
  }

  private RemovalCertificate.Verified verified(StrandId strand, Path from, Bytes encoded)
      throws IOException, ProofRejectedException {
    RemovalCertificate certificate;
    try {
      certificate = RemovalCertificate.decode(encoded);
    } catch (MalformedException e) {
      throw LocalPaths.wrongForm(from, "certificate of a removal", e);
    }
    RemovalCertificate.Verified verified = certificate.verify(strand, SignatureProviders.best());
    if (jsn != null && verified.removal().jsn().value() != jsn) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          String.format(
              Locale.ROOT, "%s: of removal %s, want %d", from, verified.removal().jsn(), jsn));
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
}
