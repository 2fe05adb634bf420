package io.tallystick.crypto.provider;

import io.tallystick.model.Digest;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A cache of the keys used last, by kid; the one unused for longest goes first. Thread-safe: one
/// short lock, small beside the signature it serves.
final class KeyCache<V> {
  private static final float LOAD_FACTOR = 0.75f;

  private final int entriesMax;
  private final LinkedHashMap<Digest, V> entries = new LinkedHashMap<>(64, LOAD_FACTOR, true);

  KeyCache(int entriesMax) {
    this.entriesMax = entriesMax;
  }

  synchronized @Nullable V get(Digest kid) {
    return entries.get(kid);
  }

  synchronized void put(Digest kid, V value) {
    entries.put(kid, value);
    if (entries.size() > entriesMax) {
      Map.Entry<Digest, V> eldest = entries.firstEntry();
      entries.remove(eldest.getKey());
    }
  }

  synchronized int size() {
    return entries.size();
  }
}
