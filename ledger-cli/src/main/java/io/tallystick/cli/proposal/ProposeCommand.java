package io.tallystick.cli.proposal;

import io.tallystick.cli.option.GivenKeys;
import io.tallystick.cli.option.GrantOptions;
import io.tallystick.cli.option.RoleName;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.model.Role;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Makes proposals: requests that several people sign, each on a machine of their own.
@Command(
    name = "propose",
    description = {
      "Write a change of a ledger to a file for several people to sign.",
      "Only `occult` asks the service: it shows what will go.",
      "Each signs the file with `tally sign`; `tally submit` sends it when all have."
    },
    mixinStandardHelpOptions = true,
    subcommands = {
      ProposeCommand.Add.class,
      ProposeCommand.Revoke.class,
      ProposeCommand.Grant.class,
      ProposeCommand.EnableClues.class,
      ProposeCommand.Rotate.class,
      ProposeCommand.Close.class,
      ProposeOccultCommand.class
    })
public final class ProposeCommand {
  @Command(
      name = "add",
      description = "Propose to add a member's key.",
      mixinStandardHelpOptions = true)
  static final class Add implements Callable<Integer> {
    @Mixin private ProposalOptions proposal = new ProposalOptions();

    @Parameters(
        index = "1",
        paramLabel = "SPKI",
        description = "The public key, as `tally keygen` shows it")
    private String spki = "";

    @Option(
        names = "--role",
        defaultValue = "normal",
        converter = RoleName.class,
        description =
            "The member's role: owner, regulator, normal, readOnly or verifyOnly. Default: "
                + "${DEFAULT-VALUE}")
    private Role role = Role.NORMAL;

    @Override
    public Integer call() throws Exception {
      proposal.write(Kind.MEMBER_ADD, new Extension.MemberAdd(role, GivenKeys.publicKey(spki)));
      return ExitCode.OK;
    }
  }

  @Command(
      name = "revoke",
      description = "Propose to revoke a member's key.",
      mixinStandardHelpOptions = true)
  static final class Revoke implements Callable<Integer> {
    @Mixin private ProposalOptions proposal = new ProposalOptions();

    @Parameters(index = "1", paramLabel = "KID", description = "The key id, 64 hex digits")
    private String kid = "";

    @Override
    public Integer call() throws Exception {
      proposal.write(Kind.MEMBER_REVOKE, new Extension.MemberRevoke(GivenKeys.kid(kid)));
      return ExitCode.OK;
    }
  }

  @Command(
      name = "grant",
      description = "Propose to give a key a role, an expiry, or another member's place.",
      mixinStandardHelpOptions = true)
  static final class Grant implements Callable<Integer> {
    @Mixin private ProposalOptions proposal = new ProposalOptions();
    @Mixin private GrantOptions terms = new GrantOptions();

    @Parameters(
        index = "1",
        paramLabel = "SPKI",
        description = "The public key, as `tally keygen` shows it")
    private String spki = "";

    @Override
    public Integer call() throws Exception {
      proposal.write(Kind.GRANT, terms.grant(spki));
      return ExitCode.OK;
    }
  }

  @Command(
      name = "clues",
      description = "Propose to let journals name clues from a block on.",
      mixinStandardHelpOptions = true)
  static final class EnableClues implements Callable<Integer> {
    @Mixin private ProposalOptions proposal = new ProposalOptions();

    @Option(
        names = "--from-block",
        required = true,
        paramLabel = "HEIGHT",
        description = "The first block whose journals may name clues")
    private long firstHeight;

    @Override
    public Integer call() throws Exception {
      if (firstHeight < 1) {
        throw new UsageException("--from-block is 1 or more");
      }
      proposal.write(
          Kind.PARAMETERS, new Extension.Parameters(firstHeight, Set.of(Feature.CLUE_TRIE)));
      return ExitCode.OK;
    }
  }

  @Command(
      name = "rotate",
      description = "Propose to rotate the service's keys to a pair that it holds.",
      mixinStandardHelpOptions = true)
  static final class Rotate implements Callable<Integer> {
    @Mixin private ProposalOptions proposal = new ProposalOptions();

    @Option(
        names = "--note-key",
        required = true,
        paramLabel = "SPKI",
        description = "The note key from then on, as `tally keys new` shows it")
    private String noteSpki = "";

    @Option(
        names = "--receipt-key",
        required = true,
        paramLabel = "SPKI",
        description = "The receipt key from then on, as `tally keys new` shows it")
    private String receiptSpki = "";

    @Override
    public Integer call() throws Exception {
      proposal.write(
          Kind.KEY_ROTATION,
          GivenKeys.rotation(GivenKeys.publicKey(noteSpki), GivenKeys.publicKey(receiptSpki)));
      return ExitCode.OK;
    }
  }

  @Command(
      name = "close",
      description = "Propose to close a ledger for ever, which every valid owner signs.",
      mixinStandardHelpOptions = true)
  static final class Close implements Callable<Integer> {
    @Mixin private ProposalOptions proposal = new ProposalOptions();

    @Override
    public Integer call() throws Exception {
      proposal.write(Kind.CLOSE, Extension.Close.INSTANCE);
      return ExitCode.OK;
    }
  }
}
