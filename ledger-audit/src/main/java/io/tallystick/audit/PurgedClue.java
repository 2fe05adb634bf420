package io.tallystick.audit;

import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.replay.ClueReplay;
import io.tallystick.audit.replay.ReplayMemory;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.PurgedStart;
import io.tallystick.audit.statement.ClueFile;
import io.tallystick.crypto.Signatures;
import io.tallystick.merkle.patricia.TrieProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.removal.PseudoGenesis;
import java.io.IOException;
import java.util.Optional;

/// How many journals of a clue a purge removed: as the clues say that give the clue root of the
/// seal which the log begins behind. So it shows of what is left of the clue whether all of it is
/// shown. Source: `docs/formats/removal.md`.
///
/// @param purge jsn of the purge
/// @param firstKept the lowest jsn that it left
/// @param receipt file of the purge; whoever trusts the result joins it to the log that they trust
/// @param journals of the clue below `firstKept`
public record PurgedClue(Jsn purge, Jsn firstKept, Bytes receipt, long journals) {
  /// Reads all clues of what was purged, 100 bytes each and more.
  ///
  /// @return empty if the source has the whole log
  /// @throws LogFormatException unless all that the log begins with holds
  public static Optional<PurgedClue> read(
      LogSource source, StrandId strand, Digest clueId, Signatures signatures)
      throws IOException, LogFormatException {
    Optional<PurgedStart> start = source.purged();
    if (start.isEmpty()) {
      return Optional.empty();
    }
    try (ClueReplay clues = new ClueReplay(ReplayMemory.defaults())) {
      Beginning beginning = Beginning.verify(start.get(), strand, source.keyChain(), signatures);
      ClueFile.begin(source, beginning, clues);
      return Optional.of(
          new PurgedClue(
              beginning.start().purge().jsn(),
              beginning.snapshot().firstKept(),
              purge(start.get()),
              clues.count(TrieProof.key(clueId))));
    } catch (FaultException e) {
      throw LogFormatException.malformed(e.fault().detail());
    } catch (MalformedException e) {
      throw LogFormatException.malformed(e);
    }
  }

  private static Bytes purge(PurgedStart start) throws MalformedException {
    return PseudoGenesis.decode(start.pseudoGenesis()).purge();
  }
}
