package io.tallystick.proxy;

import io.tallystick.proxy.ServiceProperties.Reads;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// Who may do what, and how much of it.
///
/// @param reads `tallystick.reads`: who may read ledgers that are not public, `members` with a
///   token, or `anyone`, on a loopback address only. Default `members`
/// @param founders `tallystick.founders`: the file that lists who may found ledgers
///   (`docs/access.md`). Without one, anybody may on a loopback address, and nobody elsewhere
/// @param limits `tallystick.limits`: of each member
/// @param members `tallystick.members`: who may certify their names
@ConfigurationProperties(ServiceProperties.PREFIX)
public record AccessProperties(
    @DefaultValue("members") Reads reads,
    @Nullable String founders,
    @NestedConfigurationProperty @DefaultValue LimitsProperties limits,
    @NestedConfigurationProperty @DefaultValue MembersProperties members) {
  static final AccessProperties DEFAULT =
      new AccessProperties(Reads.MEMBERS, null, LimitsProperties.NONE, MembersProperties.NONE);

  AccessProperties withReads(Reads who) {
    return new AccessProperties(who, founders, limits, members);
  }

  AccessProperties withFounders(String file) {
    return new AccessProperties(reads, file, limits, members);
  }

  AccessProperties withLimits(LimitsProperties ofMembers) {
    return new AccessProperties(reads, founders, ofMembers, members);
  }

  AccessProperties withMembers(MembersProperties certified) {
    return new AccessProperties(reads, founders, limits, certified);
  }

  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("--tallystick.reads=" + reads.name().toLowerCase(Locale.ROOT));
    if (founders != null) {
      arguments.add("--tallystick.founders=" + founders);
    }
    arguments.addAll(limits.arguments());
    arguments.addAll(members.arguments());
    return arguments;
  }
}
