package io.tallystick.client.state;

import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.TreeMap;

/// Several keys as the state of one block holds them, all proven under the block's head.
public final class StateReadings {
  private final VerifiedBlock block;
  private final List<KeysPage> pages;
  private final NavigableMap<Bytes, HeldKey> keys = new TreeMap<>();

  /// @param pages of all keys asked for
  StateReadings(VerifiedBlock block, List<KeysPage> pages) {
    this.block = block;
    this.pages = List.copyOf(pages);
    pages.forEach(page -> page.keys().forEach(each -> keys.put(each.key(), each)));
  }

  /// The block whose state it is.
  public VerifiedBlock block() {
    return block;
  }

  public long height() {
    return block.height();
  }

  public SignedHead head() {
    return block.head();
  }

  /// All keys asked for, each once, in ascending order.
  public List<HeldKey> keys() {
    return new ArrayList<>(keys.values());
  }

  /// @throws IllegalArgumentException if the key was not asked for
  public HeldKey of(Bytes key) {
    HeldKey found = keys.get(key);
    if (found == null) {
      throw new IllegalArgumentException("key " + Printable.name(key) + " was not asked for");
    }
    return found;
  }

  public HeldKey of(String key) {
    return of(Bytes.utf8(key));
  }

  /// The keys in the pages in which the service proved them; one, unless they are many or their
  /// values are large.
  public List<KeysPage> pages() {
    return pages;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "StateReadings[%d keys at height %d]", keys.size(), block.height());
  }
}
