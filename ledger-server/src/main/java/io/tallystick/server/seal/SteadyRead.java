package io.tallystick.server.seal;

import io.tallystick.journal.Feature;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Locale;

/// One read of an index. A read that meets a rebuild of the index found no damage: it is to be
/// asked for again.
@FunctionalInterface
public interface SteadyRead<T> {
  T answer() throws IOException, CorruptStreamException, RequestRejectedException;

  /// @throws RequestRejectedException `UNAVAILABLE` if the index was rebuilt meanwhile
  static <T> T of(StrandIndex strand, Feature feature, SteadyRead<T> read)
      throws IOException, CorruptStreamException, RequestRejectedException {
    long rebuilds = strand.rebuilds(feature);
    try {
      return read.answer();
    } catch (CorruptStreamException | RequestRejectedException e) {
      boolean damaged =
          e instanceof CorruptStreamException
              || (e instanceof RequestRejectedException refusal
                  && refusal.code() == RejectionCode.DAMAGED);
      if (damaged && (strand.isRebuilding(feature) || strand.rebuilds(feature) != rebuilds)) {
        throw new RequestRejectedException(
            RejectionCode.UNAVAILABLE,
            String.format(
                Locale.ROOT,
                "the %s index of %s is being rebuilt; ask again",
                feature == Feature.CLUE_TRIE ? "clue" : "state",
                strand.strand()),
            e);
      }
      throw e;
    }
  }
}
