package io.tallystick.cli.terminal;

import io.tallystick.model.Printable;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/// How a command answers: lines for people, or one JSON object with `--json`. Whatever text from
/// outside is in them, nothing that controls a terminal, hides or reorders text leaves the process.
/// A line end is kept: a field of one line goes through {@link Printable#of} before.
public final class Output {
  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  @Option(names = "--json", description = "Print one JSON object instead of text")
  private boolean json;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  public boolean isJson() {
    return json;
  }

  /// The text, or with `--json` the object.
  public void print(String text, Map<String, Object> object) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(json ? Printable.json(JSON.writeValueAsString(object)) : Printable.lines(text));
    out.flush();
  }

  /// A line for people only.
  public void say(String line) {
    if (!json) {
      out().println(line);
      out().flush();
    }
  }

  public PrintWriter out() {
    return out(spec.commandLine());
  }

  public PrintWriter err() {
    return err(spec.commandLine());
  }

  /// Where a command without this mixin prints its lines.
  public static PrintWriter out(CommandLine command) {
    return new PrintWriter(new Lines(command.getOut()), true);
  }

  public static PrintWriter err(CommandLine command) {
    return new PrintWriter(new Lines(command.getErr()), true);
  }

  /// How far it is, on standard error.
  public Progress progress(String unit) {
    return new Progress(spec.commandLine().getErr(), unit);
  }

  /// An object whose fields keep their order.
  public static Map<String, Object> object(Object... namesAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return object;
  }

  /// In front of a terminal.
  private static final class Lines extends Writer {
    private final PrintWriter out;

    Lines(PrintWriter out) {
      this.out = out;
    }

    @Override
    public void write(char[] text, int offset, int length) {
      out.write(Printable.lines(new String(text, offset, length)));
    }

    @Override
    public void flush() {
      out.flush();
    }

    @Override
    public void close() {
      out.close();
    }
  }
}
