package io.tallystick.proxy.access;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The operator's list of founders. It is read again when its file has changed; one that cannot be
/// read leaves the last that could in force. Thread-safe.
final class ListedFounders {
  private static final Logger LOG = LoggerFactory.getLogger(ListedFounders.class);

  private final Path file;
  private final Tokens invitations;
  private final String authority;
  private final LongSupplier timeMs;

  private FoundersFile list;
  private @Nullable Stamp stamp;

  /// Changes whenever the file's content was replaced in a way an editor or a mount does it.
  private record Stamp(FileTime modified, long bytes, @Nullable Object key) {
    static Stamp of(Path file) throws IOException {
      var attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Stamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    }
  }

  private ListedFounders(Path file, Signatures signatures, String authority, LongSupplier timeMs)
      throws IOException {
    this.file = file;
    this.invitations = new Tokens(TokenKind.INVITATION, signatures);
    this.authority = authority;
    this.timeMs = timeMs;
    // First: what changes behind it is read again.
    this.stamp = Stamp.of(file);
    this.list = FoundersFile.read(file);
  }

  static Founders of(Path file, Signatures signatures, String authority, LongSupplier timeMs)
      throws IOException {
    ListedFounders listed = new ListedFounders(file, signatures, authority, timeMs);
    return invitation -> params -> listed.check(params, invitation);
  }

  private void check(GenesisParams params, @Nullable String invitation)
      throws RequestRejectedException {
    FoundersFile now = current();
    List<Digest> owners = params.owners().stream().map(PublicKey::kid).toList();
    if (owners.stream().anyMatch(now.founders()::contains)) {
      return;
    }
    if (invitation == null) {
      throw Founders.notAllowed(
          "no owner is on this service's list of founders, and there is no invitation");
    }
    if (invitation.length() > Bearer.TOKEN_CHARS_MAX) {
      throw Tokens.invalid("invitation of " + invitation.length() + " characters");
    }
    SignedToken token =
        invitations.verify(
            invitation, kid -> Optional.ofNullable(now.inviters().get(kid)), timeMs.getAsLong());
    // The signature may be remembered from before the inviter was struck off.
    if (!now.inviters().containsKey(token.signer())) {
      throw TokenKind.INVITATION.untrustedSigner();
    }
    if (!token.audience().contains(authority)) {
      throw Tokens.invalid("invitation is for " + token.audience() + ", not for " + authority);
    }
    if (owners.stream().noneMatch(owner -> owner.hex().equals(token.subject()))) {
      throw Founders.notAllowed("the invitation is for " + token.subject() + ", who is no owner");
    }
  }

  private synchronized FoundersFile current() {
    Stamp now = null;
    try {
      now = Stamp.of(file);
      if (!now.equals(stamp)) {
        list = FoundersFile.read(file);
        LOG.info(
            "Read {}: {} founders, {} inviters",
            file,
            list.founders().size(),
            list.inviters().size());
      }
    } catch (IOException e) {
      // Told once, not to everybody who comes until it is mended.
      if (stamp == null || !stamp.equals(now)) {
        LOG.error("The list of founders cannot be read; the last one stays in force", e);
      }
    }
    stamp = now;
    return list;
  }
}
