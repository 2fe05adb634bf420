package io.tallystick.cli.option;

import io.tallystick.audit.options.Submitters;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Whence the keys of a ledger's service are known: a file with its GenesisParams and, if the keys
/// were rotated, a file beside it with their key chain, whose name has `.key-chain` behind.
public record LedgerKeysFile(Path genesis) {
  private static final String CHAIN = ".key-chain";

  public Bytes genesisParams() throws IOException {
    return genesisParams(EvidenceOptions.read(genesis), genesis);
  }

  public KeyChain chain() throws IOException {
    Path file = genesis.resolveSibling(genesis.getFileName() + CHAIN);
    if (!Files.exists(file)) {
      return KeyChain.EMPTY;
    }
    return keyChain(EvidenceOptions.read(file), file);
  }

  /// The keys that the service has by now.
  ///
  /// @throws ProofRejectedException if the chain does not lead on from genesis
  public Submitters.Keys keys(Signatures signatures) throws IOException, ProofRejectedException {
    return Submitters.Keys.of(genesisParams(), chain(), signatures);
  }

  /// @return the content, which is of that form
  /// @throws FileSystemException if it is not
  public static Bytes genesisParams(Bytes content, Path file) throws FileSystemException {
    try {
      GenesisParams _ = GenesisParams.decode(content);
      return content;
    } catch (MalformedException e) {
      throw LocalPaths.wrongForm(file, "GenesisParams of a ledger", e);
    }
  }

  /// @throws FileSystemException if the content is none
  public static KeyChain keyChain(Bytes content, Path file) throws FileSystemException {
    try {
      return KeyChain.decode(content);
    } catch (MalformedException e) {
      throw LocalPaths.wrongForm(file, "key chain", e);
    }
  }
}
