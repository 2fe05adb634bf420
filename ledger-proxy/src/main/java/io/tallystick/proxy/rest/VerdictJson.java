package io.tallystick.proxy.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.tallystick.proxy.verify.Verdict;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The service's own word, for those who trust it.
///
/// @param count of a clue's journals
/// @param size of the head under which it was judged
/// @param reason why not; absent when verified
@JsonInclude(JsonInclude.Include.NON_NULL)
record VerdictJson(
    boolean verified,
    String level,
    @Nullable Long jsn,
    @Nullable Long count,
    @Nullable Long size,
    @Nullable String root,
    @Nullable String reason,
    @Nullable String detail,
    String notice) {
  static VerdictJson of(Verdict verdict) {
    return new VerdictJson(
        verdict.verified(),
        Verdict.LEVEL,
        number(verdict.jsn()),
        number(verdict.count()),
        number(verdict.size()),
        verdict.head().map(head -> head.root().digest().hex()).orElse(null),
        verdict.failure().map(Verdict.Failure::reason).orElse(null),
        verdict.failure().map(Verdict.Failure::detail).orElse(null),
        Verdict.NOTICE);
  }

  private static @Nullable Long number(OptionalLong number) {
    return number.isPresent() ? number.getAsLong() : null;
  }
}
