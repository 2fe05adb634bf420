package io.tallystick.cli.state;

import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.client.state.StateWrite;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// Deletes one key.
@Command(
    name = "delete",
    description = {
      "Delete a key, and verify the receipt.",
      "Older versions stay, and so does the key's name."
    },
    mixinStandardHelpOptions = true)
final class StateDeleteCommand implements Callable<Integer> {
  @Mixin private ServiceOptions service = new ServiceOptions();
  @Mixin private Output output = new Output();
  @Mixin private StateKeyOptions of = new StateKeyOptions();
  @Mixin private StateWriteOptions how = new StateWriteOptions();

  @Override
  public Integer call() throws Exception {
    how.write(service, of.ledgerId(), StateWrite.delete(of.key()), output);
    return ExitCode.OK;
  }
}
