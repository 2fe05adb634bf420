package io.tallystick.server.state;

import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// What this process knows of the files of images on its disk, over all openings of a shard: which
/// it lacks, because their objects were not fetched yet, and what is in those that are changed in
/// their place. Thread-safe.
public final class LocalImages {
  private final Set<String> missing = ConcurrentHashMap.newKeySet();
  private final Map<String, Digest> contents = new ConcurrentHashMap<>();

  /// These files, and no others, are to be fetched.
  public void areMissing(Set<String> files) {
    missing.retainAll(files);
    missing.addAll(files);
  }

  boolean isMissing(String file) {
    return missing.contains(file);
  }

  /// A file was fetched, or is wanted no more.
  public void isMissingNoMore(String file) {
    missing.remove(file);
  }

  /// @param sha256 of its bytes
  public void has(String file, Digest sha256) {
    contents.put(file, sha256);
  }

  /// Whether a file was last found to hold these bytes.
  public boolean isKnown(String file, Digest sha256) {
    Digest found = contents.get(file);
    return found != null && found.equals(sha256);
  }

  /// To be called before a file is opened to be read.
  ///
  /// @throws ImageNotFetchedException if it is to be fetched
  public void check(StrandId strand, long height, String suffix) throws ImageNotFetchedException {
    String file = StateImages.file(strand, height, suffix);
    if (isMissing(file)) {
      throw new ImageNotFetchedException(file);
    }
  }
}
