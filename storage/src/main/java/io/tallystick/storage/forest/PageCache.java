package io.tallystick.storage.forest;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/// The pages of a shard's states that were read or written lately, in bounded memory. Thread-safe.
///
/// A slot is written again only when no reader has a version with it. So what a reader puts here is
/// there before the new page of the slot, which replaces it.
final class PageCache {
  private static final int KEY_BYTES = 128; // of a key and of what the cache keeps with it

  private static final ThreadLocal<NodeHashing> HASHING = ThreadLocal.withInitial(NodeHashing::new);

  private final Cache<Key, ForestPage> pages;

  /// Where a page lies.
  private record Key(long source, long address) {}

  PageCache(long bytesMax) {
    this.pages =
        Caffeine.newBuilder()
            .maximumWeight(bytesMax)
            .weigher((Key _, ForestPage page) -> KEY_BYTES + page.bytes())
            .executor(Runnable::run)
            .build();
  }

  /// The page of a node, as its checksum vouches for it.
  ///
  /// @throws CorruptStreamException if it is damaged
  ForestPage get(PageSource source, NodeRef ref) throws IOException, CorruptStreamException {
    ForestPage held = ref.page();
    if (held != null) {
      return held;
    }
    Key key = new Key(source.id(), ref.address());
    ForestPage page = pages.getIfPresent(key);
    if (page == null) {
      page = source.read(ref.address());
      pages.put(key, page);
    }
    checkShape(source, ref, page);
    return page;
  }

  private static void checkShape(PageSource source, NodeRef ref, ForestPage page)
      throws CorruptStreamException {
    if (page.level() != ref.level() || page.entryCount() != ref.entryCount()) {
      throw source.damage(
          ref.address(),
          String.format(
              Locale.ROOT,
              "node of level %d over %d entries, want level %d over %d",
              page.level(),
              page.entryCount(),
              ref.level(),
              ref.entryCount()));
    }
  }

  /// The page of a node, which has the hash that its parent or partition says.
  ///
  /// @throws CorruptStreamException if it has not
  ForestPage verified(PageSource source, NodeRef ref) throws IOException, CorruptStreamException {
    return verified(source, ref, get(source, ref));
  }

  /// As {@link #verified}, for the owner, who makes another page of it. It does not stay here: only
  /// older versions need it from then on.
  ForestPage toReplace(PageSource source, NodeRef ref) throws IOException, CorruptStreamException {
    ForestPage page = ref.page();
    if (page == null) {
      page = pages.asMap().remove(new Key(source.id(), ref.address()));
    }
    if (page == null) {
      page = source.read(ref.address());
    }
    checkShape(source, ref, page);
    if (page.hashIfKnown() == null) {
      HASHING.get().hashToReplace(page, BatchHasher.cpu());
    }
    return verified(source, ref, page);
  }

  /// As {@link #verified}, for one pass over a partition: the page does not take the place of
  /// others.
  ForestPage scanned(PageSource source, NodeRef ref) throws IOException, CorruptStreamException {
    ForestPage page = ref.page();
    if (page == null) {
      page = pages.getIfPresent(new Key(source.id(), ref.address()));
    }
    if (page == null) {
      page = source.read(ref.address());
      checkShape(source, ref, page);
    }
    return verified(source, ref, page);
  }

  private ForestPage verified(PageSource source, NodeRef ref, ForestPage page)
      throws CorruptStreamException {
    Digest hash = page.hashIfKnown();
    if (hash == null) {
      HASHING.get().hash(List.of(page), 0, 1, BatchHasher.cpu());
      hash = page.hash();
    }
    if (!hash.equals(ref.hash())) {
      pages.invalidate(new Key(source.id(), ref.address()));
      throw source.damage(
          ref.address(),
          String.format(Locale.ROOT, "node has the hash %s, want %s", hash, ref.hash()));
    }
    return page;
  }

  /// Takes a page that was just written.
  void put(PageSource source, long address, ForestPage page) {
    pages.put(new Key(source.id(), address), page);
  }

  /// Forgets what was at an address where another page was just written.
  void forget(PageSource source, long address) {
    pages.invalidate(new Key(source.id(), address));
  }

  /// The memory that the pages held take, about.
  long bytes() {
    pages.cleanUp();
    return pages.policy().eviction().orElseThrow().weightedSize().orElseThrow();
  }
}
