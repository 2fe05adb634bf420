// Kernels that use what hashing does not: barriers, shuffles, votes, atomics, a lock, calls. Three have
// a planted bug behind a macro; the interpreter's tests run both.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

typedef unsigned int u32;
typedef unsigned long long u64;

#define THREAD __nvvm_read_ptx_sreg_tid_x()
#define THREADS __nvvm_read_ptx_sreg_ntid_x()
#define BLOCK __nvvm_read_ptx_sreg_ctaid_x()
#define LANE (THREAD & 31)
#define ALL 0xffffffffu

#define BLOCK_THREADS 64

// sums[block] = the sum of the block's 64 values. Shared memory, halved by barriers.
extern "C" __global__ void block_sum(const u32 *values, u32 *sums) {
  __shared__ u32 partial[BLOCK_THREADS];
  partial[THREAD] = values[BLOCK * THREADS + THREAD];
  __syncthreads();
  for (u32 half = THREADS / 2; half > 0; half /= 2) {
    if (THREAD < half) {
      partial[THREAD] += partial[THREAD + half];
    }
#ifndef MISSING_BARRIER
    __syncthreads();
#endif
  }
  if (THREAD == 0) {
    sums[BLOCK] = partial[0];
  }
}

// out[thread] = the sum of the values of lanes 0 to lane; votes[warp] = the lanes with an odd value.
extern "C" __global__ void warp_scan(const u32 *values, u32 *out, u32 *votes, u32 count) {
#ifdef WRONG_MASK
  if (THREAD >= count) {
    return;
  }
#endif
  u32 value = THREAD < count ? values[THREAD] : 0;
  u32 sum = value;
  for (u32 distance = 1; distance < 32; distance *= 2) {
    u32 below = __nvvm_shfl_sync_up_i32(ALL, sum, distance, 0);
    if (LANE >= distance) {
      sum += below;
    }
  }
  u32 odd = __nvvm_vote_ballot_sync(ALL, value & 1);
  if (THREAD < count) {
    out[THREAD] = sum;
  }
  if (LANE == 0) {
    votes[THREAD / 32] = odd;
  }
}

// total += the sum of 1 to threads, by a lock that one thread holds at a time.
extern "C" __global__ void locked_add(volatile u32 *lock, volatile u64 *total) {
  bool done = false;
  while (!done) {
#ifndef UNLOCKED_UPDATE
    if (__nvvm_atom_cas_gen_i((int *)lock, 0, 1) == 0)
#endif
    {
      *total = *total + THREAD + 1;
      __nvvm_membar_gl();
      *lock = 0;
      done = true;
    }
  }
}

static __device__ __attribute__((noinline)) u64 fibonacci(u32 n, u64 *calls) {
  *calls += 1;
  return n < 2 ? n : fibonacci(n - 1, calls) + fibonacci(n - 2, calls);
}

// out[thread] = the thread's Fibonacci number, by calls; calls[thread] = how many.
extern "C" __global__ void fibonacci_numbers(u64 *out, u64 *calls) {
  u64 count = 0;
  out[THREAD] = fibonacci(THREAD, &count);
  calls[THREAD] = count;
}
