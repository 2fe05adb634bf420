package io.tallystick.server.host;

import io.tallystick.journal.Commitments;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A ledger of the fixtures' owners in which Carol is a regulator; requests to occult; and what of
/// a journal can be found on a disk.
final class OccultStory {
  static final String BASIS = "GDPR Art. 17";

  private OccultStory() {}

  static Submission regulator(Fixtures ledger) {
    return ledger.memberAdd(Role.REGULATOR, Fixtures.CAROL.publicKey());
  }

  /// Names journals as the node answers them.
  static ErasureTarget journals(TestNode service, Fixtures ledger, long... jsns)
      throws RequestRejectedException {
    List<JournalRef> named = new ArrayList<>();
    for (long jsn : jsns) {
      Bytes leaf = service.node.journal(ledger.strand(), jsn, false).leaf();
      named.add(new JournalRef(new Jsn(jsn), TreeHasher.leafHash(leaf)));
    }
    return new ErasureTarget.Journals(named);
  }

  static ErasureTarget clue(Fixtures ledger, String clue, long first, long last) {
    Digest id = Commitments.clueId(ledger.strand().ledger(), clue);
    return new ErasureTarget.OfClue(id, new Jsn(first), new Jsn(last));
  }

  static Submission occult(Fixtures ledger, ErasureTarget target, SeededSigner... signers) {
    return ledger.govern(Kind.OCCULT, new Extension.Occult(target, BASIS), signers);
  }

  /// By Alice and Carol.
  static Submission occult(Fixtures ledger, ErasureTarget target) {
    return occult(ledger, target, Fixtures.ALICE, Fixtures.CAROL);
  }

  /// Waits until all that so many removals name is erased.
  static void awaitErased(TestNode service, int removals) throws IOException, InterruptedException {
    Waiting.until(removals + " removals are done", () -> done(service) >= removals);
  }

  /// Removals of which all is erased.
  static long done(TestNode service) throws IOException {
    return done(service.node.shard());
  }

  static long done(Shard shard) throws IOException {
    return shard.noteRows().withPrefix(RemovalRows.DONE).size();
  }

  /// What {@link Fixtures#draft} of a number has that goes.
  static List<byte[]> markers(int number) {
    return List.of(
        ("payload " + number).getBytes(StandardCharsets.UTF_8),
        Fixtures.bytes32("salt " + number).toArray());
  }

  /// The files and rows that have one of the markers of a number.
  static List<String> found(InMemoryDisk disk, InMemoryMetaStore meta, int number)
      throws IOException {
    List<String> found = new ArrayList<>();
    for (byte[] marker : markers(number)) {
      found.addAll(found(disk, meta, marker));
    }
    return found;
  }

  /// The files and rows that have a marker.
  static List<String> found(InMemoryDisk disk, InMemoryMetaStore meta, byte[] marker)
      throws IOException {
    List<String> found = new ArrayList<>();
    for (String name : disk.names()) {
      if (contains(disk.content(name), marker)) {
        found.add(name);
      }
    }
    meta.scan(
        Bytes.EMPTY,
        null,
        (key, row) -> {
          if (contains(row.toArray(), marker)) {
            found.add("row " + key.hex());
          }
          return true;
        });
    return found;
  }

  private static boolean contains(byte[] bytes, byte[] marker) {
    for (int at = 0; at <= bytes.length - marker.length; at++) {
      if (bytes[at] == marker[0] && matches(bytes, at, marker)) {
        return true;
      }
    }
    return false;
  }

  private static boolean matches(byte[] bytes, int at, byte[] marker) {
    for (int i = 0; i < marker.length; i++) {
      if (bytes[at + i] != marker[i]) {
        return false;
      }
    }
    return true;
  }
}
