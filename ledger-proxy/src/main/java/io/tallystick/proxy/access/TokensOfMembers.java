package io.tallystick.proxy.access;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.Member;
import io.tallystick.node.MemberToken;
import io.tallystick.node.MemberTokens;
import java.util.Locale;
import java.util.Optional;

/// Verifies read tokens for a server, which believes no proxy about who stands behind a change.
/// Thread-safe. Source: `docs/formats/token.md`.
public final class TokensOfMembers implements MemberTokens {
  private final Tokens tokens;

  public TokensOfMembers(Signatures signatures) {
    this.tokens = new Tokens(TokenKind.READ, signatures);
  }

  @Override
  public Member verify(LedgerNode node, LedgerId ledger, MemberToken token)
      throws RequestRejectedException {
    if (token.text().length() > Bearer.TOKEN_CHARS_MAX) { // a proxy takes no longer one either
      throw Tokens.invalid(
          String.format(
              Locale.ROOT,
              "token of %d characters, at most %d",
              token.text().length(),
              Bearer.TOKEN_CHARS_MAX));
    }
    SignedToken signed = tokens.verify(token.text(), kid -> key(node, ledger, kid), node.timeMs());
    ReadAccess.checkAudience(signed, ledger.hex(), node.identity().authority().value());
    return member(node, ledger, signed.signer())
        .filter(known -> known.currentAt(node.timeMs()))
        .orElseThrow(TokenKind.READ::untrustedSigner);
  }

  private static Optional<PublicKey> key(LedgerNode node, LedgerId ledger, Digest kid)
      throws RequestRejectedException {
    return member(node, ledger, kid).map(Member::key);
  }

  private static Optional<Member> member(LedgerNode node, LedgerId ledger, Digest kid)
      throws RequestRejectedException {
    try {
      return node.member(ledger, kid);
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.UNKNOWN_LEDGER) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
