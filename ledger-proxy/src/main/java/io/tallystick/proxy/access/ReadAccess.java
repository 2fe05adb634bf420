package io.tallystick.proxy.access;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerFilter;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerView;
import io.tallystick.node.Member;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Decides who may read a ledger; every read asks it. Anybody may read a public ledger. Any other
/// ledger may be read by its current members, each with a token that it signed. To all other
/// callers a private ledger and one that does not exist look the same. Thread-safe. Source:
/// `docs/access.md`.
public final class ReadAccess {
  /// How much of a ledger a call reads.
  public enum Scope {
    /// Leaves, proofs, heads, members, and journals that have no body.
    EVIDENCE,
    /// Bodies too. A verifyOnly member may not read them.
    BODIES
  }

  private final LedgerRegistry registry;
  private final boolean anyone;
  private final Tokens tokens;
  private final MemberBudgets budgets;

  private ReadAccess(
      LedgerRegistry registry, Signatures signatures, boolean anyone, MemberBudgets budgets) {
    this.budgets = budgets;
    this.registry = registry;
    this.anyone = anyone;
    this.tokens = new Tokens(TokenKind.READ, signatures);
  }

  /// @param budgets what each member may ask for
  public static ReadAccess forMembers(
      LedgerRegistry registry, Signatures signatures, MemberBudgets budgets) {
    return new ReadAccess(registry, signatures, false, budgets);
  }

  /// No token is asked for. Only for a service that none but its owner can reach.
  public static ReadAccess forAnyone(LedgerRegistry registry, Signatures signatures) {
    return new ReadAccess(registry, signatures, true, MemberBudgets.unlimited());
  }

  /// The node that holds the ledger, for a call that ends soon.
  ///
  /// @throws RequestRejectedException `TOKEN_REQUIRED`, `TOKEN_INVALID`, `ROLE_NOT_ALLOWED`
  public LedgerNode node(LedgerId ledger, Bearer bearer, Scope scope)
      throws RequestRejectedException {
    return grant(ledger, bearer, scope).node();
  }

  /// @throws RequestRejectedException `TOKEN_REQUIRED`, `TOKEN_INVALID`, `ROLE_NOT_ALLOWED`
  public ReadGrant grant(LedgerId ledger, Bearer bearer, Scope scope)
      throws RequestRejectedException {
    boolean isPublic = registry.isPublic(ledger);
    if (anyone || isPublic) {
      return new ReadGrant(registry, ledger, isPublic, null);
    }
    ReadGrant grant = new ReadGrant(registry, ledger, false, member(ledger, bearer));
    if (scope == Scope.BODIES) {
      grant.checkBodies();
    }
    return grant;
  }

  private Member member(LedgerId ledger, Bearer bearer) throws RequestRejectedException {
    String text = bearer.token();
    if (text == null) {
      throw new RequestRejectedException(
          RejectionCode.TOKEN_REQUIRED,
          "ledger " + ledger + " is not public, or not here; a member's token is needed");
    }
    SignedToken token = tokens.verify(text, kid -> key(ledger, kid), registry.timeMs());
    checkAudience(token, ledger.hex(), registry.identity().authority().value());
    Member member = currentMember(registry, ledger, token.signer());
    budgets.take(ledger, token.signer(), 1);
    return member;
  }

  /// Lets through who may see what members have only proposed: a member that may append, also in a
  /// public ledger. Where reads need no token, whoever names a ledger that is here.
  ///
  /// @throws RequestRejectedException `TOKEN_REQUIRED`, `TOKEN_INVALID`, `ROLE_NOT_ALLOWED`;
  ///   `UNKNOWN_LEDGER` where reads need no token
  public void appender(LedgerId ledger, Bearer bearer) throws RequestRejectedException {
    if (anyone) {
      LedgerView _ = registry.ledger(ledger);
    } else {
      Member _ = appendingMember(ledger, bearer);
    }
  }

  /// A member that may append, by its token, even where reads need none.
  ///
  /// @throws RequestRejectedException `TOKEN_REQUIRED`, `TOKEN_INVALID`, `ROLE_NOT_ALLOWED`
  public Member appendingMember(LedgerId ledger, Bearer bearer) throws RequestRejectedException {
    Member member = member(ledger, bearer);
    checkMayAppend(member);
    return member;
  }

  /// Checks a member whose signature came with the call, which counts as one of its reads.
  ///
  /// @throws RequestRejectedException `UNKNOWN_KEY`, `REVOKED_KEY`, `ROLE_NOT_ALLOWED`,
  ///   `RATE_LIMITED`
  public void signer(LedgerId ledger, Digest kid) throws RequestRejectedException {
    checkMayAppend(current(ledger, kid));
    budgets.take(ledger, kid, 1);
  }

  /// The same for what no role is kept from.
  ///
  /// @throws RequestRejectedException `UNKNOWN_KEY`, `REVOKED_KEY`, `RATE_LIMITED`
  public void signerOfAnyRole(LedgerId ledger, Digest kid) throws RequestRejectedException {
    Member _ = current(ledger, kid);
    budgets.take(ledger, kid, 1);
  }

  /// A member that is a current one still; costs none of its reads.
  ///
  /// @throws RequestRejectedException `UNKNOWN_KEY`, `REVOKED_KEY`
  public Member current(LedgerId ledger, Digest kid) throws RequestRejectedException {
    Member member =
        registry
            .member(ledger, kid)
            .orElseThrow(() ->
                new RequestRejectedException(
                    RejectionCode.UNKNOWN_KEY, "no member of this ledger has key " + kid));
    if (!member.currentAt(registry.timeMs())) {
      throw new RequestRejectedException(
              RejectionCode.REVOKED_KEY, "key " + kid + " was revoked or has expired")
          .atJsn(member.revoked() ? member.revokedJsn() : member.grantedJsn());
    }
    return member;
  }

  private static void checkMayAppend(Member member) throws RequestRejectedException {
    if (!member.role().mayAppend()) {
      throw new RequestRejectedException(
          RejectionCode.ROLE_NOT_ALLOWED,
          "member " + member.key().kid() + " is " + member.role() + " and may not append");
    }
  }

  private Optional<PublicKey> key(LedgerId ledger, Digest kid) throws RequestRejectedException {
    return member(registry, ledger, kid).map(Member::key);
  }

  private static Optional<Member> member(LedgerRegistry registry, LedgerId ledger, Digest kid)
      throws RequestRejectedException {
    try {
      return registry.member(ledger, kid);
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.UNKNOWN_LEDGER) {
        return Optional.empty();
      }
      throw e;
    }
  }

  static Member currentMember(LedgerRegistry registry, LedgerId ledger, Digest kid)
      throws RequestRejectedException {
    return member(registry, ledger, kid)
        .filter(known -> known.currentAt(registry.timeMs()))
        .orElseThrow(TokenKind.READ::untrustedSigner);
  }

  static void checkAudience(SignedToken token, String... accepted) throws RequestRejectedException {
    for (String audience : accepted) {
      if (token.audience().contains(audience)) {
        return;
      }
    }
    throw Tokens.invalid("token is for " + token.audience() + ", not for this");
  }

  /// The ledgers this call may see: with a token for the whole service, those of which its signer
  /// is a current member; without one, the public ones.
  ///
  /// @param after null: from the first
  /// @throws RequestRejectedException `TOKEN_INVALID`
  public List<LedgerView> ledgers(Bearer bearer, @Nullable LedgerId after, int limit)
      throws RequestRejectedException {
    return registry.ledgers(after, limit, visible(bearer));
  }

  private LedgerFilter visible(Bearer bearer) throws RequestRejectedException {
    String text = bearer.token();
    if (anyone) {
      return new LedgerFilter.All();
    }
    if (text == null) {
      return new LedgerFilter.Public();
    }
    SignedToken token = tokens.verify(text, this::keyOfAnyMember, registry.timeMs());
    checkAudience(token, registry.identity().authority().value());
    return new LedgerFilter.OfMember(token.signer(), registry.timeMs());
  }

  /// A kid is the hash of its key, so it is the same in every ledger.
  private Optional<PublicKey> keyOfAnyMember(Digest kid) throws RequestRejectedException {
    LedgerFilter filter = new LedgerFilter.Knowing(kid, registry.timeMs());
    List<LedgerView> first = registry.ledgers(null, 1, filter);
    return first.isEmpty() ? Optional.empty() : registry.memberKey(first.getFirst().id(), kid);
  }
}
