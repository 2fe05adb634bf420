package io.tallystick.cli.operator;

import io.tallystick.cli.option.CommandHashing;
import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.Progress;
import io.tallystick.cli.terminal.Refusals;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.JournalText;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.GpuMode;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.NodeFolders;
import io.tallystick.server.host.LocalStates;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.state.RebuiltStateMaker.Made;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Makes the state of a ledger as of a block, in a folder of its own.
///
/// @param only null: of the one ledger that has a state
record RebuildAsOf(
    NodeFolders folders, @Nullable LedgerId only, long height, Path out, Output output) {
  /// @return the command's exit status
  int make(GpuMode gpu) throws Exception {
    Progress progress = output.progress("leaves");
    try (CommandHashing hashing = CommandHashing.open(gpu, output.err())) {
      Made made =
          LocalStates.make(
              folders,
              only,
              height,
              out,
              SignatureProviders.best(),
              hashing.hasher(),
              progress::update);
      progress.end();
      print(made);
      return JournalText.status(made.damaged());
    } catch (CorruptStreamException fault) {
      progress.end();
      output.print(
          String.format(
              Locale.ROOT,
              "EVIDENCE DOES NOT VERIFY: %s%nNo state was made.",
              Printable.of(String.valueOf(fault.getMessage()))),
          Output.object("index", "state", "fault", RebuildCommand.object(fault)));
      return ExitCode.EVIDENCE;
    } catch (ServiceKeysException e) {
      throw new IOException(e.getMessage(), e);
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.UNKNOWN_LEDGER) {
        throw new UsageException(
            String.format(
                Locale.ROOT,
                "%s in %s%s",
                e.getMessage(),
                folders.data(),
                only == null ? ": name one with --ledger" : ""));
      }
      throw Refusals.of(e);
    }
  }

  private void print(Made made) {
    LedgerId ledger = made.strand().ledger();
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "Made the state as of block %d in %s: %s, the root as sealed.",
            made.height(),
            LocalPaths.shown(out),
            Count.of(made.values(), "value")));
    if (made.erased() > 0) {
      text.append(
          String.format(Locale.ROOT, "%nErased, and not in it: %,d more values.", made.erased()));
    }
    if (made.damaged() > 0) {
      text.append(
          String.format(
              Locale.ROOT,
              "%nDAMAGED in the log, and not in it: %,d more values, of journals %s.",
              made.damaged(),
              made.damagedJsns().stream().map(String::valueOf).collect(Collectors.joining(", "))));
    }
    text.append(
        String.format(
            Locale.ROOT,
            "%nRead it: tally state get %s KEY --rebuilt %s",
            ledger,
            LocalPaths.shown(out)));
    output.print(
        text.toString(),
        Output.object(
            "index",
            "state",
            "ledger",
            ledger.toString(),
            "height",
            made.height(),
            "headSize",
            made.size(),
            "stateRoot",
            made.stateRoot().hex(),
            "entries",
            made.entries(),
            "values",
            made.values(),
            "erased",
            made.erased(),
            "damaged",
            made.damaged(),
            "damagedJsns",
            made.damagedJsns(),
            "directory",
            out.toAbsolutePath().normalize().toString()));
  }
}
