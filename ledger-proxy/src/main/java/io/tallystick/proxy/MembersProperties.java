package io.tallystick.proxy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Certificates of members: who may name them.
///
/// @param ca `tallystick.members.ca`: files with certificates in PEM, separated by commas; a grant
///   may name only certificates that lead to one of them. Without one, a grant may name none
public record MembersProperties(@Nullable List<String> ca) {
  /// A grant may name no certificates.
  public static final MembersProperties NONE = new MembersProperties(null);

  public MembersProperties {
    ca = ca == null ? null : List.copyOf(ca);
  }

  /// Empty: a grant may name no certificates.
  List<String> files() {
    return ca == null ? List.of() : ca;
  }

  List<String> arguments() {
    return files().isEmpty()
        ? List.of()
        : List.of("--tallystick.members.ca=" + String.join(",", files()));
  }
}
