package io.tallystick.proxy.access;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The operator's list of founders. Thread-safe.
final class ListedFounders {
  private final Tokens invitations;
  private final String authority;
  private final LongSupplier timeMs;

  private final RereadFile<FoundersFile> list;

  private ListedFounders(Path file, Signatures signatures, String authority, LongSupplier timeMs)
      throws IOException {
    this.invitations = new Tokens(TokenKind.INVITATION, signatures);
    this.authority = authority;
    this.timeMs = timeMs;
    this.list = new RereadFile<>(file, FoundersFile::read);
  }

  static Founders of(Path file, Signatures signatures, String authority, LongSupplier timeMs)
      throws IOException {
    ListedFounders listed = new ListedFounders(file, signatures, authority, timeMs);
    return invitation -> params -> listed.check(params, invitation);
  }

  private void check(GenesisParams params, @Nullable String invitation)
      throws RequestRejectedException {
    FoundersFile now = list.current();
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
}
