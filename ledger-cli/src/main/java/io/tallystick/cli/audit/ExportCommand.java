package io.tallystick.cli.audit;

import io.grpc.ManagedChannel;
import io.tallystick.audit.export.TileExport;
import io.tallystick.audit.export.TileExport.Exported;
import io.tallystick.audit.source.CertificateFolder;
import io.tallystick.audit.source.NamedCertificates;
import io.tallystick.audit.source.RemoteCertificates;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.Progress;
import io.tallystick.client.ServiceChannel;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.SignedHead;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Printable;
import io.tallystick.model.StrandId;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Writes a ledger's log as the files of its public read path.
@Command(
    name = "export",
    description = {
      "Write a ledger's log as public files (C2SP tlog-tiles) for any web server.",
      "Run again, it adds what is new; a log that does not continue what is there is " + "refused.",
      "The files begin with the ledger's genesis, or where a purge ended, and have the root that the service "
          + "signed. All else is checked by `tally audit LEDGER --tiles DIR`.",
      "The certificates that grants name go to DIR/certificates, as far as the service keeps them."
    },
    mixinStandardHelpOptions = true)
public final class ExportCommand implements Callable<Integer> {
  @Mixin private ReadOptions read = new ReadOptions();
  @Mixin private Output output = new Output();

  @Parameters(index = "0", paramLabel = "LEDGER", description = "Ledger id")
  private String ledgerId = "";

  @Parameters(
      index = "1",
      paramLabel = "DIR",
      description = "The folder to write to, made if it does not exist")
  private Path folder = Path.of("");

  @Option(
      names = "--bodies",
      description =
          "Publish salts and bodies too; nobody can erase them from copies that others make")
  private boolean withBodies;

  @Override
  public Integer call() throws Exception {
    LedgerId ledger = ServiceOptions.ledgerId(ledgerId);
    LocalPaths.checkNoFile(folder);
    Signatures signatures = SignatureProviders.best();
    Optional<SignedHead> trusted = read.trusted(ledger, signatures);
    ManagedChannel channel = ServiceChannel.reading(read.config(), ledger);
    Progress progress = output.progress("leaves");
    try (TileExport export =
        new TileExport(
            folder, withBodies, signatures, (done, total, _) -> progress.update(done, total))) {
      StrandId strand = new StrandId(ledger, 0);
      NamedCertificates source =
          new NamedCertificates(new RemoteLogSource(channel, strand, withBodies));
      Exported exported = export.write(strand, source, trusted);
      int certificates =
          CertificateFolder.beside(folder)
              .add(source.named(), new RemoteCertificates(channel, ledger));
      progress.end();
      output.print(
          String.format(
              Locale.ROOT,
              "exported %s of ledger %s to %s%nroot  %s%nkey   %s%s%s",
              Count.of(exported.size(), "leaf").replace("leafs", "leaves"),
              ledger,
              LocalPaths.shown(folder),
              exported.root(),
              Printable.of(exported.verifierKey()),
              purged(exported.firstKept()),
              certificates(certificates, source.named().size())),
          Output.object(
              "size", exported.size(),
              "firstKept", exported.firstKept(),
              "root", exported.root().hex(),
              "verifierKey", exported.verifierKey(),
              "certificates", certificates,
              "certificatesNamed", source.named().size(),
              "dir", folder.toString()));
      return ExitCode.OK;
    } finally {
      channel.shutdownNow();
    }
  }

  private static String purged(long firstKept) {
    return firstKept == 0
        ? ""
        : String.format(Locale.ROOT, "%nfrom jsn %d on; a purge removed what is below", firstKept);
  }

  private static String certificates(int here, int named) {
    return named == 0
        ? ""
        : String.format(
            Locale.ROOT,
            "%ncertificates of %d of %s that name some",
            here,
            Count.of(named, "grant"));
  }
}
