import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/// Runs `tally` commands one after the other in this one process, as `Tally.main` runs each of them:
/// starting a process for each takes a second.
///
/// A line of standard input has the arguments of one command, separated by tabs. The answer is a
/// line with the exit status and how many bytes the command printed to its output and to its errors,
/// and then these bytes.
public final class TallyCommands {
  private TallyCommands() {}

  public static void main(String[] none) throws Exception {
    PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    System.setOut(System.err);
    Method commandLine =
        Class.forName("io.tallystick.cli.Tally").getDeclaredMethod("commandLine", String[].class);
    commandLine.setAccessible(true);
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] arguments = line.split("\t", -1);
      run((CommandLine) commandLine.invoke(null, (Object) arguments), arguments, answers);
    }
  }

  private static void run(CommandLine command, String[] arguments, PrintStream answers)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    command.setOut(new PrintWriter(out, true, StandardCharsets.UTF_8));
    command.setErr(new PrintWriter(err, true, StandardCharsets.UTF_8));
    int status = command.execute(arguments);
    command.getOut().flush();
    command.getErr().flush();
    answers.println(status + " " + out.size() + " " + err.size());
    out.writeTo(answers);
    err.writeTo(answers);
    answers.flush();
  }
}
