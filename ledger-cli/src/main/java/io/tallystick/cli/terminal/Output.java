package io.tallystick.cli.terminal;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/// How a command answers: lines for people, or one JSON object with `--json`.
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
    out().println(json ? JSON.writeValueAsString(object) : text);
    out().flush();
  }

  /// A line for people only.
  public void say(String line) {
    if (!json) {
      out().println(line);
      out().flush();
    }
  }

  public PrintWriter out() {
    return spec.commandLine().getOut();
  }

  public PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /// An object whose fields keep their order.
  public static Map<String, Object> object(Object... namesAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return object;
  }
}
