package io.tallystick.gpu.ptx;

/// An aligned access to memory.
///
/// @param space never the generic one
/// @param address in the memory's own space
record Access(Space space, Memory memory, long address) {

  /// Checks alignment; bounds are checked by the memory. Access to global or shared memory is a
  /// point at which the thread may be switched.
  ///
  /// @param bytes of all elements together
  static Access of(ThreadState thread, Space space, Operand.Location location, int bytes) {
    long written = location.address(thread);
    Space actual = space == Space.GENERIC ? Space.ofGeneric(written) : space;
    Memory memory = thread.memory(actual, written);
    long address = space == Space.GENERIC ? written - actual.window() : written;
    memory.checkAlignment(thread, address, bytes);
    if (actual == Space.GLOBAL || actual == Space.SHARED) {
      thread.markSeen();
    }
    return new Access(actual, memory, address);
  }

  /// What the thread has stored itself is there before it reads, and what its warp sees.
  void showOwn(ThreadState thread, int bytes) {
    if (space == Space.GLOBAL && thread.block().delaysStores()) {
      thread.stores().showThrough(address, bytes);
      thread.warp().showShared(address, bytes);
    }
  }

  /// A store to global memory may become visible to other threads later.
  ///
  /// @param at of this element
  void store(ThreadState thread, long at, int bytes, long value) {
    if (space == Space.GLOBAL && thread.block().delaysStores()) {
      memory.check(thread, at, bytes);
      thread.warp().showShared(at, bytes);
      thread.stores().put(at, bytes, value);
    } else {
      memory.store(thread, at, bytes, value);
    }
  }
}
