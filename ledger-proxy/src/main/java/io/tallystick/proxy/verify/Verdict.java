package io.tallystick.proxy.verify;

import io.tallystick.head.SignedHead;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.TreeSize;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/// What the service found of what it was shown or asked about. Worth as much as the service is
/// trusted.
///
/// @param jsn of the journal that was judged, or that was found among a clue's
/// @param count of a clue's journals under the head
/// @param head under which it was judged
/// @param failure why not; empty if it is verified
public record Verdict(
    OptionalLong jsn, OptionalLong count, Optional<SignedHead> head, Optional<Failure> failure) {
  public static final String LEVEL = "server";
  public static final String NOTICE =
      "the service's own word, which proves nothing to whoever does not trust the service";

  /// @param reason a stable name
  public record Failure(String reason, String detail) {
    static Failure of(ProofRejectedException why) {
      return new Failure(
          why.reason().name().toLowerCase(Locale.ROOT),
          Objects.requireNonNullElse(why.getMessage(), ""));
    }
  }

  public boolean verified() {
    return failure.isEmpty();
  }

  static Verdict of(long jsn, SignedHead head) {
    return new Verdict(
        OptionalLong.of(jsn), OptionalLong.empty(), Optional.of(head), Optional.empty());
  }

  static Verdict ofClue(OptionalLong jsn, long count, SignedHead head) {
    return new Verdict(jsn, OptionalLong.of(count), Optional.of(head), Optional.empty());
  }

  /// Of what is not worth a head.
  static Verdict failed(Failure failure) {
    return new Verdict(
        OptionalLong.empty(), OptionalLong.empty(), Optional.empty(), Optional.of(failure));
  }

  Verdict butFailed(Failure why) {
    return new Verdict(jsn, count, head, Optional.of(why));
  }

  public OptionalLong size() {
    return head.map(SignedHead::size).map(TreeSize::value).stream().mapToLong(it -> it).findFirst();
  }
}
