// The kernels on the CPU: the half of device.cuh that g++ reads. Each thread of a block is a fibre
// with a stack of its own. One fibre runs at a time, until it ends, comes to a barrier, has read
// global memory that others write, or has failed to swap a word of it; who runs next is drawn from
// a seed. Blocks run one after the other, in an order from the seed too. Whether a kernel reads or
// writes where it may not is AddressSanitizer's to say.
//
// A word of shared memory knows who wrote and who read it since the last barrier. Two threads at
// one word with no barrier between, one of them writing, are a race, in whichever order they ran.
// A warp's barrier counts where only that warp uses the word. What a thread writes to global memory
// is seen by all others at once, so that no missing fence shows here.
#pragma once

#include <dlfcn.h>
#include <sanitizer/common_interface_defs.h>
#include <setjmp.h>
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
#define SharedByte shim::Word
#define CONSTANT static const
#define PLANTED(mistake) (shim::planted == shim::Mistake::mistake)
#define BARRIER() shim::barrier(__LINE__)
#define WARP_BARRIER() shim::warp_barrier(__LINE__)

namespace shim {

enum class Mistake {
  NONE,
  WRONG_MASK,
  ONE_BLOCK_LESS,
  ONE_THREAD_MORE,
  NO_BARRIER_AFTER_WRITE,
  NO_BARRIER_AFTER_READ,
  DIVERGENT_BARRIER,
  WRONG_NIBBLE,
  UNLOCKED_UPDATE,
  NO_WARP_BARRIER,
  NO_BOUND
};

constexpr u32 NOBODY = 0xffffffff;
constexpr u32 MANY = 0xfffffffe;

// A word of shared memory, or a byte with the room of one.
class alignas(32) Word {
 public:
  operator u32() const;
  void operator=(u32 written);
  void forget() { phase = 0, writer = NOBODY, reader = NOBODY; }

 private:
  void enter() const;

  u32 value;
  mutable u32 writer;  // in the phase
  mutable u32 reader;
  mutable u32 warp;        // whose thread alone used it in the phase, or MANY
  mutable u64 phase;       // of the block in which it was written or read last; 0 is never
  mutable u64 warp_phase;  // of that warp
};

// All that is marked SHARED, one behind the other; the linker gives the bounds.
extern "C" Word __start_shared_memory[] __attribute__((weak));
extern "C" Word __stop_shared_memory[] __attribute__((weak));

constexpr size_t STACK_BYTES = 256 * 1024;

enum class State { READY, AT_BARRIER, AT_WARP_BARRIER, ENDED };

// A fibre starts by its context. From then on it is left and entered by jumps, which unlike contexts
// ask nothing of the operating system.
struct Fibre {
  ucontext_t context;
  jmp_buf jump;
  bool has_started = false;
  std::unique_ptr<char[]> stack;
  void* frames = nullptr;  // AddressSanitizer's, while another fibre runs
  State state = State::READY;
  int line = 0;            // of the barrier it waits at
  u32 given = 0;           // to the other lanes
};

inline Mistake planted = Mistake::NONE;
inline std::vector<Fibre> fibres;
inline std::vector<u32> ready;  // fibres
inline std::vector<u64> warp_phases;
inline std::function<void()> kernel;
inline u32 thread, block, threads;  // of the fibre that runs
inline u64 phase = 0;               // counts what lies between barriers, of all blocks
inline jmp_buf scheduler;
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
  u32 my_warp = thread / WARP_THREADS;
  if (phase != shim::phase) {
    if (phase == 0) fail("a word of shared memory is read that nobody wrote");
    phase = shim::phase, writer = NOBODY, reader = NOBODY, warp = my_warp;
  } else if (warp == my_warp && warp_phase != warp_phases[my_warp]) {
    writer = NOBODY, reader = NOBODY;
  } else if (warp != my_warp) {
    warp = MANY;
  }
  warp_phase = warp_phases[my_warp];
}

inline Word::operator u32() const {
  enter();
  check_alone(writer, "a race in shared memory: read after another thread's write");
  reader = reader == NOBODY || reader == thread ? thread : MANY;
  return value;
}

inline void Word::operator=(u32 written) {
  if (phase == 0) phase = shim::phase, warp = thread / WARP_THREADS;
  enter();
  check_alone(writer, "a race in shared memory: written by two threads");
  check_alone(reader, "a race in shared memory: written after another thread's read");
  writer = thread;
  value = written;
}

// The C library's jump. AddressSanitizer's would take the stack that is left for ended, which takes
// most of the time then.
inline void (*const jump_to)(jmp_buf, int) =
    (void (*)(jmp_buf, int))dlsym(dlopen("libc.so.6", RTLD_LAZY), "_longjmp");

// Leaves a stack for another one, until somebody jumps back.
__attribute__((noinline, no_sanitize_address)) inline void jump(jmp_buf& from, jmp_buf& to) {
  if (_setjmp(from) == 0) jump_to(to, 1);
}

__attribute__((noinline, no_sanitize_address)) inline void enter(jmp_buf& from, Fibre& fibre) {
  if (_setjmp(from) == 0) setcontext(&fibre.context);
}

inline void start() {
  __sanitizer_finish_switch_fiber(nullptr, &scheduler_stack, &scheduler_stack_bytes);
  kernel();
  fibres[thread].state = State::ENDED;
  __sanitizer_start_switch_fiber(nullptr, scheduler_stack, scheduler_stack_bytes);
  jump(fibres[thread].jump, scheduler);
}

inline void pause(State state, int line) {
  Fibre& fibre = fibres[thread];
  fibre.state = state;
  fibre.line = line;
  __sanitizer_start_switch_fiber(&fibre.frames, scheduler_stack, scheduler_stack_bytes);
  jump(fibre.jump, scheduler);
  __sanitizer_finish_switch_fiber(fibre.frames, &scheduler_stack, &scheduler_stack_bytes);
}

inline void barrier(int line) { pause(State::AT_BARRIER, line); }
inline void warp_barrier(int line) { pause(State::AT_WARP_BARRIER, line); }
inline void yield() { pause(State::READY, 0); }

inline void resume(u32 index) {
  Fibre& fibre = fibres[index];
  void* frames;
  thread = index;
  __sanitizer_start_switch_fiber(&frames, fibre.stack.get(), STACK_BYTES);
  if (fibre.has_started) {
    jump(scheduler, fibre.jump);
  } else {
    fibre.has_started = true;
    enter(scheduler, fibre);
  }
  __sanitizer_finish_switch_fiber(frames, nullptr, nullptr);
}

inline void prepare(Fibre& fibre) {
  if (!fibre.stack) fibre.stack.reset(new char[STACK_BYTES]);
  fibre.state = State::READY;
  fibre.has_started = false;
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

// Lets fibres `from` to `to` go on, if all of them have come to the same barrier. Some that wait for
// ever are no fault yet: only once nobody else can run.
inline bool has_released(u32 from, u32 to, State state) {
  for (u32 i = from; i < to; i++) {
    if (fibres[i].state != state || fibres[i].line != fibres[from].line) return false;
  }
  for (u32 i = from; i < to; i++) {
    fibres[i].state = State::READY;
    ready.push_back(i);
  }
  return true;
}

inline void arrived(u32 index) {
  u32 warp = index / WARP_THREADS;
  u32 from = warp * WARP_THREADS;
  if (fibres[index].state == State::AT_BARRIER) {
    if (has_released(0, threads, State::AT_BARRIER)) phase++;
  } else if (has_released(from, std::min(from + WARP_THREADS, threads), State::AT_WARP_BARRIER)) {
    warp_phases[warp]++;
  }
}

[[noreturn]] inline void fail_to_go_on() {
  bool has_ended = false;
  for (const Fibre& fibre : fibres) has_ended |= fibre.state == State::ENDED;
  fail(has_ended ? "some threads ended, others wait at a barrier"
                 : "threads wait at different barriers");
}

inline void run_block(std::mt19937& random) {
  forget_shared_memory();
  for (Fibre& fibre : fibres) prepare(fibre);
  ready.resize(fibres.size());
  std::iota(ready.begin(), ready.end(), 0);
  warp_phases.assign(fibres.size() / WARP_THREADS + 1, 0);
  phase++;
  size_t ended = 0;
  while (ended < fibres.size()) {
    if (ready.empty()) fail_to_go_on();
    std::swap(ready[random() % ready.size()], ready.back());
    u32 index = ready.back();
    resume(index);
    State state = fibres[index].state;
    if (state == State::READY) continue;
    ready.pop_back();
    if (state == State::ENDED) ended++;
    else arrived(index);
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

namespace shim {

// What `lane` of the calling warp gives while all lanes are here.
inline u32 given_by(u32 lane) {
  return fibres[thread / WARP_THREADS * WARP_THREADS + lane].given;
}

constexpr int BALLOT = -1, READ = -2;  // for the number of a line

}  // namespace shim

DEVICE u32 warp_ballot(bool yes) {
  shim::fibres[shim::thread].given = yes;
  shim::warp_barrier(shim::BALLOT);
  u32 mask = 0;
  for (u32 lane = 0; lane < WARP_THREADS; lane++) mask |= shim::given_by(lane) << lane;
  shim::warp_barrier(shim::BALLOT);
  return mask;
}

DEVICE u32 warp_read(u32 value, u32 lane) {
  shim::fibres[shim::thread].given = value;
  shim::warp_barrier(shim::READ);
  u32 read = shim::given_by(lane);
  shim::warp_barrier(shim::READ);
  return read;
}

DEVICE void fence() {}

DEVICE u32 load_volatile(const u32* from) {
  u32 value = *from;
  shim::yield();
  return value;
}

DEVICE void store_volatile(u32* to, u32 value) { *to = value; }

DEVICE u32 compare_and_swap(u32* at, u32 expected, u32 value) {
  u32 before = *at;
  if (before == expected) {
    *at = value;
  } else {
    shim::yield();
  }
  return before;
}

DEVICE u32 atomic_add(u32* at, u32 value) {
  u32 before = *at;
  *at += value;
  return before;
}

DEVICE u32 atomic_or(u32* at, u32 bits) {
  u32 before = *at;
  *at |= bits;
  return before;
}

DEVICE u32 atomic_max(u32* at, u32 value) {
  u32 before = *at;
  *at = std::max(before, value);
  return before;
}

DEVICE u32 permute_bytes(u32 low, u32 high, u32 selector) {
  u64 bytes = (u64)high << 32 | low;
  u32 result = 0;
  for (int i = 0; i < 4; i++) {
    result |= (u32)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  }
  return result;
}
