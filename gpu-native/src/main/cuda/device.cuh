// What the kernels need of their compiler: types, qualifiers and the few built-in functions. Two
// compilers read it. clang makes PTX from the kernels, with no CUDA header. g++ makes a program for
// the CPU from the same files, for the tests (src/test/cpp/shim.h has the other half).
#pragma once

typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;

#if defined(__CUDA_ARCH__)

// A kernel, and the most threads a block of it may have.
#define KERNEL(threads) \
  extern "C" __attribute__((global)) __attribute__((launch_bounds(threads))) void
#define DEVICE static inline __attribute__((device)) __attribute__((always_inline))
// One for all threads of a block, of SharedWords; holds anything at first. What one thread writes
// is another's to use after a BARRIER.
#define SHARED static __attribute__((shared))
typedef u32 SharedWord;
#define CONSTANT static __attribute__((constant)) const

#define UNROLL _Pragma("unroll")

// Mistakes that the tests plant to see that they are found. There are none in PTX.
#define PLANTED(mistake) false

DEVICE u32 thread_index() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE u32 block_index() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE u32 block_threads() { return __nvvm_read_ptx_sreg_ntid_x(); }

// All threads of the block come here before any goes on, and see what the others wrote. Every
// thread of the block has to come.
#define BARRIER() __syncthreads()

// Four of the eight bytes of `high` and `low`, numbered from 0, the lowest of `low`. The hex digits
// of `selector`, each from 0 to 7, name them, the last digit the lowest byte of the result.
DEVICE u32 permute_bytes(u32 low, u32 high, u32 selector) {
  return __nvvm_prmt(low, high, selector);
}

#else

#include "shim.h"

#endif

// Where the calling thread's work is among that of all threads of the launch.
DEVICE u32 global_index() { return block_index() * block_threads() + thread_index(); }

constexpr u32 DIGEST_WORDS = 8;
