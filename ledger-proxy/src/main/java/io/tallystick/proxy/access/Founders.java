package io.tallystick.proxy.access;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.journal.GenesisParams;
import io.tallystick.master.FoundingRule;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Who may found a ledger here: anyone, nobody, or whom the operator's list names. The list is read
/// again when its file has changed; one that cannot be read leaves the last that could in force.
/// Thread-safe. Source: `docs/access.md`.
public final class Founders {
  private static final Logger LOG = LoggerFactory.getLogger(Founders.class);

  private enum Rule {
    ANYONE,
    NOBODY,
    LISTED
  }

  private final Rule rule;
  private final Path file;
  private final Tokens invitations;
  private final String authority;
  private final InstantSource clock;

  private FoundersFile list;
  private @Nullable Stamp stamp;

  /// Changes whenever the file's content was replaced in a way an editor or a mount does it.
  private record Stamp(FileTime modified, long bytes, @Nullable Object key) {
    static Stamp of(Path file) throws IOException {
      var attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Stamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    }
  }

  private Founders(
      Rule rule, Path file, FoundersFile list, Signatures signatures, String authority) {
    this.rule = rule;
    this.file = file;
    this.list = list;
    this.invitations = new Tokens(TokenKind.INVITATION, signatures);
    this.authority = authority;
    this.clock = InstantSource.system();
  }

  public static Founders anyone(Signatures signatures) {
    return unlisted(Rule.ANYONE, signatures);
  }

  public static Founders nobody(Signatures signatures) {
    return unlisted(Rule.NOBODY, signatures);
  }

  private static Founders unlisted(Rule rule, Signatures signatures) {
    return new Founders(rule, Path.of(""), new FoundersFile(Set.of(), Map.of()), signatures, "");
  }

  /// @param authority what an invitation must be for
  /// @throws IOException if the list cannot be read; the message names file and line
  public static Founders listedIn(Path file, Signatures signatures, String authority)
      throws IOException {
    Stamp stamp = Stamp.of(file);
    Founders founders =
        new Founders(Rule.LISTED, file, FoundersFile.read(file), signatures, authority);
    founders.stamp = stamp;
    return founders;
  }

  /// The rule for a founding that came with this invitation.
  ///
  /// @param invitation a token as sent; null if there was none
  public FoundingRule with(@Nullable String invitation) {
    return params -> check(params, invitation);
  }

  private void check(GenesisParams params, @Nullable String invitation)
      throws RequestRejectedException {
    switch (rule) {
      case ANYONE -> {}
      case NOBODY -> throw notAllowed("this service has no list of founders");
      case LISTED -> checkListed(params, invitation);
    }
  }

  private void checkListed(GenesisParams params, @Nullable String invitation)
      throws RequestRejectedException {
    FoundersFile now = current();
    List<Digest> owners = params.owners().stream().map(PublicKey::kid).toList();
    if (owners.stream().anyMatch(now.founders()::contains)) {
      return;
    }
    if (invitation == null) {
      throw notAllowed(
          "no owner is on this service's list of founders, and there is no invitation");
    }
    if (invitation.length() > Bearer.TOKEN_CHARS_MAX) {
      throw Tokens.invalid("invitation of " + invitation.length() + " characters");
    }
    SignedToken token =
        invitations.verify(
            invitation, kid -> Optional.ofNullable(now.inviters().get(kid)), clock.millis());
    // The signature may be remembered from before the inviter was struck off.
    if (!now.inviters().containsKey(token.signer())) {
      throw TokenKind.INVITATION.nobody();
    }
    if (!token.audience().contains(authority)) {
      throw Tokens.invalid("invitation is for " + token.audience() + ", not for " + authority);
    }
    if (owners.stream().noneMatch(owner -> owner.hex().equals(token.subject()))) {
      throw notAllowed("the invitation is for " + token.subject() + ", who is no owner");
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

  private static RequestRejectedException notAllowed(String detail) {
    return new RequestRejectedException(RejectionCode.FOUNDING_NOT_ALLOWED, detail);
  }
}
