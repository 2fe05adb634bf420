package io.tallystick.testkit.vectors;

import io.tallystick.head.SignedHead;
import io.tallystick.lineage.ClueProof;
import io.tallystick.lineage.ClueState;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.lineage.LineageFile;
import io.tallystick.lineage.LineageProof;
import io.tallystick.lineage.VerifiedLineage;
import io.tallystick.merkle.patricia.ClueRoot;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.merkle.patricia.TrieProof;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.TreeSize;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Carries out the vectors of clue tries and lineage.
final class LineageVectorRunner {
  private LineageVectorRunner() {}

  static Map<String, Object> trie(Vector vector) throws ProofRejectedException {
    Optional<ClueValue> found =
        new TrieProof(vector.listOfBytes("nodes"))
            .verify(vector.digest("clueId"), new ClueRoot(vector.digest("clueRoot")));
    return found.map(LineageVectorRunner::value).orElse(Map.of("count", 0L));
  }

  static Map<String, Object> clueProof(Vector vector, SignedHead head)
      throws MalformedException, ProofRejectedException {
    return state(ClueProof.decode(vector.bytes("proof")).verify(vector.digest("clueId"), head));
  }

  /// `completeAt` asks for all journals among so many leaves.
  static Map<String, Object> lineage(Vector vector, SignedHead head)
      throws MalformedException, ProofRejectedException {
    VerifiedLineage lineage =
        LineageProof.decode(vector.bytes("proof")).verify(vector.digest("clueId"), head);
    List<LineageEntry> entries =
        vector.find("completeAt").isPresent()
            ? lineage.completeAt(new TreeSize(vector.number("completeAt")))
            : lineage.entries();
    return Map.of("first", lineage.first(), "jsns", jsns(entries));
  }

  static Map<String, Object> file(LineageFile.Verified verified) {
    Map<String, Object> results = new TreeMap<>(state(verified.state()));
    results.put("size", verified.head().size().value());
    results.put("jsns", jsns(verified.lineage().map(VerifiedLineage::entries).orElse(List.of())));
    return results;
  }

  private static Map<String, Object> state(ClueState state) {
    return switch (state) {
      case ClueState.NeverUsed _ -> Map.of("count", 0L);
      case ClueState.Used used -> value(used.value());
    };
  }

  private static Map<String, Object> value(ClueValue value) {
    return Map.of(
        "count", value.count(), "root", value.root().hex(), "deletedJsn", value.deletedJsn());
  }

  private static List<Object> jsns(List<LineageEntry> entries) {
    return entries.stream().map(entry -> (Object) entry.jsn()).toList();
  }
}
