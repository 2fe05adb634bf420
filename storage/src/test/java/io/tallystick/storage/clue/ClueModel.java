package io.tallystick.storage.clue;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/// What a clue index is to answer: a list of entries for each clue, and the log of all appends in
/// order, so that an index can be filled from any of them on.
final class ClueModel {
  /// One journal of one clue.
  record Appended(Digest clueId, long jsn, Digest leafHash, boolean deletes) {}

  private final List<Appended> log = new ArrayList<>();
  private final Map<Digest, List<Appended>> lists = new HashMap<>();

  static Digest clueId(int number) {
    return digest(new SplittableRandom(number + 1_000_000L));
  }

  static Digest digest(SplittableRandom random) {
    byte[] bytes = new byte[Digest.BYTES];
    random.nextBytes(bytes);
    return Digest.of(bytes);
  }

  /// A log of `length` appends to up to `clues` clues, some of them far more often than others.
  static ClueModel random(int length, int clues, SplittableRandom random) {
    ClueModel model = new ClueModel();
    long jsn = random.nextLong(1, 100);
    for (int i = 0; i < length; i++) {
      int clue = random.nextInt(random.nextInt(clues) + 1);
      boolean deletes = random.nextInt(20) == 0;
      model.add(new Appended(clueId(clue), jsn, digest(random), deletes));
      jsn += random.nextInt(1, 5);
    }
    return model;
  }

  void add(Appended appended) {
    log.add(appended);
    lists.computeIfAbsent(appended.clueId(), _ -> new ArrayList<>()).add(appended);
  }

  List<Appended> log() {
    return log;
  }

  /// What the first `length` appends make.
  ClueModel first(int length) {
    ClueModel model = new ClueModel();
    log.subList(0, length).forEach(model::add);
    return model;
  }

  Map<Digest, List<Appended>> lists() {
    return lists;
  }

  List<Appended> list(Digest clueId) {
    return lists.getOrDefault(clueId, List.of());
  }

  static ClueEntry entry(List<Appended> list, int index) {
    return new ClueEntry(index, list.get(index).jsn(), list.get(index).leafHash());
  }

  static ReferenceTree tree(List<Appended> list) {
    List<Bytes> data = new ArrayList<>();
    list.forEach(appended -> data.add(appended.leafHash().toBytes()));
    return new ReferenceTree(data);
  }

  static long deletedJsn(List<Appended> list) {
    return list.getLast().deletes() ? list.getLast().jsn() : 0;
  }
}
