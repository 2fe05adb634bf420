package io.tallystick.cli.demo;

import io.tallystick.client.JournalDraft;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/// What the demo writes into the ledger about a file.
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

  JournalDraft draft() {
    return JournalDraft.of(payload(), "application/json");
  }
}
