// The kernels on the CPU: the half of device.cuh that g++ reads. Each thread of a block is a fibre
// with a stack of its own. One fibre runs at a time, until it ends or comes to a barrier; the order
// is drawn from a seed, anew after each barrier. Blocks run one after the other, in an order from
// the seed too. Whether a kernel reads or writes where it may not is AddressSanitizer's to say.
#pragma once

#include <sanitizer/common_interface_defs.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#define UNROLL
#define KERNEL(threads) static void
#define DEVICE static inline
#define SHARED static __attribute__((section("shared_memory")))
#define CONSTANT static const
#define PLANTED(mistake) (shim::planted == shim::Mistake::mistake)
#define BARRIER() shim::barrier(__LINE__)

// All variables marked SHARED, one behind the other; the linker gives the bounds.
extern "C" u32 __start_shared_memory[] __attribute__((weak));
extern "C" u32 __stop_shared_memory[] __attribute__((weak));

namespace shim {

enum class Mistake {
  NONE,
  WRONG_MASK,
  ONE_BLOCK_LESS,
  ONE_THREAD_MORE,
  NO_BARRIER_AFTER_WRITE,
  NO_BARRIER_AFTER_READ,
  DIVERGENT_BARRIER
};

constexpr size_t STACK_BYTES = 256 * 1024;

struct Fibre {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  void* frames = nullptr;  // AddressSanitizer's, while another fibre runs
  int line = 0;            // of the barrier it waits at
  bool has_ended = false;
};

inline Mistake planted = Mistake::NONE;
inline std::vector<Fibre> fibres;
inline std::function<void()> kernel;
inline u32 thread, block, threads;  // of the fibre that runs
inline ucontext_t scheduler;
inline const void* scheduler_stack;
inline size_t scheduler_stack_bytes;

[[noreturn]] inline void fail(const char* why) {
  std::fprintf(stderr, "shim: %s in block %u\n", why, block);
  std::exit(3);
}

inline void start() {
  __sanitizer_finish_switch_fiber(nullptr, &scheduler_stack, &scheduler_stack_bytes);
  kernel();
  fibres[thread].has_ended = true;
  __sanitizer_start_switch_fiber(nullptr, scheduler_stack, scheduler_stack_bytes);
  setcontext(&scheduler);
}

inline void barrier(int line) {
  Fibre& fibre = fibres[thread];
  fibre.line = line;
  __sanitizer_start_switch_fiber(&fibre.frames, scheduler_stack, scheduler_stack_bytes);
  swapcontext(&fibre.context, &scheduler);
  __sanitizer_finish_switch_fiber(fibre.frames, &scheduler_stack, &scheduler_stack_bytes);
}

inline void resume(u32 index) {
  Fibre& fibre = fibres[index];
  void* frames;
  thread = index;
  __sanitizer_start_switch_fiber(&frames, fibre.stack.get(), STACK_BYTES);
  swapcontext(&scheduler, &fibre.context);
  __sanitizer_finish_switch_fiber(frames, nullptr, nullptr);
}

inline void prepare(Fibre& fibre) {
  if (!fibre.stack) fibre.stack.reset(new char[STACK_BYTES]);
  fibre.has_ended = false;
  getcontext(&fibre.context);
  fibre.context.uc_stack.ss_sp = fibre.stack.get();
  fibre.context.uc_stack.ss_size = STACK_BYTES;
  fibre.context.uc_link = nullptr;
  makecontext(&fibre.context, start, 0);
}

// What a block finds in its shared memory is no zeros, and not what the block before left.
__attribute__((no_sanitize("address"))) inline void spoil_shared_memory(std::mt19937& random) {
  for (u32* word = __start_shared_memory; word < __stop_shared_memory; word++) *word = random();
}

inline void run_block(std::mt19937& random) {
  spoil_shared_memory(random);
  for (Fibre& fibre : fibres) prepare(fibre);
  std::vector<u32> order(fibres.size());
  std::iota(order.begin(), order.end(), 0);
  for (bool has_ended = false; !has_ended;) {
    std::shuffle(order.begin(), order.end(), random);
    for (u32 index : order) resume(index);
    has_ended = fibres[0].has_ended;
    for (const Fibre& fibre : fibres) {
      if (fibre.has_ended != has_ended) fail("some threads ended, others wait at a barrier");
      if (!has_ended && fibre.line != fibres[0].line) fail("threads wait at different barriers");
    }
  }
}

// Runs `body` on `grid` blocks of `block_size` threads.
inline void launch(u32 grid, u32 block_size, u32 seed, std::function<void()> body) {
  std::mt19937 random(seed);
  std::vector<u32> blocks(grid);
  std::iota(blocks.begin(), blocks.end(), 0);
  std::shuffle(blocks.begin(), blocks.end(), random);
  fibres.resize(block_size);
  threads = block_size;
  kernel = std::move(body);
  for (u32 index : blocks) {
    block = index;
    run_block(random);
  }
}

}  // namespace shim

DEVICE u32 thread_index() { return shim::thread; }
DEVICE u32 block_index() { return shim::block; }
DEVICE u32 block_threads() { return shim::threads; }

DEVICE u32 permute_bytes(u32 low, u32 high, u32 selector) {
  u64 bytes = (u64)high << 32 | low;
  u32 result = 0;
  for (int i = 0; i < 4; i++) {
    result |= (u32)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  }
  return result;
}
