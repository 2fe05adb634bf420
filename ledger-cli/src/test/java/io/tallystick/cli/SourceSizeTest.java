package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/// Goal: no file and no method outgrows what a reader can hold. Method: parse every source of every
/// module with the JDK's own compiler and count lines. The limits are never raised.
class SourceSizeTest {
  private static final Path ROOT = Path.of("..");
  private static final int FILE_LINES_MAX = 499;
  private static final int METHOD_LINES_MAX = 60;

  @Test
  void noFileHas500Lines() throws IOException {
    List<String> tooLong = new ArrayList<>();
    for (Path source : sources()) {
      int lines = Files.readAllLines(source).size();
      if (lines > FILE_LINES_MAX) {
        tooLong.add(source + ": " + lines + " lines");
      }
    }
    assertThat(tooLong).isEmpty();
  }

  @Test
  void noMethodHasMoreThan60Lines() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources()));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      List<String> tooLong = new ArrayList<>();
      for (CompilationUnitTree unit : task.parse()) {
        new LongMethods(unit, positions, tooLong).scan(unit, null);
      }
      assertThat(tooLong).isEmpty();
    }
  }

  private static boolean hasSources(Path folder) {
    return Files.exists(folder.resolve("pom.xml")) && Files.isDirectory(folder.resolve("src"));
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      List<Path> sources = new ArrayList<>();
      for (Path module : modules.filter(SourceSizeTest::hasSources).toList()) {
        try (Stream<Path> files = Files.walk(module.resolve("src"))) {
          files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
        }
      }
      assertThat(sources).hasSizeGreaterThan(300);
      return sources;
    }
  }

  private static final class LongMethods extends TreeScanner<Void, Void> {
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final List<String> found;

    LongMethods(CompilationUnitTree unit, SourcePositions positions, List<String> found) {
      this.unit = unit;
      this.positions = positions;
      this.found = found;
    }

    @Override
    public Void visitMethod(MethodTree method, Void unused) {
      LineMap lines = unit.getLineMap();
      long first = lines.getLineNumber(positions.getStartPosition(unit, method));
      long last = lines.getLineNumber(positions.getEndPosition(unit, method));
      if (last - first + 1 > METHOD_LINES_MAX) {
        found.add(
            String.format(
                Locale.ROOT,
                "%s: %s has %d lines",
                unit.getSourceFile().getName(),
                method.getName(),
                last - first + 1));
      }
      return super.visitMethod(method, null);
    }
  }
}
