package io.tallystick.storage.forest;

import io.tallystick.model.StrandId;
import io.tallystick.storage.forest.SavedList.Saved;
import io.tallystick.storage.forest.SavedList.SavedFile;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The files of a strand's closed partitions, each opened when a version that has it is first asked
/// for. Thread-safe.
final class PartFiles implements AutoCloseable {
  private final ForestStore store;
  private final StrandId strand;
  private final Map<String, PartFile> open = new HashMap<>(); // guarded by itself

  PartFiles(ForestStore store, StrandId strand) {
    this.store = store;
    this.strand = strand;
  }

  /// Deletes the files that a crash or a stop has left.
  void deleteUnnamed(SavedVersions saved) throws IOException, CorruptStreamException {
    String directory = PartFormat.directory(strand);
    List<String> found = store.disk().list(directory);
    if (found.isEmpty()) {
      return; // no row need be read
    }
    Set<String> named = named(saved.versions(), saved);
    for (String name : found) {
      if (!named.contains(directory + "/" + name)) {
        store.deletions().delete(directory + "/" + name);
      }
    }
  }

  private Set<String> named(List<Saved> versions, SavedVersions saved)
      throws IOException, CorruptStreamException {
    Set<String> named = new HashSet<>();
    for (Saved version : versions) {
      ForestHead head = saved.row(version.height());
      for (ForestHead.Part part : head == null ? List.<ForestHead.Part>of() : head.parts()) {
        if (part.file() != ForestHead.Part.IN_SLOTS) {
          named.add(PartFormat.name(strand, part.number(), part.file()));
        }
      }
    }
    return named;
  }

  /// The partitions of a row.
  ///
  /// @throws CorruptStreamException if a file is not there, or not whole
  List<ForestPartition> partitions(ForestHead head) throws IOException, CorruptStreamException {
    List<ForestPartition> partitions = new ArrayList<>();
    synchronized (open) {
      for (ForestHead.Part part : head.parts()) {
        PageSource pages =
            part.file() == ForestHead.Part.IN_SLOTS
                ? store.slotPages()
                : file(part.number(), part.file());
        partitions.add(
            new ForestPartition(
                part.number(), part.firstHeight(), part.lastHeight(), part.root(), pages));
      }
    }
    return partitions;
  }

  /// The same, but null if the row is no longer what is saved: its files may be gone.
  @Nullable List<ForestPartition> partitionsIf(ForestHead head, BooleanSupplier isSaved)
      throws IOException, CorruptStreamException {
    synchronized (open) {
      return isSaved.getAsBoolean() ? partitions(head) : null;
    }
  }

  private PartFile file(long number, long serial) throws IOException, CorruptStreamException {
    String name = PartFormat.name(strand, number, serial);
    PartFile file = open.get(name);
    if (file == null) {
      file = PartFile.open(store.disk(), strand, number, serial, store.nextSource());
      open.put(name, file);
    }
    return file;
  }

  /// A partition was moved to a file, which is open.
  void add(ForestPartition moved) {
    if (moved.pages() instanceof PartFile file) {
      synchronized (open) {
        open.put(file.name(), file);
      }
    }
  }

  /// No version has a file any more.
  void drop(SavedFile gone) {
    drop(PartFormat.name(strand, gone.number(), gone.serial()));
  }

  void drop(String name) {
    synchronized (open) {
      store.dropFile(name, open.remove(name));
    }
  }

  /// The files that versions above a height have, and no other.
  Set<String> above(long height, SavedVersions saved) throws IOException, CorruptStreamException {
    List<Saved> above = new ArrayList<>(saved.versions());
    above.removeIf(version -> version.height() <= height);
    List<Saved> others = new ArrayList<>(saved.versions());
    others.removeAll(above);
    Set<String> names = named(above, saved);
    names.removeAll(named(others, saved));
    return names;
  }

  /// Another state has taken the place of this one. A file that only a row names which cannot be
  /// read stays until the state is opened again.
  void dropAll(SavedVersions saved) throws IOException {
    Set<String> all = new HashSet<>();
    try {
      all.addAll(named(saved.versions(), saved));
    } catch (CorruptStreamException _) {
      // The files that are open go all the same.
    }
    synchronized (open) {
      all.addAll(open.keySet());
    }
    all.forEach(this::drop);
  }

  @Override
  public void close() throws IOException {
    synchronized (open) {
      for (PartFile file : open.values()) {
        file.close();
      }
      open.clear();
    }
  }
}
