/// An interpreter of PTX, the text that clang emits for our kernels: [PtxModule] reads a file,
/// [Interpreter] runs a [Launch] of it. It knows the instructions of PTX 6.3 that clang 19 emits
/// for integer kernels, and refuses every other one by its line. It runs on the CPU, one state per
/// thread, in an order drawn from a seed. Stores to global memory may become visible late; loads
/// are never early, and shared memory is sequentially consistent.
@NullMarked
package io.tallystick.gpu.ptx;

import org.jspecify.annotations.NullMarked;
