package io.tallystick.client.state;

import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The versions of one key, newest first, page by page. Each but the first is the key as of the
/// block before the one that holds the write that the one before it shows, verified to be so: none
/// is left out. Writes of one key within one block count as one, the last.
///
/// The last version shows that the key has no entry. Unless its answer says that the key was never
/// written, there may be older versions: what is left of a deletion is dropped some day.
///
/// A page at a time is in memory. Not thread-safe.
public final class StateVersions {
  private final StateReader reader;
  private final Bytes key;
  private final OptionalLong asOfHeight;
  private final int pageVersions;
  private @Nullable StateReading oldest;

  StateVersions(StateReader reader, Bytes key, OptionalLong asOfHeight, int pageVersions) {
    this.reader = reader;
    this.key = key;
    this.asOfHeight = asOfHeight;
    this.pageVersions = pageVersions;
  }

  /// The next older versions; none: that was all.
  ///
  /// @throws RequestRefusedException `pruned` if the service keeps no state so old: what was given
  ///   are all versions since the oldest one kept
  public List<StateReading> next() throws TallyException {
    StateReading last = oldest;
    if (last != null && last.answer() instanceof StateAnswer.Absent) {
      return List.of();
    }
    List<StateReading> versions = reader.versions(key, last, asOfHeight, pageVersions);
    oldest = versions.getLast();
    return versions;
  }
}
