package io.tallystick.cli.journal;

import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.durable.PrivateFile;
import io.tallystick.evidence.JournalProof;
import io.tallystick.model.Jsn;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Where an append saves the proof files of its journals, for their owner alone.
final class ProofFiles {
  @Option(
      names = "--proof",
      paramLabel = "FILE",
      description =
          "The file to save the journal's proof in, of one payload; it must not exist. It holds the "
              + "salt: keep it as secret as the payload")
  private @Nullable Path file;

  @Option(
      names = "--proofs",
      paramLabel = "DIR",
      description = "The folder to save each proof in, as JSN.proof; no file is overwritten")
  private @Nullable Path folder;

  boolean wanted() {
    return file != null || folder != null;
  }

  /// Makes the folder; before anything is appended.
  ///
  /// @param journals how many there will be
  void prepare(int journals) throws IOException, UsageException {
    if (file != null && journals != 1) {
      throw new UsageException("--proof is of one payload; name a folder with --proofs");
    }
    if (file != null && Files.exists(file)) {
      throw new FileAlreadyExistsException(file.toString());
    }
    if (folder != null) {
      LocalPaths.checkNoFile(folder);
      try {
        PrivateFile.createDirectory(folder);
      } catch (IOException e) {
        throw LocalPaths.notWritten(folder, e);
      }
    }
  }

  void save(Jsn jsn, JournalProof proof) throws IOException {
    if (file != null) {
      write(file, proof);
    }
    if (folder != null) {
      write(folder.resolve(jsn + ".proof"), proof);
    }
  }

  private static void write(Path to, JournalProof proof) throws IOException {
    try {
      PrivateFile.create(to, proof.encode().toArray());
    } catch (IOException e) {
      throw LocalPaths.notWritten(to, e);
    }
  }
}
