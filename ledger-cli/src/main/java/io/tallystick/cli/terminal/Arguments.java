package io.tallystick.cli.terminal;

import io.tallystick.model.Utf8;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// The words of a command line, which are UTF-8 in every locale. Whatever cannot have been meant is
/// refused before anything is signed: a signature on it holds for good.
public final class Arguments {
  /// The system property with the character set of words and file names: the locale's.
  private static final String ENCODING = "sun.jnu.encoding";

  private static final Path OF_THIS_PROCESS = Path.of("/proc/self/cmdline");
  private static final String FILE_MARK = "@";
  private static final int NESTED_MAX = 16;
  private static final Pattern QUOTES_AND_SPACES = Pattern.compile("[\\s\"']+");

  private Arguments() {}

  /// The words that this process was started with. Where the JVM decodes another character set,
  /// they are taken from the system.
  ///
  /// @param words as `main` has them
  public static String[] ofThisProcess(String... words) {
    Charset locale = localeCharset();
    if (locale.equals(StandardCharsets.UTF_8)) {
      return words;
    }
    try {
      return decode(Files.readAllBytes(OF_THIS_PROCESS), words, locale);
    } catch (IOException _) {
      return words; // no Linux
    }
  }

  static Charset localeCharset() {
    String name = System.getProperty(ENCODING, "");
    return Charset.isSupported(name) ? Charset.forName(name) : StandardCharsets.US_ASCII;
  }

  /// @param commandLine words of bytes, each with a zero behind it; the last are `words`
  /// @param locale what `words` were decoded with
  /// @return `words` themselves if the bytes are not theirs
  static String[] decode(byte[] commandLine, String[] words, Charset locale) {
    String[] decoded = new String[words.length];
    int end = commandLine.length - 1;
    for (int i = words.length - 1; i >= 0; i--) {
      int start = end;
      while (start > 0 && commandLine[start - 1] != 0) {
        start--;
      }
      if (start > end || !new String(commandLine, start, end - start, locale).equals(words[i])) {
        return words;
      }
      decoded[i] = new String(commandLine, start, end - start, StandardCharsets.UTF_8);
      end = start - 1;
    }
    return decoded;
  }

  /// Checks words as they were given, and the files that they name as `@FILE`, whose words take
  /// their place.
  ///
  /// @throws UsageException if one is not UTF-8, or holds U+FFFD, which stands for what is not: a
  ///   file can say that it is meant
  public static void check(List<String> words) throws UsageException {
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.indexOf('\uFFFD') >= 0 || Utf8.unpairedAt(word) >= 0) {
        throw new UsageException(
            String.format(
                Locale.ROOT,
                "argument %d, %s, is not UTF-8, or holds U+FFFD, which stands for what is not;"
                    + " if that is meant, give the argument from a file, as @FILE",
                i + 1,
                word));
      }
      checkFile(word, 0);
    }
  }

  /// @param depth how many files lead to this word
  private static void checkFile(String word, int depth) throws UsageException {
    if (!word.startsWith(FILE_MARK) || word.length() == 1) {
      return;
    }
    String text;
    try {
      Path file = Path.of(word.substring(1));
      if (!Files.isRegularFile(file)) {
        return; // a word that begins so
      }
      text = Utf8.decode(Files.readAllBytes(file));
    } catch (InvalidPathException _) {
      return;
    } catch (IOException e) {
      throw new UsageException(word.substring(1) + " is not UTF-8, or cannot be read");
    }
    if (depth == NESTED_MAX) {
      throw new UsageException(word + ": more than " + NESTED_MAX + " files name one another");
    }
    for (String inside : QUOTES_AND_SPACES.split(text, -1)) {
      checkFile(inside, depth + 1);
    }
  }
}
