package io.tallystick.cli.audit;

import io.tallystick.audit.evidence.EvidenceMaker;
import io.tallystick.cli.option.EvidenceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.ForkEvidence;
import io.tallystick.head.ForkException;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.lineage.LineageFile;
import io.tallystick.misbehaviour.Misbehaviour;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Writes and checks evidence against a service, from files alone.
@Command(
    name = "evidence",
    description = {
      "Write and check evidence that a service misbehaved.",
      "Everything is read from files; no service is asked, and nothing is written that does not"
          + " convict."
    },
    mixinStandardHelpOptions = true,
    subcommands = {
      EvidenceCommand.Check.class,
      EvidenceCommand.Fork.class,
      EvidenceCommand.Misdated.class,
      EvidenceCommand.FalseAttestation.class,
      EvidenceCommand.FalseSeal.class,
      EvidenceCommand.Omitted.class
    })
public final class EvidenceCommand {
  private static final int FORK = 10;

  private EvidenceCommand() {}

  private static Signatures signatures() {
    return SignatureProviders.best();
  }

  /// The verdict on a file of evidence.
  record Verdict(String claim, String detail, List<SignedHead> heads) {
    static Verdict of(Misbehaviour.Confirmed confirmed) {
      return new Verdict(
          confirmed.claim().name().toLowerCase(Locale.ROOT), confirmed.detail(), confirmed.heads());
    }

    static Verdict of(ForkException fork) {
      return new Verdict(
          "fork", String.valueOf(fork.getMessage()), List.of(fork.trusted(), fork.offered()));
    }
  }

  private static void print(Output output, Path file, Verdict verdict) {
    StringBuilder text = new StringBuilder();
    text.append("CONFIRMED: ")
        .append(verdict.claim())
        .append(": ")
        .append(Printable.of(verdict.detail()));
    List<Map<String, Object>> rows = new ArrayList<>();
    for (SignedHead head : verdict.heads()) {
      String root = head.root().digest().hex();
      text.append(String.format(Locale.ROOT, "%nsigned   %s leaves, root %s", head.size(), root));
      rows.add(Output.object("size", head.size().value(), "root", root));
    }
    text.append(String.format(Locale.ROOT, "%nfile     %s", LocalPaths.shown(file)));
    output.print(
        text.toString(),
        Output.object(
            "confirmed", true,
            "claim", verdict.claim(),
            "detail", verdict.detail(),
            "heads", rows,
            "file", file.toString()));
  }

  private static ServiceKeys keys(EvidenceMaker maker) throws ProofRejectedException {
    return maker.keyChain().verify(maker.genesisParams(), maker.strand(), signatures()).keys();
  }

  /// Confirms a file that somebody else wrote.
  @Command(
      name = "check",
      description = {
        "Check a file of evidence.",
        "Status 0 says that it convicts the service, status 4 that it does not."
      },
      mixinStandardHelpOptions = true)
  static final class Check implements Callable<Integer> {
    @Mixin private EvidenceOptions options = new EvidenceOptions();
    @Mixin private Output output = new Output();

    @Parameters(index = "1", paramLabel = "FILE", description = "Evidence of type 10 or 19")
    private Path file = Path.of("");

    @Override
    public Integer call() throws Exception {
      options.strand();
      Bytes encoded = EvidenceOptions.read(file);
      try {
        print(output, file, verdict(encoded));
      } catch (MalformedException e) {
        throw LocalPaths.wrongForm(file, "evidence", e);
      }
      return ExitCode.OK;
    }

    private Verdict verdict(Bytes encoded) throws Exception {
      if (encoded.size() > 1 && encoded.unsafeArray()[1] == FORK) {
        EvidenceMaker maker = options.maker(List.of());
        return Verdict.of(
            ForkEvidence.decode(encoded).confirm(options.strand(), keys(maker), signatures()));
      }
      return Verdict.of(
          Misbehaviour.decode(encoded).confirm(options.strand(), signatures(), options.tokens()));
    }
  }

  /// A command that writes a file of evidence.
  abstract static class Writing implements Callable<Integer> {
    @Mixin private EvidenceOptions options = new EvidenceOptions();
    @Mixin private Output output = new Output();

    @Option(
        names = "--out",
        required = true,
        paramLabel = "FILE",
        description = "The file to write; it must not exist")
    private Path out = Path.of("");

    /// The file of evidence that the subcommand makes, and the verdict on it.
    record Made(Bytes encoded, Verdict verdict) {}

    /// @throws ProofRejectedException if it does not convict
    /// @throws MalformedException if a file is not of its form
    abstract Made make(EvidenceOptions given) throws Exception;

    @Override
    public Integer call() throws Exception {
      if (Files.exists(out)) {
        throw new FileAlreadyExistsException(out.toString());
      }
      Made made;
      try {
        made = make(options);
      } catch (MalformedException e) {
        throw new IOException("no evidence: a file is not of its form: " + e.getMessage(), e);
      }
      LocalPaths.writeNew(out, made.encoded().toArray());
      print(output, out, made.verdict());
      return ExitCode.OK;
    }

    static Made confirmed(EvidenceOptions given, Misbehaviour evidence) throws Exception {
      return new Made(
          evidence.encode(),
          Verdict.of(evidence.confirm(given.strand(), signatures(), given.tokens())));
    }
  }

  /// Two heads that contradict each other.
  @Command(
      name = "fork",
      description = {
        "Two signed heads that contradict each other.",
        "For heads of two sizes --log must be the copy that the larger one is about."
      },
      mixinStandardHelpOptions = true)
  static final class Fork extends Writing {
    @Parameters(
        index = "1..2",
        arity = "2",
        paramLabel = "HEAD",
        description = "A checkpoint, a receipt saved by append, or a head statement")
    private List<Path> heads = List.of();

    @Override
    Made make(EvidenceOptions given) throws Exception {
      if (heads.size() != 2) {
        throw new UsageException("two heads are needed, not " + heads.size());
      }
      EvidenceMaker maker = given.maker(List.of());
      ServiceKeys keys = keys(maker);
      ForkEvidence evidence =
          maker.fork(
              EvidenceOptions.read(heads.getFirst()),
              EvidenceOptions.read(heads.getLast()),
              keys,
              signatures());
      return new Made(
          evidence.encode(), Verdict.of(evidence.confirm(given.strand(), keys, signatures())));
    }
  }

  /// Claim 1.
  @Command(
      name = "misdated",
      description = {
        "A journal that is dated outside the bounds of a token.",
        "A journal below the token's size needs --log."
      },
      mixinStandardHelpOptions = true)
  static final class Misdated extends Writing {
    @Option(
        names = "--time",
        required = true,
        paramLabel = "RECEIPT",
        description = "Receipt of the time journal")
    private Path time = Path.of("");

    @Option(
        names = "--journal",
        paramLabel = "RECEIPT",
        description = "Receipt of the misdated journal; without it, the time journal itself is")
    private @Nullable Path journal;

    @Override
    Made make(EvidenceOptions given) throws Exception {
      Optional<Bytes> other =
          journal == null ? Optional.empty() : Optional.of(EvidenceOptions.read(journal));
      return confirmed(given, given.maker(List.of()).misdated(EvidenceOptions.read(time), other));
    }
  }

  /// Claim 2.
  @Command(
      name = "attestation",
      description = "An attestation that does not verify, of a journal in --log.",
      mixinStandardHelpOptions = true)
  static final class FalseAttestation extends Writing {
    @Parameters(
        index = "1..*",
        arity = "1..100",
        paramLabel = "RECEIPT",
        description = "Receipt of the journal; of a batch, those of all its journals in order")
    private List<Path> receipts = List.of();

    @Override
    Made make(EvidenceOptions given) throws Exception {
      List<Bytes> files = new ArrayList<>();
      for (Path file : receipts) {
        files.add(EvidenceOptions.read(file));
      }
      Digest wanted = EvidenceMaker.attestHash(files.getFirst());
      return confirmed(given, given.maker(List.of(wanted)).falseAttestation(files));
    }
  }

  /// Claim 3.
  @Command(
      name = "seal",
      description = "A seal that states another root than the head that it closes.",
      mixinStandardHelpOptions = true)
  static final class FalseSeal extends Writing {
    @Parameters(
        index = "1",
        paramLabel = "RECEIPT",
        description = "Receipt of the seal, under the head of its own block")
    private Path receipt = Path.of("");

    @Override
    Made make(EvidenceOptions given) throws Exception {
      return confirmed(given, given.maker(List.of()).falseSeal(EvidenceOptions.read(receipt)));
    }
  }

  /// Claim 4.
  @Command(
      name = "omitted",
      description = "A journal that the lineage of a clue it names leaves out.",
      mixinStandardHelpOptions = true)
  static final class Omitted extends Writing {
    @Parameters(
        index = "1",
        paramLabel = "RECEIPT",
        description = "Receipt of the journal, under the lineage's head")
    private Path receipt = Path.of("");

    @Parameters(
        index = "2",
        paramLabel = "LINEAGE",
        description = "The clue's lineage or its absence, as lineage --save writes it")
    private Path lineage = Path.of("");

    @Override
    Made make(EvidenceOptions given) throws Exception {
      LineageFile shown = LineageFile.decode(EvidenceOptions.read(lineage));
      return confirmed(
          given, given.maker(List.of()).omittedJournal(EvidenceOptions.read(receipt), shown));
    }
  }
}
