package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.GpuMode;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.node.Done;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.NodeChange;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.note.NoteKey;
import io.tallystick.note.NoteSignature;
import io.tallystick.note.SignedNote;
import io.tallystick.proxy.witness.CosignedHeads;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.host.NodeSeams;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a proxy of a cluster shows the cosignatures that the leading master has shown to the
/// shard's owner, and of no other head. Method: a node to which a cosigned head is shown, before
/// and after an append.
class ShownHeadsTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();

  @Test
  void theNewestCosignedHeadIsShown(@TempDir Path directory) throws Exception {
    try (LocalNode host =
        LocalNode.open(
            directory,
            new Authority("localhost"),
            NodeSeams.production(GpuMode.OFF),
            SIGNATURES,
            new SimpleMeterRegistry())) {
      LedgerNode node = host.node();
      Fixtures ledger = founded(node);
      CosignedHeads heads = CosignedHeads.shown(node, new SimpleMeterRegistry());
      Bytes first = newest(node, ledger);
      assertThat(heads.note(ledger.strand(), first, true)).as("nothing is shown").isEqualTo(first);
      SignedNote note = SignedNote.decode(first);
      List<NoteSignature> lines = new ArrayList<>(note.signatures());
      lines.addAll(
          SignedNote.sign(
                  note.text(), new NoteKey("one.example", Fixtures.NOTE.publicKey()), Fixtures.NOTE)
              .signatures());
      Bytes cosigned = note.with(lines).encode();
      assertThat(node.change(new NodeChange.ShowCosigned(ledger.strand(), cosigned)))
          .isEqualTo(Done.DONE);
      assertThat(heads.note(ledger.strand(), first, false)).isEqualTo(cosigned);
      append(node, ledger);
      Bytes second = newest(node, ledger);
      assertThat(heads.note(ledger.strand(), second, false)).isEqualTo(second);
      assertThat(heads.note(ledger.strand(), second, true)).isEqualTo(cosigned);
    }
  }

  private static Bytes newest(LedgerNode node, Fixtures ledger) throws Exception {
    return Bytes.wrap(node.checkpoint(ledger.strand()));
  }

  private static Fixtures founded(LedgerNode node) throws Exception {
    ServiceIdentity identity = node.identity();
    Fixtures ledger =
        Fixtures.ledger(
            node.timeMs(), identity.authority().value(), identity.noteKey(), identity.receiptKey());
    LedgerName name = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
    var _ =
        node.createLedger(
            FoundingVerifier.verify(
                ledger.params().encode(), ledger.genesisAttestation().encode(), name, SIGNATURES));
    return ledger;
  }

  private static void append(LedgerNode node, Fixtures ledger) throws Exception {
    Submission next = ledger.single(1);
    var _ =
        node.append(
                new SubmissionVerifier(SIGNATURES, Set.of())
                    .verify(ledger.strand(), next.requests(), next.attestation(), ledger.keys()))
            .receipted()
            .get();
  }
}
