package io.tallystick.cli.proposal;

import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.durable.DurableFile;
import io.tallystick.durable.PlainFile;
import io.tallystick.journal.Limits;
import io.tallystick.journal.Proposal;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A proposal in a file, which its signers hand on to each other. It is always whole: a change is
/// written beside it, as `FILE.tmp`, and renamed.
public record ProposalFile(Path path) {
  /// Header, salt and as many signatures as any kind takes.
  static final int BYTES_MAX = Limits.LEAF_BYTES_MAX + Limits.ATTESTATION_BYTES_MAX;

  /// @throws IOException if it cannot be read, or is no proposal: also one whose salt does not fit
  ///   its header
  public Proposal read() throws IOException {
    LocalPaths.checkNoFolder(path);
    byte[] content;
    try (InputStream in = PlainFile.open(path)) {
      content = in.readNBytes(BYTES_MAX + 1);
    }
    if (content.length > BYTES_MAX) {
      throw new IOException(path + " is longer than a proposal may be, " + BYTES_MAX + " bytes");
    }
    try {
      return Proposal.decode(Bytes.wrap(content));
    } catch (MalformedException e) {
      throw new IOException(path + " is no proposal: " + e.getMessage(), e);
    }
  }

  /// @throws FileAlreadyExistsException if there is a file: a proposal is never overwritten by
  ///   another
  public void create(Proposal proposal) throws IOException, UsageException {
    if (Files.exists(path)) {
      throw new FileAlreadyExistsException(path.toString());
    }
    replace(proposal);
  }

  public void replace(Proposal proposal) throws IOException, UsageException {
    Path whole = path.toAbsolutePath();
    Path folder = whole.getParent();
    Path name = whole.getFileName();
    if (folder == null || name == null) {
      throw new UsageException(path + " names no file");
    }
    try {
      DurableFile.in(folder, name.toString()).replace(proposal.encode());
    } catch (IOException e) {
      throw LocalPaths.notWritten(path, e);
    }
  }
}
