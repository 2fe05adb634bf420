package io.tallystick.cli.demo;

import io.tallystick.client.JournalDraft;
import io.tallystick.crypto.Sha256;
import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/// The facts that the demo writes into the ledger about a file.
///
/// @param path relative to the notarised folder, `/`-separated, as {@link PathText} writes it, so
///   that two files never have the same
record NotarisedFile(String path, long sizeBytes, Digest sha256) {
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  Bytes payload() {
    return Bytes.utf8(
        JSON.writeValueAsString(
            new TreeMap<>(Map.of("path", path, "size", sizeBytes, "sha256", sha256.hex()))));
  }

  /// The clue that all revisions of a file name.
  String clue() {
    String whole = "file " + path;
    return Bytes.utf8(whole).size() <= Limits.CLUE_BYTES_MAX
        ? whole
        : "file " + Sha256.hash(Bytes.utf8(path).toArray()).hex();
  }

  JournalDraft draft() {
    return JournalDraft.of(payload(), "application/json").withClues(List.of(clue()));
  }

  /// The same file after a line was added to it.
  ///
  /// @param copy a copy of it, which is changed
  NotarisedFile revised(Path copy) throws IOException {
    Files.writeString(copy, "one line more\n", StandardOpenOption.APPEND);
    byte[] content = Files.readAllBytes(copy);
    return new NotarisedFile(path, content.length, Sha256.hash(content));
  }
}
