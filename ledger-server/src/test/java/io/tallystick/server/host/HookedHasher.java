package io.tallystick.server.host;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.Support;

/// A hasher that a test may hold up or fail where the index thread hashes the leaves of a block.
final class HookedHasher implements BatchHasher {
  private final BatchHasher hasher = BatchHasher.cpu();
  volatile Runnable onLeaves = () -> {};

  HookedHasher() {}

  @Override
  public void sha256(
      byte[] messages, int offset, int stride, int count, byte[] digests, int digestOffset) {
    hasher.sha256(messages, offset, stride, count, digests, digestOffset);
  }

  @Override
  public void sha256(byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset) {
    hasher.sha256(messages, offsets, count, digests, digestOffset);
  }

  @Override
  public void leaves(byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset) {
    onLeaves.run();
    hasher.leaves(messages, offsets, count, digests, digestOffset);
  }

  @Override
  public void parents(
      byte[] children, int childOffset, int count, byte[] parents, int parentOffset) {
    hasher.parents(children, childOffset, count, parents, parentOffset);
  }

  @Override
  public void subtrees(
      byte[] leaves, int leafOffset, int width, int count, byte[] nodes, int nodeOffset) {
    hasher.subtrees(leaves, leafOffset, width, count, nodes, nodeOffset);
  }

  @Override
  public void keccak256(
      byte[] messages, int[] offsets, int count, byte[] digests, int digestOffset) {
    hasher.keccak256(messages, offsets, count, digests, digestOffset);
  }

  @Override
  public int callMessages() {
    return hasher.callMessages();
  }

  @Override
  public Support support() {
    return hasher.support();
  }
}
