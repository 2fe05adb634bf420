package io.tallystick.client.trust;

import io.tallystick.client.failure.TrustStoreException;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.TreeSize;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The heads of one log that a user has set as trusted anchors, on the disk and verified when they
/// were read. Immutable.
public final class SetAnchors {
  private final NavigableMap<TreeSize, SignedHead> bySize;

  private SetAnchors(NavigableMap<TreeSize, SignedHead> bySize) {
    this.bySize = bySize;
  }

  /// @param statements read from the folder before `trust` and `trusted` were
  /// @param trusted the newest trusted head, which no anchor is beyond
  static SetAnchors of(
      List<Bytes> statements,
      TrustFolder folder,
      ServiceTrust trust,
      Signatures signatures,
      Optional<SignedHead> trusted)
      throws TrustStoreException {
    Path path = folder.anchorPath(trust.strand());
    SetAnchors anchors = verified(path, statements, trust, signatures);
    if (!anchors.bySize.isEmpty()) {
      TreeSize largest = anchors.bySize.lastKey();
      if (trusted.isEmpty() || trusted.get().size().compareTo(largest) < 0) {
        throw new TrustStoreException(
            String.format(
                Locale.ROOT,
                "%s has an anchor of size %s, beyond the newest trusted head: that was set back",
                path,
                largest));
      }
    }
    return anchors;
  }

  private static SetAnchors verified(
      Path path, List<Bytes> statements, ServiceTrust trust, Signatures signatures)
      throws TrustStoreException {
    NavigableMap<TreeSize, SignedHead> bySize = new TreeMap<>();
    for (Bytes statement : statements) {
      SignedHead head = StoredHead.verify(path, statement, trust, signatures);
      bySize.put(head.size(), head);
    }
    return new SetAnchors(bySize);
  }

  /// With one more, durably; what another process has set meanwhile is there too.
  ///
  /// @param head joined to the trusted log
  static SetAnchors add(
      TrustFolder folder, FollowedKeys keys, Signatures signatures, SignedHead head)
      throws TrustStoreException {
    Path path = folder.anchorPath(head.strand());
    NavigableMap<TreeSize, SignedHead> all = new TreeMap<>();
    folder.changeAnchors(
        head.strand(),
        statements -> {
          // Another process may have set one that is signed by a key it has followed.
          keys.reread();
          all.putAll(verified(path, statements, keys.trust(), signatures).bySize);
          all.put(head.size(), head);
          while (all.size() > AnchorFile.ANCHORS_MAX) {
            Map.Entry<TreeSize, SignedHead> unused = all.pollFirstEntry();
          }
          return all.values().stream().map(each -> each.evidence().encoded()).toList();
        });
    return new SetAnchors(all);
  }

  /// Ascending by size.
  public List<SignedHead> all() {
    return List.copyOf(bySize.values());
  }

  /// The smallest that covers a jsn.
  public Optional<SignedHead> above(Jsn jsn) {
    return Optional.ofNullable(bySize.higherEntry(new TreeSize(jsn.value())))
        .map(Map.Entry::getValue);
  }
}
