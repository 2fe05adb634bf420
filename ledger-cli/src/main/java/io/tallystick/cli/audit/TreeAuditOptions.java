package io.tallystick.cli.audit;

import io.tallystick.audit.source.TileFiles;
import io.tallystick.audit.tree.TreeAuditor;
import io.tallystick.audit.tree.TreeHead;
import io.tallystick.audit.tree.TreeReport;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.Progress;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.durable.DurableFile;
import io.tallystick.durable.PlainFile;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.note.NoteKey;
import io.tallystick.note.SignedNote;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The audit of a log's tree alone, whoever keeps the log: what `audit --log-key` does.
final class TreeAuditOptions {
  @Option(
      names = "--log-key",
      paramLabel = "VKEY",
      description =
          "Audit only the tree of any C2SP tlog-tiles log: the head signed by this verifier "
              + "key, the root of the entries, every hash tile. Needs --tiles or a URL")
  private @Nullable String logKey;

  @Option(
      names = "--checkpoint",
      paramLabel = "FILE",
      description =
          "With --log-key: the log must continue the head in FILE, if there is one. The "
              + "head of an audit that passed is kept there for the next one")
  private @Nullable Path checkpoint;

  boolean isAsked() {
    return logKey != null;
  }

  void checkNotAsked() throws UsageException {
    if (checkpoint != null) {
      throw new UsageException("--checkpoint needs --log-key; the trust directory has a ledger's");
    }
  }

  /// @return the exit status
  int audit(TileFiles files, Output output) throws Exception {
    TreeAuditor auditor = auditor();
    Optional<TreeHead> earlier = earlier(auditor);
    Progress progress = output.progress("entries");
    TreeReport report =
        auditor.audit(files, earlier, (done, total, _) -> progress.update(done, total));
    progress.end();
    if (report.firstFault().isEmpty() && report.head().isPresent()) {
      keep(earlier, report.head().get());
    }
    output.print(report.text().strip(), Output.object("treeAudit", report.summary()));
    return report.firstFault().isPresent() ? ExitCode.EVIDENCE : ExitCode.OK;
  }

  private TreeAuditor auditor() throws UsageException {
    Signatures signatures = SignatureProviders.best();
    try {
      NoteKey key = NoteKey.parse(Objects.requireNonNull(logKey).strip());
      signatures.checkKey(key.key());
      return new TreeAuditor(key, signatures);
    } catch (MalformedException | ProofRejectedException e) {
      throw new UsageException("--log-key: " + e.getMessage());
    }
  }

  private Optional<TreeHead> earlier(TreeAuditor auditor)
      throws IOException, ProofRejectedException {
    LocalPaths.checkNoFolder(checkpoint);
    if (checkpoint == null) {
      return Optional.empty();
    }
    if (!Files.isDirectory(folder(checkpoint))) {
      throw new NoSuchFileException(folder(checkpoint).toString());
    }
    if (!Files.exists(checkpoint)) {
      return Optional.empty();
    }
    try (InputStream in = PlainFile.open(checkpoint)) {
      // One byte more than a note may have, so that a longer file is refused and not cut.
      Bytes note = Bytes.wrap(in.readNBytes(SignedNote.NOTE_BYTES_MAX + 1));
      return Optional.of(auditor.head(note));
    } catch (ProofRejectedException e) {
      throw new ProofRejectedException(e.reason(), checkpoint + ": " + e.getMessage(), e);
    }
  }

  private void keep(Optional<TreeHead> earlier, TreeHead head) throws IOException {
    if (checkpoint == null || (earlier.isPresent() && earlier.get().size().equals(head.size()))) {
      return;
    }
    try {
      DurableFile.in(folder(checkpoint), String.valueOf(checkpoint.getFileName()))
          .replace(head.note());
    } catch (IOException e) {
      throw LocalPaths.notWritten(checkpoint, e);
    }
  }

  private static Path folder(Path file) {
    return Objects.requireNonNull(file.toAbsolutePath().getParent());
  }
}
