package io.tallystick.proxy;

import io.tallystick.certificate.CertificateAuthorities;
import java.io.IOException;
import java.util.Optional;

/// The authorities of members' certificates, as settings of a process that is no service.
public final class MemberAuthorities {
  private MemberAuthorities() {}

  /// @param file with `tallystick.members.ca`, or nothing
  /// @return empty: a grant may name no certificates
  /// @throws IllegalArgumentException saying in one line what is wrong
  /// @throws IOException if a file that it names cannot be read
  public static Optional<CertificateAuthorities> of(SettingsFile file) throws IOException {
    MembersProperties members =
        SettingNames.only(file, ServiceProperties.PREFIX + ".members", MembersProperties.class);
    return members.files().isEmpty()
        ? Optional.empty()
        : Optional.of(AuthorityFiles.members(members.files()));
  }
}
