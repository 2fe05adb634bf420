package io.tallystick.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.Member;
import io.tallystick.testkit.Fixtures;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Goal: a stub knows a member for a second at most, and never what it should not. Method: a clock
/// and a server of the test's own.
class SeenMembersTest {
  private static final long MILLI = 1_000_000;
  private static final LedgerId ID = new LedgerId(Digest.ZERO);
  private static final LedgerRead.FindMember ALICE =
      new LedgerRead.FindMember(ID, Fixtures.ALICE.publicKey().kid());
  private static final Optional<Member> MEMBER =
      Optional.of(new Member(Fixtures.ALICE.publicKey(), Role.OWNER, 0, Member.NEVER));

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 500 * MILLI);
  private final AtomicInteger asked = new AtomicInteger();
  private final SeenMembers seen = new SeenMembers(nanos::get);

  private Optional<Member> member(Optional<Member> is) throws RequestRejectedException {
    return seen.member(
        ALICE,
        () -> {
          asked.incrementAndGet();
          return is;
        });
  }

  @Test
  void aMemberIsKnownForASecondFromTheQuestion() throws Exception {
    seen.member(
        ALICE,
        () -> {
          nanos.addAndGet(400 * MILLI); // on its way
          return MEMBER;
        });
    nanos.addAndGet(599 * MILLI);
    assertThat(member(Optional.empty())).isEqualTo(MEMBER);
    assertThat(asked).hasValue(0);
    nanos.addAndGet(MILLI);
    assertThat(member(Optional.empty())).isEmpty();
    assertThat(asked).hasValue(1);
  }

  @Test
  void whoIsNoMemberIsAskedForAgain() throws Exception {
    assertThat(member(Optional.empty())).isEmpty();
    assertThat(member(MEMBER)).isEqualTo(MEMBER);
    assertThat(asked).hasValue(2);
  }

  @Test
  void aRefusalIsNotKept() throws Exception {
    assertThatThrownBy(() ->
            seen.member(
                ALICE,
                () -> {
                  throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "away");
                }))
        .isInstanceOf(RequestRejectedException.class);
    assertThat(member(MEMBER)).isEqualTo(MEMBER);
  }

  @Test
  void aChangeOfMembersIsSeenAtOnceAlsoByAQuestionThatIsUnderWay() throws Exception {
    assertThat(member(MEMBER)).isEqualTo(MEMBER);
    seen.changed();
    assertThat(member(Optional.empty())).isEmpty();
    seen.member(
        ALICE,
        () -> {
          seen.changed();
          return MEMBER;
        });
    assertThat(member(Optional.empty())).isEmpty();
  }

  @Test
  void onlyThatALedgerIsPublicIsKnownForGood() throws Exception {
    LedgerRead.IsPublic read = new LedgerRead.IsPublic(ID);
    assertThat(seen.isPublic(read, () -> false)).isFalse();
    assertThat(seen.isPublic(read, () -> true)).isTrue();
    nanos.addAndGet(5_000 * MILLI);
    assertThat(seen.isPublic(read, () -> false)).isTrue();
  }
}
