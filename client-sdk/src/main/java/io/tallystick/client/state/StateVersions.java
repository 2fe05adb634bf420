package io.tallystick.client.state;

import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The writes of one key, newest first, as they stand in the log up to one block, page by page. No
/// version of the state needs to be kept for them. Each write is proven; {@link #completeness} says
/// how far it is proven that there are no others.
///
/// A page at a time is in memory. Not thread-safe.
public final class StateVersions {
  /// What is known of writes that were not given.
  public enum Completeness {
    /// It is proven that no other version stood at the end of any block, from founding on. A write
    /// that a later one of the same block replaced never stood: that none of those is left out is
    /// the service's word.
    PROVEN,
    /// The service says that it has looked at the whole log, or at what a purge has left of it.
    SERVICE_WORD,
    /// There may be older ones: {@link StateVersions#hasNext}.
    CUT_OFF
  }

  private static final int PAGE_MAX = 1_000;

  private final StateReader reader;
  private final Bytes key;
  private final OptionalLong asOfHeight;
  private final int pageVersions;
  private final boolean withValues;
  private @Nullable VerifiedBlock block;
  private @Nullable StateVersion oldest;
  private HistoryReader.@Nullable Page page;
  private boolean linked = true;

  StateVersions(
      StateReader reader,
      Bytes key,
      OptionalLong asOfHeight,
      int pageVersions,
      boolean withValues) {
    this.reader = reader;
    this.key = key;
    this.asOfHeight = asOfHeight;
    this.pageVersions = pageVersions;
    this.withValues = withValues;
  }

  /// The same history from its begin, in pages of at most so many versions.
  ///
  /// @param versions 1 to 1,000
  public StateVersions withPagesOf(int versions) {
    if (versions < 1 || versions > PAGE_MAX) {
      throw new IllegalArgumentException(
          "page of " + versions + " versions, want 1 to " + PAGE_MAX);
    }
    return new StateVersions(reader, key, asOfHeight, versions, withValues);
  }

  /// The same history from its begin, without values: for those who may not read them.
  public StateVersions withoutValues() {
    return new StateVersions(reader, key, asOfHeight, pageVersions, false);
  }

  /// Whether the log was not looked at to its begin yet.
  public boolean hasNext() {
    return page == null || !page.over();
  }

  /// The next older versions, as far as one call finds them: none, too, while there are more.
  ///
  /// @throws NoSuchElementException unless {@link #hasNext}
  /// @throws RequestRefusedException `purged` if the block asked for is below a purge
  public List<StateVersion> next() throws TallyException {
    if (!hasNext()) {
      throw new NoSuchElementException("the history is over");
    }
    HistoryReader.Page before = page;
    VerifiedBlock tree = tree();
    HistoryReader.Page found =
        reader
            .histories()
            .read(
                key,
                tree,
                before == null ? OptionalLong.empty() : OptionalLong.of(before.scannedTo()),
                oldest,
                pageVersions,
                withValues);
    for (StateVersion version : found.versions()) {
      boolean sameBlock = oldest != null && oldest.height() == version.height();
      linked = linked && (sameBlock || version.stood());
      oldest = version;
    }
    page = found;
    return found.versions();
  }

  private VerifiedBlock tree() throws TallyException {
    if (block == null) {
      block = reader.histories().tree(asOfHeight);
    }
    return block;
  }

  /// The block that the history is as of; empty before the first page.
  public Optional<VerifiedBlock> block() {
    return Optional.ofNullable(block);
  }

  public Completeness completeness() {
    if (page == null || !page.over()) {
      return Completeness.CUT_OFF;
    }
    boolean none =
        page.before()
            .map(StateReading::answer)
            .filter(answer -> answer instanceof StateAnswer.Absent absent && absent.neverWritten())
            .isPresent();
    return linked && none ? Completeness.PROVEN : Completeness.SERVICE_WORD;
  }

  /// All journals from it on were looked at, says the service; empty before the first page.
  public Optional<Jsn> scannedTo() {
    return Optional.ofNullable(page).map(last -> new Jsn(last.scannedTo()));
  }

  /// The purge that removed the journals below {@link #scannedTo}, says the service, of a history
  /// that is over.
  public Optional<Jsn> purge() {
    return Optional.ofNullable(page).flatMap(HistoryReader.Page::purge);
  }

  /// Of a history that is over, the key in the state before its oldest write; empty if the service
  /// does not show it.
  public Optional<StateReading> before() {
    return Optional.ofNullable(page).flatMap(HistoryReader.Page::before);
  }
}
