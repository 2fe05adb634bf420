package io.tallystick.gpu.ptx;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// What one thread has stored to global memory and the others do not see yet. Stores to different
/// places become visible in any order, until a fence, the block's barrier or the block's end makes
/// all of them visible. The thread itself sees its own, and so do the lanes of its warp after a
/// barrier of the warp.
final class StoreBuffer {
  private static final int STORES_MAX = 16;

  private final ThreadState thread;
  private final Memory memory;
  private final SplittableRandom random;
  private final List<Delayed> stores = new ArrayList<>();
  private int shared; // of these, the first, which the warp sees

  private record Delayed(long address, int bytes, long value) {
    boolean overlaps(long otherAddress, int otherBytes) {
      return address < otherAddress + otherBytes && otherAddress < address + bytes;
    }
  }

  /// @param random draws which store becomes visible
  StoreBuffer(ThreadState thread, Memory memory, SplittableRandom random) {
    this.thread = thread;
    this.memory = memory;
    this.random = random;
  }

  /// The memory has checked that the store lies in an object.
  void put(long address, int bytes, long value) {
    stores.add(new Delayed(address, bytes, value));
    if (stores.size() > STORES_MAX) {
      showOne();
    }
  }

  /// Makes one store visible, of those that do not overlap an earlier one.
  void showOne() {
    if (stores.isEmpty()) {
      return;
    }
    int chosen = random.nextInt(stores.size());
    for (int i = chosen - 1; i >= 0; i--) {
      if (stores.get(i).overlaps(stores.get(chosen).address(), stores.get(chosen).bytes())) {
        chosen = i;
      }
    }
    show(chosen);
  }

  /// Makes the stores visible that the thread is about to read itself, and those before them.
  void showThrough(long address, int bytes) {
    for (int last = stores.size() - 1; last >= 0; last--) {
      if (stores.get(last).overlaps(address, bytes)) {
        for (int i = 0; i <= last; i++) {
          show(0);
        }
        return;
      }
    }
  }

  /// The thread has passed a barrier of its warp.
  void shareWithWarp() {
    shared = stores.size();
  }

  /// Whether the warp sees any that others need not see.
  boolean isShared() {
    return shared > 0;
  }

  /// Makes the stores visible that another lane, which sees them, is about to read or to write
  /// over, and those before them.
  void showSharedThrough(long address, int bytes) {
    for (int last = shared - 1; last >= 0; last--) {
      if (stores.get(last).overlaps(address, bytes)) {
        for (int i = 0; i <= last; i++) {
          show(0);
        }
        return;
      }
    }
  }

  void showAll() {
    while (!stores.isEmpty()) {
      show(0);
    }
  }

  private void show(int index) {
    Delayed store = stores.remove(index);
    if (index < shared) {
      shared--;
    }
    memory.store(thread, store.address(), store.bytes(), store.value());
  }
}
