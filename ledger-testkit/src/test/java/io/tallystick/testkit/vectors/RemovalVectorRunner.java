package io.tallystick.testkit.vectors;

import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.evidence.ShownMember;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.RemovalCertificate;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Carries out the vectors of certificates of removals and of pseudo-geneses.
final class RemovalVectorRunner {
  private final Signatures signatures;

  RemovalVectorRunner(Signatures signatures) {
    this.signatures = signatures;
  }

  Map<String, Object> certificate(Vector vector) throws MalformedException, ProofRejectedException {
    RemovalCertificate.Verified verified =
        RemovalCertificate.decode(vector.bytes("file"))
            .verify(VectorRunner.strand(vector), signatures);
    Map<String, Object> results = new LinkedHashMap<>();
    results.put("removal", verified.removal().jsn().value());
    results.put("kind", (long) verified.removal().header().kind().code());
    results.put("signers", signers(verified.signers()));
    results.put("doneMs", verified.statement().doneMs());
    results.put("first", verified.statement().first().value());
    results.put("count", verified.statement().count());
    results.put(
        "targets", verified.targets().stream().map(target -> target.jsn().value()).toList());
    results.put(
        "time",
        verified.time().stream().map(covering -> covering.journal().jsn().value()).toList());
    results.put("heads", verified.heads().stream().map(head -> head.size().value()).toList());
    return results;
  }

  Map<String, Object> pseudoGenesis(Vector vector)
      throws MalformedException, ProofRejectedException {
    PseudoGenesis.Verified verified =
        PseudoGenesis.decode(vector.bytes("file"))
            .verify(
                VectorRunner.strand(vector), KeyChain.decode(vector.bytes("chain")), signatures);
    Map<String, Object> results = new LinkedHashMap<>();
    results.put("purge", verified.purge().jsn().value());
    results.put("firstKept", verified.snapshot().firstKept().value());
    results.put("root", verified.root().digest().hex());
    results.put("signers", signers(verified.signers()));
    results.put(
        "members",
        signers(
            verified.members().stream()
                .sorted(Comparator.comparing(member -> member.key().kid()))
                .toList()));
    results.put("heads", verified.heads().stream().map(head -> head.size().value()).toList());
    return results;
  }

  /// Kid and role of each.
  private static List<Object> signers(List<ShownMember> members) {
    return members.stream()
        .<Object>map(member ->
            List.of(member.key().kid().hex(), member.role().name().toLowerCase(Locale.ROOT)))
        .toList();
  }
}
