package io.tallystick.gpu.ptx;

/// An aligned access to memory.
///
/// @param address in the memory's own space
record Access(Memory memory, long address) {

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
    return new Access(memory, address);
  }
}
