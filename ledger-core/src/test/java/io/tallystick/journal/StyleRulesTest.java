package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: a style forbids what it says and nothing else. Method: each role, added and granted, with
/// and without the mark, in a ledger of each style and in one without.
class StyleRulesTest {
  private static final Fixtures LEDGER = Fixtures.ledger();
  private static final PublicKey CAROL = Fixtures.CAROL.publicKey();

  @ParameterizedTest
  @EnumSource(Role.class)
  void anAddedMemberFitsTheStyle(Role role) throws MalformedException {
    RequestHeader add = header(Kind.MEMBER_ADD, new Extension.MemberAdd(role, CAROL));
    check(add, Feature.MONO, role == Role.OWNER || role == Role.NORMAL);
    check(add, Feature.DELEGATED, role == Role.NORMAL);
    check(add, Feature.PERMANENT, false);
  }

  @ParameterizedTest
  @EnumSource(Role.class)
  void aGrantFitsTheStyle(Role role) throws MalformedException {
    for (boolean mark : new boolean[] {true, false}) {
      Extension.Grant grant =
          new Extension.Grant(
              role, CAROL, OptionalLong.empty(), Optional.empty(), mark, Optional.empty());
      RequestHeader header = header(Kind.GRANT, grant);
      check(header, Feature.MONO, role == Role.NORMAL);
      check(header, Feature.DELEGATED, role == Role.NORMAL && !mark);
      check(header, Feature.PERMANENT, false);
    }
  }

  private static void check(RequestHeader header, Feature style, boolean refused) {
    assertThatCode(() -> StyleRules.check(Set.of(), header)).doesNotThrowAnyException();
    Set<Feature> others = EnumSet.complementOf(EnumSet.of(style));
    others.removeIf(Feature::style);
    assertThatCode(() -> StyleRules.check(others, header)).doesNotThrowAnyException();
    if (refused) {
      assertThatThrownBy(() -> StyleRules.check(Set.of(style), header))
          .isInstanceOf(RequestRejectedException.class)
          .hasMessageContaining("feature " + style.code() + " (" + style + ")")
          .extracting("code")
          .isEqualTo(RejectionCode.ROLE_NOT_ALLOWED);
    } else {
      assertThatCode(() -> StyleRules.check(Set.of(style), header)).doesNotThrowAnyException();
    }
  }

  private static RequestHeader header(Kind kind, Extension extension) throws MalformedException {
    return RequestHeader.decode(
        LEDGER.govern(kind, extension, Fixtures.ALICE).requests().getFirst().header());
  }
}
