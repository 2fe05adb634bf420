package io.tallystick.cli.option;

import io.tallystick.cli.terminal.UsageException;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.LedgerStyle;
import io.tallystick.client.member.FirstMember;
import io.tallystick.journal.StateParams;
import io.tallystick.model.Role;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// The options of a new ledger's style, state and first members.
public final class StyleOptions {
  /// A normal member whose key is marked as delegated.
  private static final String AGENT = "agent";

  @Option(
      names = "--style",
      paramLabel = "STYLE",
      converter = StyleName.class,
      description =
          "Who writes, for ever: federated (owners and normal members), mono (one owner, beside "
              + "regulators) or delegated (owners, and agents). Default: federated")
  private LedgerStyle style = LedgerStyle.FEDERATED;

  @Option(
      names = "--permanent",
      description = "Let no journal and no body ever be removed: no occult, no purge")
  private boolean permanent;

  @Option(
      names = "--state",
      description = "Let journals write a state of keys and values; it cannot be turned on later")
  private boolean state;

  @Option(
      names = "--partition-entries",
      paramLabel = "N",
      description =
          "Keys of the state in one of its trees, 40 to 2^40, for ever; with --state. Default: "
              + "2097152")
  private @Nullable Long partitionEntries;

  @Option(
      names = "--member",
      paramLabel = "ROLE=KEY",
      description =
          "A first member: owner, regulator, normal, agent (a normal member with the mark of a "
              + "delegated key), readOnly or verifyOnly, and its SPKI or a file with the public "
              + "key; repeat the option for each")
  private List<String> members = List.of();

  /// A style by its name.
  static final class StyleName implements ITypeConverter<LedgerStyle> {
    @Override
    public LedgerStyle convert(String text) {
      for (LedgerStyle style : LedgerStyle.values()) {
        if (style.name().equalsIgnoreCase(text)) {
          return style;
        }
      }
      throw new TypeConversionException(text + " is none of federated, mono, delegated");
    }
  }

  public LedgerOptions apply(LedgerOptions options) throws UsageException, IOException {
    LedgerOptions styled = options.withStyle(style);
    if (permanent) {
      styled = styled.forEver();
    }
    if (state) {
      styled = styled.withState(shape());
    } else if (partitionEntries != null) {
      throw new UsageException("--partition-entries is of a state: it needs --state");
    }
    for (FirstMember member : members()) {
      styled = styled.withMember(member);
    }
    return styled;
  }

  private StateParams shape() throws UsageException {
    StateParams usual = LedgerOptions.STATE_DEFAULT;
    if (partitionEntries == null) {
      return usual;
    }
    try {
      return StateParams.of(partitionEntries, usual.leafEntriesMax(), usual.innerEntriesMax());
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "--partition-entries is %d, want %d to 2^40",
              partitionEntries,
              usual.leafEntriesMax()));
    }
  }

  private List<FirstMember> members() throws UsageException, IOException {
    List<FirstMember> all = new ArrayList<>();
    for (String member : members) {
      int equals = member.indexOf('=');
      if (equals < 1 || equals == member.length() - 1) {
        throw new UsageException("--member " + member + " is not ROLE=KEY");
      }
      String role = member.substring(0, equals);
      boolean agent = role.equalsIgnoreCase(AGENT);
      all.add(
          new FirstMember(
              agent ? Role.NORMAL : role(role),
              GivenKeys.publicKeyOrFile(member.substring(equals + 1)),
              agent));
    }
    return all;
  }

  private static Role role(String name) throws UsageException {
    try {
      return new RoleName().convert(name);
    } catch (TypeConversionException e) {
      throw new UsageException("--member: " + e.getMessage() + ", agent");
    }
  }
}
