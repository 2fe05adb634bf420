package io.tallystick.testkit.export;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// A file of cases, one JSON object a line. Its last line counts them, so that a file cut short is
/// noticed.
final class CaseFile implements AutoCloseable {
  private final Writer out;
  private long cases;

  private CaseFile(Writer out) {
    this.out = out;
  }

  static CaseFile create(Path path) throws IOException {
    return new CaseFile(Files.newBufferedWriter(path, StandardCharsets.US_ASCII));
  }

  void add(CaseLine line) throws IOException {
    out.write(line.end());
    out.write('\n');
    cases++;
  }

  long cases() {
    return cases;
  }

  /// Writes the last line, without which the file is not complete.
  void end() throws IOException {
    out.write(new CaseLine("end").number("cases", cases).end());
    out.write('\n');
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
