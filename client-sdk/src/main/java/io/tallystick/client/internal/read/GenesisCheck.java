package io.tallystick.client.internal.read;

import io.tallystick.client.failure.TallyException;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.LedgerCalls;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import io.tallystick.receipt.ReceiptFile;
import java.util.Optional;

/// Meets a ledger for the first time: its first leaf must be the pinned genesis with all owners'
/// signatures, and its first trusted head the one that seals genesis. Every later head must
/// continue that one.
public final class GenesisCheck {
  private static final Jsn GENESIS = new Jsn(0);
  private static final TreeSize ALONE = new TreeSize(1);

  private final LedgerCalls calls;
  private final LedgerReader reader;
  private final TrustedLog log;

  public GenesisCheck(LedgerCalls calls, LedgerReader reader, TrustedLog log) {
    this.calls = calls;
    this.reader = reader;
    this.log = log;
  }

  public void run() throws TallyException {
    try {
      ReceiptFile file = reader.unverifiedReceipt(GENESIS);
      Leaf leaf = Leaf.decode(file.leaf());
      if (!(leaf instanceof GenesisLeaf)) {
        throw new ProofRejectedException(Reason.WRONG_TYPE, "the first leaf is no genesis");
      }
      new SignerCheck(log).verify(leaf, calls.journal(GENESIS, ALONE), unused -> Optional.empty());
      // Last: a head in the trust store says that this check was passed.
      reader.join(file);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw reader.malformed("genesis", e);
    }
  }
}
