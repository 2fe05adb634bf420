package io.tallystick.cli;

import io.tallystick.audit.Submitters;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Whence the keys of a ledger's service are known: a file with its GenesisParams and, if the keys
/// were rotated, a file beside it with their key chain, whose name has `.key-chain` behind.
record LedgerKeysFile(Path genesis) {
  private static final String CHAIN = ".key-chain";

  Bytes genesisParams() throws IOException {
    return EvidenceOptions.read(genesis);
  }

  /// @throws ProofRejectedException `MALFORMED`
  KeyChain chain() throws IOException, ProofRejectedException {
    Path file = genesis.resolveSibling(genesis.getFileName() + CHAIN);
    if (!Files.exists(file)) {
      return KeyChain.EMPTY;
    }
    try {
      return KeyChain.decode(EvidenceOptions.read(file));
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, file + ": " + e.getMessage(), e);
    }
  }

  /// The keys that the service has by now.
  ///
  /// @throws ProofRejectedException if the chain does not lead on from genesis
  Submitters.Keys keys(Signatures signatures) throws IOException, ProofRejectedException {
    return Submitters.Keys.of(genesisParams(), chain(), signatures);
  }
}
