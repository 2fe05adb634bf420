package io.tallystick.proxy.access;

import io.tallystick.durable.PlainFile;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The lines of a list that an operator keeps in a file. Empty lines and those that begin with `#`
/// say nothing.
///
/// @param form of every other line
/// @param otherwise what a line of another form is, after "is"
record ListedLines(Path file, Pattern form, String otherwise) {
  private static final int LINES_MAX = 100_000;
  private static final long BYTES_MAX = 32L << 20;

  /// @param number from 1
  record Line(int number, MatchResult parts) {}

  /// @throws IOException if it cannot be read, or a line is of another form; the message names file
  ///   and line
  List<Line> read() throws IOException {
    PlainFile.check(file);
    if (Files.size(file) > BYTES_MAX) {
      throw new IOException(file + " is longer than " + BYTES_MAX + " bytes");
    }
    List<Line> lines = new ArrayList<>();
    int number = 0;
    for (String line : text().lines().toList()) {
      number++;
      if (number > LINES_MAX) {
        throw new IOException(file + " has more than " + LINES_MAX + " lines");
      }
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      Matcher parts = form.matcher(line.strip());
      if (!parts.matches()) {
        throw new IOException(file + " line " + number + " is " + otherwise);
      }
      lines.add(new Line(number, parts.toMatchResult()));
    }
    return lines;
  }

  private String text() throws IOException {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (CharacterCodingException e) {
      throw new IOException(file + " is not UTF-8", e);
    }
  }
}
