// What the kernels need of their compiler: types, qualifiers and the few built-in functions. Two
// compilers read it. clang makes PTX from the kernels, with no CUDA header. g++ makes a program for
// the CPU from the same files, for the tests (src/test/cpp/shim.h has the other half).
#pragma once

typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;

constexpr u32 WARP_THREADS = 32;
constexpr u32 ALL_LANES = 0xffffffff;

#if defined(__CUDA_ARCH__)

// A kernel, and the most threads a block of it may have.
#define KERNEL(threads) \
  extern "C" __attribute__((global)) __attribute__((launch_bounds(threads))) void
#define DEVICE static inline __attribute__((device)) __attribute__((always_inline))
// One for all threads of a block, of SharedWords and SharedBytes; holds anything at first. What one
// thread writes is another's to use after a BARRIER, in the same warp after a WARP_BARRIER.
#define SHARED static __attribute__((shared))
typedef u32 SharedWord;
typedef unsigned char SharedByte;
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

// All lanes of the warp come here before any goes on, and see what the others wrote. Every lane of
// the warp has to come; the same holds for the two functions below.
#define WARP_BARRIER() __nvvm_bar_warp_sync(ALL_LANES)

// Which lanes say yes, lane 0 in the lowest bit.
DEVICE u32 warp_ballot(bool yes) { return __nvvm_vote_ballot_sync(ALL_LANES, yes); }

// What another lane gives; all lanes name the same one.
DEVICE u32 warp_read(u32 value, u32 lane) {
  return (u32)__nvvm_shfl_sync_idx_i32(ALL_LANES, (i32)value, (i32)lane, WARP_THREADS - 1);
}

// What the thread wrote before is seen by all threads of the launch that see what it writes after;
// and it sees after what was written before the thing that it saw before.
DEVICE void fence() { __nvvm_membar_gl(); }

// Of global memory that other threads of the launch write meanwhile. They order nothing else.
DEVICE u32 load_volatile(const u32* from) { return *(const volatile u32*)from; }
DEVICE void store_volatile(u32* to, u32 value) { *(volatile u32*)to = value; }

// Of global memory, in one step. They order nothing else, and give what was there before.
DEVICE u32 compare_and_swap(u32* at, u32 expected, u32 value) {
  return (u32)__nvvm_atom_cas_gen_i((i32*)at, (i32)expected, (i32)value);
}
DEVICE u32 atomic_add(u32* at, u32 value) {
  return (u32)__nvvm_atom_add_gen_i((i32*)at, (i32)value);
}
DEVICE u32 atomic_or(u32* at, u32 bits) { return (u32)__nvvm_atom_or_gen_i((i32*)at, (i32)bits); }
DEVICE u32 atomic_max(u32* at, u32 value) { return __nvvm_atom_max_gen_ui(at, value); }

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

// Of the thread in its warp.
DEVICE u32 lane_index() { return thread_index() % WARP_THREADS; }

// From 0; of 0 itself it is undefined.
DEVICE u32 leading_zeros(u32 word) { return (u32)__builtin_clz(word); }
DEVICE u32 count_ones(u32 word) { return (u32)__builtin_popcount(word); }

constexpr u32 DIGEST_WORDS = 8;
