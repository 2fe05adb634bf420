package io.tallystick.server.state;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.FramePlace;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.JsnSet;
import io.tallystick.server.world.Purge;
import io.tallystick.server.world.Removals;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.forest.ForestReader;
import io.tallystick.storage.forest.ForestVersion;
import io.tallystick.storage.forest.ScratchForest;
import io.tallystick.storage.forest.VersionAt;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The copies of states that purges leave, three files for each purge: the state as of its block,
/// from which it is filled again when the operations are gone; the same as auditors take it over;
/// and the values that lie in bodies which go. They are made beside appends, before a purge is
/// asked for, and are used while it is the last. One for each shard; thread-safe. Source:
/// `docs/formats/state-pages.md`, "Image".
public final class StateImages {
  public static final String DIRECTORY = "images";
  static final String STATE = ".state";
  public static final String VALUES = ".values";

  /// Served as `snapshot/state`.
  private static final String SNAPSHOT = ".tallysti";

  private static final Set<String> ALL = Set.of(STATE, VALUES, SNAPSHOT);

  /// The ending of a file that is being made.
  public static final String NEW = ".new";

  /// The beginning of a folder's name that a state is made in; its end is {@link #NEW}.
  private static final String SCRATCH = ".scratch.";

  /// The newest version moves on while it is opened.
  private static final int TRIES_MAX = 100;

  private static final Pattern NAME =
      Pattern.compile("([0-9a-f]{64})-([0-9]{1,9})-([0-9]{1,18})\\.[a-z]+");

  private final Disk disk;
  private final LocalImages local;

  /// Held by whoever names files, deletes them, or makes zeros of values; and to open one.
  private final Object naming = new Object();

  private final Set<StrandId> making = new HashSet<>();

  /// How often values of a strand were made zeros.
  private final Map<StrandId, Long> erasures = new ConcurrentHashMap<>();

  private StateImages(Disk disk, LocalImages local) {
    this.disk = disk;
    this.local = local;
  }

  /// Deletes the images that a crash has left unfinished, those of clues too: an occult that was
  /// carried out before the crash did not look for its values in them.
  ///
  /// @param disk on which nobody makes images now
  public static StateImages open(Disk disk, LocalImages local) throws IOException {
    delete(disk, file -> file.endsWith(NEW));
    return new StateImages(disk, local);
  }

  private static String prefix(StrandId strand) {
    return String.format(Locale.ROOT, "%s-%d-", strand.ledger().digest().hex(), strand.strand());
  }

  static String name(StrandId strand, long height, String suffix) {
    return DIRECTORY + "/" + prefix(strand) + height + suffix;
  }

  /// The file of an image, also of clues.
  public static String file(StrandId strand, long height, String suffix) {
    return name(strand, height, suffix);
  }

  /// Of the images that there are of a height, those of clues too, ascending.
  public static List<String> suffixes(Disk disk, StrandId strand, long height) throws IOException {
    String begin = prefix(strand) + height + ".";
    return disk.list(DIRECTORY).stream()
        .filter(file -> file.startsWith(begin) && !file.endsWith(NEW))
        .map(file -> file.substring(begin.length() - 1))
        .toList();
  }

  /// What images are of.
  public record Snapshot(StrandId strand, long height) {}

  /// All of which there are images, those of clues too.
  public static Set<Snapshot> snapshots(Disk disk) throws IOException {
    Set<Snapshot> all = new HashSet<>();
    for (String file : disk.list(DIRECTORY)) {
      Matcher name = NAME.matcher(file);
      if (name.matches() && !file.endsWith(NEW)) {
        StrandId strand =
            new StrandId(
                new LedgerId(Digest.fromHex(name.group(1))), Integer.parseInt(name.group(2)));
        all.add(new Snapshot(strand, Long.parseLong(name.group(3))));
      }
    }
    return all;
  }

  /// Deletes all images but some, those of clues too. Nobody makes any meanwhile.
  public static void deleteAllBut(Disk disk, Set<String> files) throws IOException {
    delete(disk, file -> !files.contains(DIRECTORY + "/" + file));
  }

  /// Gives a file that was forced its name, durable on return.
  ///
  /// @param name that it has with {@link #NEW} behind it, closed
  public static void publish(Disk disk, String name) throws IOException {
    disk.rename(name + NEW, name);
    disk.forceDirectory(DIRECTORY);
  }

  /// How often values of a strand were made zeros: if not since images were published, what is read
  /// of them is whole.
  public long erasures(StrandId strand) {
    synchronized (naming) {
      return erasuresUntilNow(strand);
    }
  }

  /// The same without waiting for the erasing that is under way.
  public long erasuresUntilNow(StrandId strand) {
    return erasures.getOrDefault(strand, 0L);
  }

  /// Begins to make the files for a purge, with the state that the last purge has left. Nobody else
  /// makes some for the strand until the result is closed.
  ///
  /// @param height of the last block that the purge removes
  /// @param last purge of the strand, if there is one
  /// @throws RequestRejectedException `UNAVAILABLE` if another thread makes some
  public Making begin(StrandIndex strand, long height, Optional<Purge> last, BatchHasher hasher)
      throws IOException, CorruptStreamException, RequestRejectedException {
    synchronized (naming) {
      if (!making.add(strand.strand())) {
        throw new RequestRejectedException(
            RejectionCode.UNAVAILABLE, "another purge of the ledger is being prepared");
      }
    }
    Making begun = null;
    try {
      deleteUnfinished(strand.strand());
      begun = new Making(strand, height, scratch(strand, height, last, hasher));
      return begun;
    } finally {
      if (begun == null) {
        end(strand.strand());
      }
    }
  }

  private ScratchForest scratch(
      StrandIndex strand, long height, Optional<Purge> last, BatchHasher hasher)
      throws IOException, CorruptStreamException {
    StrandId id = strand.strand();
    ScratchForest scratch =
        ScratchForest.open(
            disk, name(id, height, SCRATCH), NEW, id, StateStores.params(strand), hasher);
    boolean done = false;
    try {
      if (last.isPresent()) {
        load(scratch, id, last.get().height());
      }
      done = true;
      return scratch;
    } finally {
      if (!done) {
        scratch.close();
      }
    }
  }

  private static void load(ScratchForest scratch, StrandId strand, long purged)
      throws IOException, CorruptStreamException {
    String image = name(strand, purged, STATE);
    checkHeight(image, scratch.load(image), purged);
  }

  /// @param height of an image that was read
  /// @param purged of the last block that its purge removes
  static void checkHeight(String image, long height, long purged) throws CorruptStreamException {
    if (height != purged) {
      throw new CorruptStreamException(
          image, 0, String.format(Locale.ROOT, "the image of block %d, want %d", height, purged));
    }
  }

  private void end(StrandId strand) {
    synchronized (naming) {
      making.remove(strand);
    }
  }

  /// The files of a purge that is being prepared. One thread's.
  public final class Making implements AutoCloseable {
    private final StrandIndex strand;
    private final long height;
    private final ScratchForest state;

    private Making(StrandIndex strand, long height, ScratchForest state) {
      this.strand = strand;
      this.height = height;
      this.state = state;
    }

    /// Carries out the operations of a block: in ascending order, each of those that only this
    /// purge removes.
    public void add(BlockInfo block, FramePlace place) throws IOException, CorruptStreamException {
      if (!block.genesis() && block.hasOperations()) {
        state.apply(block.height(), BlockWrites.of(block, place));
      }
    }

    /// Makes the files, durable on return. Each takes the place of one of the same height. Once,
    /// after the last block.
    ///
    /// @param firstKept the lowest jsn that the purge leaves
    /// @throws RequestRejectedException `PURGE_TOO_LOW` if such a purge came meanwhile;
    ///   `UNAVAILABLE` if the state changes too fast
    public void finish(LogReader log, long firstKept)
        throws IOException, CorruptStreamException, RequestRejectedException {
      checkSealed(strand, height, state.root());
      state.writeImage(name(strand.strand(), height, STATE + NEW), height);
      List<String> made = new ArrayList<>(List.of(STATE, VALUES));
      if (state.partitionCount() > 0) {
        state.writeSnapshot(name(strand.strand(), height, SNAPSHOT + NEW));
        made.add(SNAPSHOT);
      }
      copyValues(strand, log, height, firstKept);
      publish(strand, height, made);
    }

    /// Deletes what was not finished, before {@link #erase} may take it for that of nobody: it
    /// passed over it meanwhile.
    @Override
    public void close() throws IOException {
      try {
        state.close();
      } finally {
        try {
          deleteUnfinished(strand.strand());
        } finally {
          end(strand.strand());
        }
      }
    }
  }

  /// Copies the values of the newest block: what is current is wanted as long as the purge is the
  /// last.
  private void copyValues(StrandIndex strand, LogReader log, long height, long firstKept)
      throws IOException, CorruptStreamException, RequestRejectedException {
    for (int i = 0; i < TRIES_MAX; i++) {
      long newest = strand.head().height();
      if (StrandState.of(strand).versionAt(newest)
          instanceof VersionAt.Kept(ForestVersion version)) {
        Optional<ForestReader> open = version.open();
        if (open.isPresent()) {
          try (ForestReader reader = open.get()) {
            checkSealed(strand, newest, version.root());
            copyValues(strand, log, reader, height, firstKept);
            return;
          }
        }
      }
    }
    throw ProvenStateReader.tooFast(strand);
  }

  private static void checkSealed(StrandIndex strand, long height, StateRoot root)
      throws IOException, CorruptStreamException {
    Digest sealed = strand.block(height).stateRoot();
    if (!root.digest().equals(sealed)) {
      throw new CorruptStreamException(
          "state of " + strand.strand(),
          height,
          String.format(Locale.ROOT, "root is %s, the block sealed %s", root.digest(), sealed));
    }
  }

  /// One that cannot be read is left out: it is damaged already, or occulted.
  private void copyValues(
      StrandIndex strand, LogReader log, ForestReader reader, long height, long firstKept)
      throws IOException, CorruptStreamException {
    String name = name(strand.strand(), height, VALUES + NEW);
    try (ValueCopies.Writer copies = new ValueCopies.Writer(disk, name, strand.strand(), height)) {
      ValueCopying.run(
          reader,
          held -> held.entry().jsn().value() < firstKept,
          new ValueReader(log, this).of(strand),
          (entry, read) -> {
            if (read.state() == BodyState.PRESENT) {
              copies.add(entry, read.value().orElseThrow());
            }
          });
      copies.finish();
    }
  }

  /// Gives the files their names, unless what they were made from may be erased already. Values
  /// that were occulted meanwhile are made zeros first: whoever erases later finds the files.
  private void publish(StrandIndex strand, long height, List<String> made)
      throws IOException, CorruptStreamException, RequestRejectedException {
    StrandId id = strand.strand();
    synchronized (naming) {
      Removals removals = strand.head().governance().removals();
      Optional<Purge> last = removals.lastPurge();
      if (last.isPresent() && last.get().height() >= height) {
        throw new RequestRejectedException(
                RejectionCode.PURGE_TOO_LOW,
                String.format(
                    Locale.ROOT, "all up to block %d is purged already", last.get().height()))
            .withLimit(last.get().height());
      }
      erase(id, height, VALUES + NEW, removals::isOcculted);
      for (String suffix : made) {
        disk.rename(name(id, height, suffix + NEW), name(id, height, suffix));
      }
      disk.forceDirectory(DIRECTORY);
    }
  }

  private void erase(StrandId strand, long height, String suffix, LongPredicate journals)
      throws IOException, CorruptStreamException {
    try (ValueCopies copies =
        ValueCopies.open(disk, name(strand, height, suffix), strand, height)) {
      copies.erase(journals);
    }
  }

  /// The copies that the last purge of a strand leaves.
  ///
  /// @throws CorruptStreamException if they are missing or damaged
  ValueCopies copies(StrandIndex strand) throws IOException, CorruptStreamException {
    Purge purge = strand.head().governance().removals().lastPurge().orElseThrow();
    String name = name(strand.strand(), purge.height(), VALUES);
    local.check(strand.strand(), purge.height(), VALUES);
    synchronized (naming) {
      return ValueCopies.open(disk, name, strand.strand(), purge.height());
    }
  }

  /// The state as of a purge's block, as auditors take it over.
  ///
  /// @param height of the last block that the purge removes
  /// @return closed by the caller; empty if the state was empty then, or the strand has none
  public Optional<DiskFile> snapshot(StrandId strand, long height) throws IOException {
    String name = name(strand, height, SNAPSHOT);
    local.check(strand, height, SNAPSHOT);
    synchronized (naming) {
      return disk.exists(name) ? Optional.of(disk.open(name)) : Optional.empty();
    }
  }

  /// To be called before the file of an image of clues is opened.
  ///
  /// @throws ImageNotFetchedException if it is to be fetched
  public void checkThere(StrandId strand, long height, String suffix)
      throws ImageNotFetchedException {
    local.check(strand, height, suffix);
  }

  /// Makes zeros of the copies of values that an occult erases. Forced on return. Copies that are
  /// being made are left alone: whoever makes them does it, or deletes them. Those of purges that
  /// leave all of the journals are not read.
  ///
  /// @param journals at least one
  /// @return the heights of the copies in which there may have been some
  public Set<Long> erase(StrandIndex strand, JsnSet journals)
      throws IOException, CorruptStreamException {
    StrandId id = strand.strand();
    Set<Long> heights = new HashSet<>();
    synchronized (naming) {
      if (!making.contains(id)) {
        deleteUnfinished(id);
      }
      for (String file : disk.list(DIRECTORY)) {
        long height = heightOf(id, file, VALUES::equals);
        if (height >= 0 && !endsBelow(strand, height, journals.first())) {
          erase(id, height, VALUES, journals::contains);
          heights.add(height);
        }
      }
      erasures.merge(id, 1L, Long::sum);
    }
    return heights;
  }

  /// Whether all that a purge up to a block removes is known to lie below a journal: after a start
  /// the block may not be applied again yet.
  private static boolean endsBelow(StrandIndex strand, long height, long jsn)
      throws IOException, CorruptStreamException {
    return height <= strand.head().height() && strand.block(height).size() <= jsn;
  }

  /// Deletes the files of a strand below a height: those of purges that are carried out, and of
  /// snapshots that none can name any more.
  public void deleteBelow(StrandId strand, long height) throws IOException {
    delete(strand, each -> each < height);
  }

  /// Deletes the files of a strand but those of the given heights.
  public void deleteOthers(StrandId strand, Set<Long> heights) throws IOException {
    delete(strand, each -> !heights.contains(each));
  }

  private void delete(StrandId strand, LongPredicate heights) throws IOException {
    synchronized (naming) {
      if (!making.contains(strand)) {
        deleteUnfinished(strand);
      }
      delete(
          disk,
          file -> {
            long height = heightOf(strand, file, ALL::contains);
            return height >= 0 && heights.test(height);
          });
    }
  }

  /// Deletes the files that a failure has left.
  private void deleteUnfinished(StrandId strand) throws IOException {
    synchronized (naming) {
      delete(disk, file -> heightOf(strand, file, StateImages::isUnfinished) >= 0);
    }
  }

  private static boolean isUnfinished(String suffix) {
    return suffix.endsWith(NEW)
        && (suffix.startsWith(SCRATCH)
            || ALL.contains(suffix.substring(0, suffix.length() - NEW.length())));
  }

  private static void delete(Disk disk, Predicate<String> files) throws IOException {
    boolean deleted = false;
    for (String file : disk.list(DIRECTORY)) {
      if (files.test(file)) {
        disk.delete(DIRECTORY + "/" + file);
        deleted = true;
      }
    }
    if (deleted) {
      disk.forceDirectory(DIRECTORY);
    }
  }

  /// −1 if the file is none of the strand's with such a suffix.
  private static long heightOf(StrandId strand, String file, Predicate<String> suffix) {
    int begin = prefix(strand).length();
    int dot = file.indexOf('.');
    return dot > begin && file.startsWith(prefix(strand)) && suffix.test(file.substring(dot))
        ? Long.parseLong(file.substring(begin, dot))
        : -1;
  }
}
