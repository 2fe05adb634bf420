package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.cose.CoseSign1;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.node.MemberCertificates;
import io.tallystick.removal.Snapshot;
import io.tallystick.storage.stream.StreamSettings;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.TestAuthority;
import io.tallystick.testkit.fault.MarkedFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what an occult or a purge removes is in no file of the data directory any more, and all
/// else is still there. Method: a node on a real disk with RocksDB; everything erasable has random
/// bytes of its own; all files are searched: of the running node, of a copy as a kill would leave
/// it, opened and written to, and after a clean stop.
class BytesAreGoneTest {
  private static final int BATCH = 10;
  private static final int MIB = 1 << 20;
  private static final StreamSettings LARGE_SEGMENTS = new StreamSettings(8 * MIB, MIB, MIB);

  @TempDir private Path home;
  private final SplittableRandom random = new SplittableRandom(20_261_125);
  private final MarkedFiles markers = new MarkedFiles();
  private Fixtures ledger = Fixtures.ledger().withFeatures(Set.of(Feature.CLUE_TRIE));
  private long nowMs = Fixtures.TIME_MS;

  private Path data() {
    return home.resolve("data");
  }

  private NodeOnDisk open(Path directory) throws Exception {
    return new NodeOnDisk(directory, TestNode.SMALL_SEGMENTS, TestNode.CONFIG, nowMs);
  }

  private long append(NodeOnDisk node, Submission submission) throws Exception {
    return node.service.append(ledger, submission).committed().firstJsn();
  }

  /// A batch by Alice whose journals have markers named by the jsns that they will have.
  private long batch(NodeOnDisk node, long jsn, boolean values) throws Exception {
    List<SignedRequest> requests = new ArrayList<>();
    for (long at = jsn; at < jsn + BATCH; at++) {
      Bytes clue = Bytes.utf8(random(32));
      markers.add("clue " + at, clue);
      RequestDraft draft =
          RequestDraft.append(
                  ledger.strand(),
                  markers.random("payload " + at, random),
                  "text/plain",
                  ledger.timeMs(),
                  markers.random("salt " + at, random))
              .withClues(
                  List.of(new String(clue.toArray(), StandardCharsets.UTF_8), "of " + at % 5));
      if (values) {
        Bytes value = markers.random("value " + at, random);
        draft = draft.withOps(List.of(DraftOp.put(Bytes.utf8("key " + at % 50), value)));
      }
      SignedRequest request = draft.build();
      markers.add("header " + at, request.header());
      requests.add(request);
    }
    Submission submission = ledger.submission(requests, Fixtures.ALICE);
    for (CoseSign1 each : Attestation.decode(submission.attestation()).signatures()) {
      markers.add("signature " + jsn, each.signature());
    }
    assertThat(append(node, submission)).isEqualTo(jsn);
    return jsn + BATCH + 1; // behind the seal
  }

  private String random(int letters) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < letters; i++) {
      text.append((char) ('a' + random.nextInt(26)));
    }
    return text.toString();
  }

  private static boolean isBody(String marker) {
    return !marker.startsWith("header ") && !marker.startsWith("signature ");
  }

  private static long jsnOf(String marker) {
    return Long.parseLong(marker.substring(marker.indexOf(' ') + 1));
  }

  /// @param gone which markers must be in no file; all others must be in one
  private void check(Path directory, String when, Predicate<String> gone) throws IOException {
    Map<String, String> found = markers.in(directory);
    assertThat(found.entrySet().stream().filter(each -> gone.test(each.getKey())))
        .as("gone, %s", when)
        .isEmpty();
    assertThat(markers.names().stream().filter(each -> !gone.test(each)))
        .as("stays, %s", when)
        .isNotEmpty()
        .allMatch(found::containsKey);
  }

  /// While the node runs, killed and opened again, and closed.
  private void checkAll(NodeOnDisk node, Predicate<String> gone) throws Exception {
    check(data(), "while the node runs", gone);
    Path killed = NodeOnDisk.copy(data(), home.resolve("killed"));
    try (NodeOnDisk again = open(killed)) {
      append(again, ledger.single(1));
      check(killed, "after a kill", gone);
    }
    node.close();
    check(data(), "after a clean stop", gone);
    try (NodeOnDisk again = open(data())) {
      append(again, ledger.single(1));
      check(data(), "after a clean start", gone);
    }
  }

  @Test
  void ofOccultedJournals() throws Exception {
    ledger = ledger.withSmallState();
    NodeOnDisk node = open(data());
    node.service.found(ledger);
    long next = append(node, OccultStory.regulator(ledger)) + 2;
    long first = next;
    for (int i = 0; i < 30; i++) {
      next = batch(node, next, true);
    }
    check(data(), "before", _ -> false);
    long from = first + 5 * (BATCH + 1);
    append(node, OccultStory.occult(ledger, OccultStory.clue(ledger, "of 3", from, next - 2)));
    append(
        node,
        OccultStory.occult(ledger, OccultStory.journals(node.service, ledger, first, first + 4)));
    OccultStory.awaitErased(node.service, 2);
    checkAll(
        node,
        marker -> {
          long jsn = jsnOf(marker);
          boolean occulted = jsn == first || jsn == first + 4 || (jsn >= from && jsn % 5 == 3);
          return occulted && isBody(marker);
        });
  }

  @Test
  void ofAPurgedPrefix() throws Exception {
    NodeOnDisk node = open(data());
    node.service.found(ledger);
    long next = 2;
    for (int i = 0; i < 30; i++) {
      next = batch(node, next, false);
    }
    long height = node.service.node.newestBlock(ledger.strand()).height();
    for (int i = 0; i < 5; i++) {
      next = batch(node, next, false);
    }
    Snapshot snapshot =
        Snapshot.decode(
            node.service.node.purges().orElseThrow().prepare(ledger.strand(), height, List.of()));
    long firstKept = snapshot.firstKept().value();
    check(data(), "before", _ -> false);
    append(
        node,
        ledger.govern(
            Kind.PURGE,
            new Extension.Purge(snapshot.firstKept(), height, snapshot.digest(), 0),
            Fixtures.ALICE));
    nowMs++;
    node.service.clock.set(nowMs);
    append(node, ledger.single(0));
    OccultStory.awaitErased(node.service, 1);
    long firstLeaf = firstKept - firstKept % 256;
    assertThat(firstLeaf).isEqualTo(256);
    checkAll(
        node,
        marker -> {
          long jsn = jsnOf(marker);
          long behind = jsn - (jsn - 2) % (BATCH + 1) + BATCH;
          return isBody(marker) ? jsn < firstKept : behind <= firstLeaf;
        });
  }

  @Test
  void ofAnErasedCertificateChain() throws Exception {
    TestAuthority authority = TestAuthority.root("root");
    NodeOnDisk node = open(data());
    node.service.found(ledger);
    MemberCertificates chains = node.service.node.memberCertificates().orElseThrow();
    node.service.trust(authority.trusted());
    List<CertificateChain> shown = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      CertificateChain chain = authority.chain("Member " + i, Fixtures.ALICE.publicKey());
      Bytes der = chain.certificates().getFirst();
      markers.add("certificate " + i, der.slice(der.size() - 64, 64)); // of its signature
      chains.show(ledger.params().ledgerId(), chain);
      shown.add(chain);
    }
    check(data(), "before", _ -> false);
    for (CertificateChain each : shown.subList(0, 2)) {
      assertThat(chains.erase(ledger.params().ledgerId(), each.digest())).isTrue();
    }
    checkAll(node, marker -> jsnOf(marker) < 2);
  }

  @Test
  void wholePagesAreGivenBackToTheDisk() throws Exception {
    long before;
    try (NodeOnDisk node = new NodeOnDisk(data(), LARGE_SEGMENTS, TestNode.CONFIG, nowMs)) {
      node.service.found(ledger);
      append(node, OccultStory.regulator(ledger));
      byte[] payload = new byte[MIB];
      random.nextBytes(payload);
      RequestDraft draft =
          RequestDraft.append(
              ledger.strand(), Bytes.wrap(payload), "a/b", ledger.timeMs(), Fixtures.nameSalt());
      long jsn = append(node, ledger.submission(draft.build(), Fixtures.ALICE));
      append(node, ledger.single(1));
      before = NodeOnDisk.diskUse(data().resolve("stream"));
      append(node, OccultStory.occult(ledger, OccultStory.journals(node.service, ledger, jsn)));
      OccultStory.awaitErased(node.service, 1);
      long given = before - NodeOnDisk.diskUse(data().resolve("stream"));
      assertThat(given).isBetween(MIB - 2 * 4096L, MIB + 4096L);
    }
  }
}
