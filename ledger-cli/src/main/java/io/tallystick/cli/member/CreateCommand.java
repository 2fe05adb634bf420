package io.tallystick.cli.member;

import io.tallystick.cli.option.BegunFounding;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.option.StyleOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerCreation;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.PendingRequest;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.model.RejectionCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Founds a ledger, grants its first members and has it stamped; goes on where an earlier run broke
/// off.
@Command(
    name = "create",
    description = {
      "Found a ledger, signed with every owner's key, grant its first members and have it stamped.",
      "If it breaks off, the same command again goes on: one ledger is founded, and each member "
          + "is granted once."
    },
    mixinStandardHelpOptions = true)
final class CreateCommand implements Callable<Integer> {
  private static final int SERVER_ERRORS = 500;

  @Mixin private ServiceOptions service = new ServiceOptions();
  @Mixin private StyleOptions style = new StyleOptions();
  @Mixin private Output output = new Output();

  @Parameters(paramLabel = "NAME", description = "A name for people, 1 to 128 bytes")
  private String name = "";

  @Option(
      names = "--key",
      required = true,
      paramLabel = "FILE",
      description = "An owner's private key; repeat the option for each owner, 1 to 16")
  private List<Path> keys = List.of();

  @Option(
      names = "--public",
      description = "Let anyone read the ledger, for ever, and serve its log as public files")
  private boolean isPublic;

  @Option(
      names = "--invitation",
      paramLabel = "TOKEN",
      description =
          "An invitation, as tally invite signs it, for a service that has a list of founders")
  private @Nullable String invitation;

  @Option(
      names = "--without-clues",
      description = "Let journals name no clues until an owner enables them")
  private boolean withoutClues;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description =
          "Also write the ledger's id to this new file; every command takes it as @FILE in "
              + "place of the id")
  private @Nullable Path out;

  private final CreationReport report = new CreationReport();

  @Override
  public Integer call() throws Exception {
    List<ClientKey> owners = ServiceOptions.load(keys);
    LedgerOptions options = options();
    try (TallyClient client = service.connect()) {
      LedgerHandle ledger = created(client, owners, options);
      output.print(
          report.text(name, ledger) + "Its id and the service's keys are pinned.",
          report.object(name, ledger, owners.size()));
    }
    return ExitCode.OK;
  }

  private LedgerOptions options() throws UsageException, IOException {
    LedgerOptions options =
        style.apply(
            new LedgerOptions(isPublic, LedgerOptions.DEFAULT.requestWindow())
                .withInvitation(invitation)
                .withFirstTime());
    return withoutClues ? options.withoutClues() : options;
  }

  private LedgerHandle created(TallyClient client, List<ClientKey> owners, LedgerOptions options)
      throws Exception {
    try {
      Optional<BegunFounding> broken =
          BegunFounding.find(
              service.trust(),
              pending ->
                  pending.founds(name, owners, options)
                      && pending.foundsAt(client.serviceDescription()));
      if (broken.isPresent()) {
        try (BegunFounding begun = broken.get()) {
          return run(client.creation(PendingRequest.decode(begun.sent()), owners, options), begun);
        } catch (RequestRefusedException e) {
          if (report.founded() || !e.code().equals(RejectionCode.EXPIRED.wire())) {
            throw e;
          } // it never arrived, and is too old to be sent again
        }
      }
      checkOut(null);
      LedgerCreation creation = client.creation(name, owners, options);
      try (BegunFounding begun =
          BegunFounding.begin(service.trust(), creation.founding().encode())) {
        return run(creation, begun);
      }
    } catch (IllegalArgumentException e) {
      // The name, the number of owners, a key given twice: the SDK's limits are the user's.
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private LedgerHandle run(LedgerCreation creation, BegunFounding begun) throws Exception {
    checkOut(creation);
    try {
      LedgerHandle ledger = creation.run(report::add);
      writeOut(ledger);
      begun.delete();
      return ledger;
    } catch (TallyException e) {
      if (!report.founded()) {
        if (!mayBeFounded(e)) {
          begun.delete();
        }
        throw e;
      }
      writeOut(report.ledger());
      output
          .err()
          .println(
              report.text(name, report.ledger())
                  + (isForGood(e)
                      ? "The ledger is founded; `tally member grant` gives it further members."
                      : "It broke off here; the same command again goes on."));
      throw e;
    }
  }

  private static boolean isForGood(TallyException failure) {
    return failure instanceof RequestRefusedException refused
        && !refused.retryable()
        && refused.httpStatus() < SERVER_ERRORS;
  }

  private static boolean mayBeFounded(TallyException failure) {
    return switch (failure) {
      case ServiceUnavailableException unavailable -> unavailable.outcomeUnknown();
      case RequestRefusedException refused -> refused.httpStatus() >= SERVER_ERRORS;
      default -> true;
    };
  }

  /// Before anything is founded.
  ///
  /// @param going on with it, whose id the file may have; null: with none
  private void checkOut(@Nullable LedgerCreation going) throws IOException {
    if (out == null || !Files.exists(out)) {
      return;
    }
    if (going == null || !has(out, going.founding().ledger().hex())) {
      throw new FileAlreadyExistsException(out.toString());
    }
  }

  private void writeOut(LedgerHandle ledger) throws IOException {
    if (out != null && !Files.exists(out)) {
      LocalPaths.writeNew(out, (ledger.id().hex() + "\n").getBytes(StandardCharsets.US_ASCII));
    }
  }

  private static boolean has(Path file, String id) throws IOException {
    LocalPaths.checkNoFolder(file);
    return Files.size(file) == id.length() + 1 && Files.readString(file).equals(id + "\n");
  }
}
