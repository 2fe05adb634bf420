package io.tallystick.merkle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

/// Roots of every small tree against the recursive definition.
class TreeHasherTest {
  private static final int SIZES = 130;
  private final ReferenceTree tree = ReferenceTree.ofSize(SIZES);

  @Test
  void givesTheReferenceRootOverLeafHashes() {
    for (int size = 0; size <= SIZES; size++) {
      assertThat(TreeHasher.rootOverLeafHashes(tree.leafHashes(0, size)))
          .as("size %d", size)
          .isEqualTo(tree.root(size));
    }
  }

  @Test
  void givesTheReferenceRootOverData() {
    List<Bytes> data = new ArrayList<>();
    for (int size = 0; size < SIZES; size++) {
      assertThat(TreeHasher.rootOverData(data)).isEqualTo(tree.root(size));
      assertThat(OpsRoot.over(data).digest()).isEqualTo(tree.root(size));
      data.add(tree.data(size));
    }
  }

  @Test
  void hashesAHashAsALeafToo() {
    List<Digest> hashes = tree.leafHashes(0, 21);
    List<Bytes> data = hashes.stream().map(Digest::toBytes).toList();
    Digest want = new ReferenceTree(data).root(21);
    assertThat(TreeHasher.rootOverHashes(hashes)).isEqualTo(want);
    assertThat(BatchRoot.over(hashes).digest()).isEqualTo(want);
    assertThat(want).isNotEqualTo(tree.root(21));
  }

  @Test
  void reducesAnArrayInPlace() {
    for (int size = 0; size <= SIZES; size++) {
      byte[] hashes = new byte[(size + 3) * Digest.BYTES];
      for (int i = 0; i < size; i++) {
        tree.leafHash(i).copyInto(hashes, i * Digest.BYTES);
      }
      assertThat(TreeHasher.rootInPlace(TreeHasher::parents, hashes, size))
          .isEqualTo(tree.root(size));
    }
  }

  @Test
  void hashesOverNothingAsTheStandardSays() {
    assertThat(TreeHasher.EMPTY_ROOT.hex())
        .isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  }

  @Test
  void refusesToJoinNothing() {
    assertThatThrownBy(() -> TreeHasher.foldRight(List.of()))
        .isInstanceOf(NoSuchElementException.class);
  }

  @Test
  void refusesPairsOutsideTheArraysAndGoesOnAfterwards() {
    byte[] pair = new byte[2 * Digest.BYTES];
    tree.leafHash(0).copyInto(pair, 0);
    tree.leafHash(1).copyInto(pair, Digest.BYTES);
    byte[] parent = new byte[Digest.BYTES];
    assertThatThrownBy(() -> TreeHasher.parents(pair, 1, 1, parent, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> TreeHasher.parents(pair, 0, 1, parent, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    TreeHasher.parents(pair, 0, 1, parent, 0);
    assertThat(Digest.of(parent, 0)).isEqualTo(tree.root(2));
  }

  @Test
  void refusesARangeOutsideTheDataAndGoesOnAfterwards() {
    byte[] data = tree.data(0).toArray();
    assertThatThrownBy(() -> TreeHasher.leafHash(data, 1, data.length))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(TreeHasher.leafHash(data)).isEqualTo(tree.leafHash(0));
  }
}
