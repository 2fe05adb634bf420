// The kernels on the CPU: the half of device.cuh that g++ reads. Each thread of a block is a fibre
// with a stack of its own. One fibre runs at a time, until it ends or comes to a barrier; the order
// is drawn from a seed, anew after each barrier. Blocks run one after the other, in an order from
// the seed too. Whether a kernel reads or writes where it may not is AddressSanitizer's to say.
//
// A word of shared memory knows who wrote and who read it since the last barrier. Two threads at
// one word with no barrier between, one of them writing, are a race, in whichever order they ran.
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
#ifndef KERNEL  // or as who includes this defined it
#define KERNEL(threads) static void
#endif
#define DEVICE static inline
#define SHARED static __attribute__((section("shared_memory")))
#define SharedWord shim::Word
#define CONSTANT static const
#define PLANTED(mistake) (shim::planted == shim::Mistake::mistake)
#define BARRIER() shim::barrier(__LINE__)

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

constexpr u32 NOBODY = 0xffffffff;
constexpr u32 MANY = 0xfffffffe;

// A word of shared memory.
class alignas(32) Word {
 public:
  operator u32() const;
  void operator=(u32 written);
  void forget() { phase = 0, writer = NOBODY, reader = NOBODY; }

 private:
  void enter() const;

  u32 value;
  mutable u64 phase;   // in which it was written or read last
  mutable u32 writer;  // in that phase
  mutable u32 reader;
};

// All that is marked SHARED, one behind the other; the linker gives the bounds.
extern "C" Word __start_shared_memory[] __attribute__((weak));
extern "C" Word __stop_shared_memory[] __attribute__((weak));

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
inline u64 phase = 0;               // counts what lies between barriers, of all blocks
inline ucontext_t scheduler;
inline const void* scheduler_stack;
inline size_t scheduler_stack_bytes;

[[noreturn]] inline void fail(const char* why) {
  std::fprintf(stderr, "shim: %s in block %u\n", why, block);
  std::exit(3);
}

inline void check_alone(u32 other, const char* otherwise) {
  if (other != NOBODY && other != thread) fail(otherwise);
}

inline void Word::enter() const {
  if (phase != shim::phase) {
    if (phase == 0) fail("a word of shared memory is read that nobody wrote");
    phase = shim::phase, writer = NOBODY, reader = NOBODY;
  }
}

inline Word::operator u32() const {
  enter();
  check_alone(writer, "a race in shared memory: read after another thread's write");
  reader = reader == NOBODY || reader == thread ? thread : MANY;
  return value;
}

inline void Word::operator=(u32 written) {
  if (phase == 0) phase = shim::phase;
  enter();
  check_alone(writer, "a race in shared memory: written by two threads");
  check_alone(reader, "a race in shared memory: written after another thread's read");
  writer = thread;
  value = written;
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

// Words that nobody wrote in this block are nobody's to read.
inline void forget_shared_memory() {
  for (Word* word = __start_shared_memory; word < __stop_shared_memory; word++) word->forget();
}

inline void run_block(std::mt19937& random) {
  forget_shared_memory();
  for (Fibre& fibre : fibres) prepare(fibre);
  std::vector<u32> order(fibres.size());
  std::iota(order.begin(), order.end(), 0);
  for (bool has_ended = false; !has_ended;) {
    std::shuffle(order.begin(), order.end(), random);
    phase++;
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
