package io.tallystick.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// Goal: what crosses does not change unnoticed, since the versions of two sides differ while a
/// cluster is upgraded. Method: the forms of all messages, questions and answers against a file. A
/// line that differs is a change of the wire: a new number beside the old one, not another form.
class NodeQuestionsTest {
  private static final Path SHAPES = Path.of("src/test/resources/node-wire.txt");

  @Test
  void formsAreThoseOfTheFile() throws Exception {
    String shapes = WireFrames.shape().replace("|", "\n| ") + "\n\n" + NodeQuestions.TABLE.shape();
    assertThat(shapes).isEqualTo(Files.readString(SHAPES));
  }
}
