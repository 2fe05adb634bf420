// A fake CUDA driver: libcuda.so.1 for the tests, with the functions that the host code
// calls. Memory is this process's, kernels are the sources on the CPU (shim.h), and a stream does
// its work when it is asked whether it has finished, and answers once that it has not. So what the
// host uses before it asked is not there yet, and what it overwrites too early comes out wrong.
//
// It is stricter than a driver: it copies from and to page-locked memory alone, and refuses memory
// that was not allocated, and a call on a thread on which no context is current. How it behaves is
// the text of the environment variable FAKE_CUDA, or of the last fake_set, words apart by a space:
//
//   device=0         there is a driver, and no device
//   capability=61    compute capability 6.1 (without: 9.0)
//   memory=N         bytes of the device
//   pinned=N         bytes that can be page-locked
//   fail_at=N        call N answers 719; numbered from 1 since fake_set. With `sticky`, each later
//                    one too, but for the context's release
//   hang_at=N        launch N never ends; calls that wait for a device then wait for the next
//                    fake_set
//   wrong_from=N     after launch N, each digest that is copied out has a wrong byte
//   empty            all that is allocated is freed, now
//   slow=N           a stream answers N times more that it has not finished
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

#define KERNEL(threads) extern "C" __attribute__((visibility("default"))) void
#include "tallystick.cu"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <sstream>
#include <string>

// No sanitizer is linked: the shim's fibres tell nobody of their stacks.
extern "C" {
void __sanitizer_start_switch_fiber(void**, const void*, size_t) {}
void __sanitizer_finish_switch_fiber(void*, const void**, size_t*) {}
}

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

enum Result {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NO_DEVICE = 100,
  INVALID_PTX = 218,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  NOT_READY = 600,
  LAUNCH_FAILED = 719
};

using Entry = void (*)(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64,
                       u64);
constexpr size_t PARAMETERS_MAX = 16;

// A kernel as its PTX declares it.
struct Function {
  Entry entry;
  std::vector<int> parameter_bytes;  // 4 or 8 each
  bool has_order;  // its threads wait for each other
};

struct Module {
  std::map<std::string, Function> functions;
};

struct Step {
  enum { COPY_IN, COPY_OUT, LAUNCH, HANG } kind;
  void* to;
  const void* from;
  size_t bytes;
  const Function* function;
  u32 grid, block;
  std::vector<u64> parameters;
};

struct Stream {
  std::deque<Step> steps;
  int answers = 0;  // that it gave since it had nothing left to do
};

struct Settings {
  std::map<std::string, i64> of;
  i64 get(const char* name, i64 otherwise) const {
    auto found = of.find(name);
    return found == of.end() ? otherwise : found->second;
  }
};

Settings parse(const char* text) {
  Settings settings;
  std::istringstream words(text == nullptr ? "" : text);
  std::string word;
  while (words >> word) {
    size_t at = word.find('=');
    settings.of[word.substr(0, at)] =
        at == std::string::npos ? 1 : std::stoll(word.substr(at + 1));
  }
  return settings;
}

// Never destroyed: a thread may still wait for a device that hangs when the process ends.
auto& mutex = *new std::mutex;
auto& changed = *new std::condition_variable;
Settings settings = parse(getenv("FAKE_CUDA"));
i64 calls, launches, generation;
std::string failed;  // name of the call that failed
bool hangs, wrong;
int contexts;                              // retained
std::map<char*, size_t> device, pinned;    // allocated
std::map<Stream*, bool> streams;
std::map<Module*, bool> modules;
char primary;  // the context is a pointer to this
thread_local void* current;

size_t bytes_of(const std::map<char*, size_t>& memory) {
  size_t bytes = 0;
  for (const auto& piece : memory) bytes += piece.second;
  return bytes;
}

bool has(const std::map<char*, size_t>& memory, const void* at, size_t bytes) {
  auto next = memory.upper_bound((char*)at);
  if (next == memory.begin()) return false;
  const auto& [start, size] = *--next;
  return (size_t)((char*)at - start) <= size && bytes <= size - (size_t)((char*)at - start);
}

// The result of a call that is to fail; to be asked once in each call, with the lock held.
int planned(const char* name) {
  calls++;
  i64 at = settings.get("fail_at", 0);
  bool is_sticky = settings.get("sticky", 0) != 0;
  if (at == 0 || (is_sticky ? calls < at : calls != at)) return SUCCESS;
  if (failed.empty()) failed = name;
  return LAUNCH_FAILED;
}

#define CALL()                                   \
  std::unique_lock<std::mutex> lock(mutex);      \
  if (int result = planned(__func__)) return result
#define IN_CONTEXT() \
  CALL();            \
  if (current != &primary || contexts == 0) return INVALID_CONTEXT

void run(const Step& step) {
  std::vector<u64> p = step.parameters;
  p.resize(PARAMETERS_MAX);
  auto body = [&] {
    step.function->entry(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11],
                         p[12], p[13], p[14], p[15]);
  };
  if (step.function->has_order) {
    shim::launch(step.grid, step.block, (u32)launches, body);
    return;
  }
  shim::threads = step.block;
  for (shim::block = 0; shim::block < step.grid; shim::block++) {
    for (shim::thread = 0; shim::thread < step.block; shim::thread++) body();
  }
}

void copy_out(const Step& step) {
  memcpy(step.to, step.from, step.bytes);
  for (size_t i = 0; wrong && i + 4 * DIGEST_WORDS <= step.bytes; i += 4 * DIGEST_WORDS) {
    ((char*)step.to)[i] ^= 1;
  }
}

// Does the next step, which is not one that never ends.
void go_on(Stream& stream) {
  Step step = stream.steps.front();
  switch (step.kind) {
    case Step::COPY_IN:
      memcpy(step.to, step.from, step.bytes);
      break;
    case Step::COPY_OUT:
      copy_out(step);
      break;
    case Step::LAUNCH:
      run(step);
      break;
    case Step::HANG:
      break;
  }
  stream.steps.pop_front();
}

// Waits as a driver does until all streams are done, before it frees what they may use; after a launch that never ends, until the next fake_set.
void wait_for_device(std::unique_lock<std::mutex>& lock) {
  i64 before = generation;
  changed.wait(lock, [&] { return !hangs || generation != before; });
  for (auto& [stream, _] : streams) {
    while (!stream->steps.empty()) go_on(*stream);
  }
}

std::string word_after(const std::string& text, size_t at) {
  size_t end = text.find_first_of(" (,\n", at);
  return text.substr(at, end - at);
}

// Reads `.visible .entry name(.param .u64 a, .param .u32 b) ... { body }` of all kernels.
bool read_functions(const std::string& ptx, void* self, Module& module) {
  static const char ENTRY[] = ".visible .entry ";
  for (size_t at = ptx.find(ENTRY); at != std::string::npos; at = ptx.find(ENTRY, at + 1)) {
    std::string name = word_after(ptx, at + strlen(ENTRY));
    size_t next = ptx.find(ENTRY, at + 1), body = ptx.find('{', at);
    std::string head = ptx.substr(at, body - at), text = ptx.substr(body, next - body);
    Function function{(Entry)dlsym(self, name.c_str()), {}, false};
    if (function.entry == nullptr) return false;
    for (size_t p = head.find(".param ."); p != std::string::npos; p = head.find(".param .", p + 1)) {
      std::string type = word_after(head, p + strlen(".param ."));
      if (type != "u32" && type != "u64") return false;
      function.parameter_bytes.push_back(type == "u64" ? 8 : 4);
    }
    for (const char* waits : {"bar.", "atom.", ".volatile", "shfl.", "vote.", "membar."}) {
      function.has_order = function.has_order || text.find(waits) != std::string::npos;
    }
    if (function.parameter_bytes.size() > PARAMETERS_MAX) return false;
    module.functions[name] = function;
  }
  return !module.functions.empty();
}

int enqueue(void* handle, Step step) {
  auto stream = streams.find((Stream*)handle);
  if (stream == streams.end()) return INVALID_HANDLE;
  stream->first->steps.push_back(std::move(step));
  stream->first->answers = 0;
  return SUCCESS;
}

int allocate(std::map<char*, size_t>& memory, i64 limit, void** pointer, size_t bytes) {
  if (bytes == 0) return INVALID_VALUE;
  if (bytes_of(memory) + bytes > (size_t)limit) return OUT_OF_MEMORY;
  char* made = (char*)aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (made == nullptr) return OUT_OF_MEMORY;
  memset(made, 0xa5, bytes);
  memory[made] = bytes;
  *pointer = made;
  return SUCCESS;
}

int release(std::map<char*, size_t>& memory, void* pointer) {
  auto found = memory.find((char*)pointer);
  if (found == memory.end()) return INVALID_VALUE;
  free(found->first);
  memory.erase(found);
  return SUCCESS;
}

void release_all(std::map<char*, size_t>& memory) {
  while (!memory.empty()) release(memory, memory.begin()->first);
}

void empty() {
  release_all(device);
  release_all(pinned);
  for (auto& [stream, _] : streams) delete stream;
  streams.clear();
  for (auto& [module, _] : modules) delete module;
  modules.clear();
}

constexpr i64 MEMORY_BYTES = 1ll << 32;

}  // namespace

// ---- how it behaves, and what the tests count

EXPORTED void fake_set(const char* text) {
  std::lock_guard<std::mutex> lock(mutex);
  settings = parse(text);
  calls = 0, launches = 0, generation++;
  failed.clear();
  hangs = false, wrong = false;
  for (auto& [stream, _] : streams) {
    for (Step& step : stream->steps) {
      if (step.kind == Step::HANG) step.kind = Step::COPY_IN, step.bytes = 0;
    }
  }
  if (settings.get("empty", 0) != 0) {
    empty();
    contexts = 0;
  }
  changed.notify_all();
}

EXPORTED i64 fake_calls() { return calls; }
EXPORTED i64 fake_launches() { return launches; }
EXPORTED const char* fake_failed() { return failed.c_str(); }
EXPORTED i64 fake_pinned_bytes() { return (i64)bytes_of(pinned); }
EXPORTED i64 fake_device_bytes() { return (i64)bytes_of(device); }
// Contexts, streams and modules.
EXPORTED i64 fake_handles() { return contexts + (i64)streams.size() + (i64)modules.size(); }

// ---- the driver

EXPORTED int cuInit(unsigned) {
  CALL();
  return settings.get("device", 1) == 0 ? NO_DEVICE : SUCCESS;
}

EXPORTED int cuDriverGetVersion(int* version) {
  CALL();
  *version = 12060;
  return SUCCESS;
}

EXPORTED int cuDeviceGetCount(int* count) {
  CALL();
  *count = (int)settings.get("devices", 1);
  return SUCCESS;
}

EXPORTED int cuDeviceGet(int* found, int ordinal) {
  CALL();
  *found = ordinal;
  return ordinal == 0 ? SUCCESS : INVALID_VALUE;
}

EXPORTED int cuDeviceGetName(char* name, int length, int) {
  CALL();
  strncpy(name, "Fake device", (size_t)length);
  return SUCCESS;
}

EXPORTED int cuDeviceTotalMem_v2(size_t* bytes, int) {
  CALL();
  *bytes = (size_t)settings.get("memory", MEMORY_BYTES);
  return SUCCESS;
}

EXPORTED int cuDeviceGetAttribute(int* value, int attribute, int) {
  CALL();
  i64 capability = settings.get("capability", 90);
  switch (attribute) {
    case 13: *value = 1000000; break;  // clock rate in kHz
    case 16: *value = 2; break;        // multiprocessors
    case 75: *value = (int)(capability / 10); break;
    case 76: *value = (int)(capability % 10); break;
    default: return INVALID_VALUE;
  }
  return SUCCESS;
}

EXPORTED int cuDevicePrimaryCtxRetain(void** context, int) {
  CALL();
  contexts++;
  *context = &primary;
  return SUCCESS;
}

// The last one takes along what is left in the context.
EXPORTED int cuDevicePrimaryCtxRelease_v2(int) {
  std::unique_lock<std::mutex> lock(mutex);
  int result = planned(__func__);
  if (result != SUCCESS && settings.get("sticky", 0) == 0) return result;
  wait_for_device(lock);
  if (contexts == 0) return INVALID_CONTEXT;
  if (--contexts > 0) return SUCCESS;
  empty();
  return SUCCESS;
}

EXPORTED int cuCtxSetCurrent(void* context) {
  CALL();
  current = context;
  return SUCCESS;
}

EXPORTED int cuModuleLoadDataEx(void** module, const void* image, unsigned, int*, void**) {
  IN_CONTEXT();
  std::string ptx((const char*)image);
  Dl_info self;
  if (dladdr((void*)&cuInit, &self) == 0) return INVALID_PTX;
  void* library = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  auto made = std::make_unique<Module>();
  bool is_read = ptx.find(".version 6.3\n.target sm_70\n") != std::string::npos &&
                 read_functions(ptx, library, *made);
  dlclose(library);
  if (!is_read) return INVALID_PTX;
  modules[made.get()] = true;
  *module = made.release();
  return SUCCESS;
}

EXPORTED int cuModuleUnload(void* module) {
  IN_CONTEXT();
  wait_for_device(lock);
  if (modules.erase((Module*)module) == 0) return INVALID_HANDLE;
  delete (Module*)module;
  return SUCCESS;
}

EXPORTED int cuModuleGetFunction(void** function, void* module, const char* name) {
  IN_CONTEXT();
  if (modules.count((Module*)module) == 0) return INVALID_HANDLE;
  auto& functions = ((Module*)module)->functions;
  auto found = functions.find(name);
  if (found == functions.end()) return NOT_FOUND;
  *function = &found->second;
  return SUCCESS;
}

EXPORTED int cuMemAlloc_v2(u64* address, size_t bytes) {
  IN_CONTEXT();
  return allocate(device, settings.get("memory", MEMORY_BYTES), (void**)address, bytes);
}

EXPORTED int cuMemFree_v2(u64 address) {
  IN_CONTEXT();
  wait_for_device(lock);
  return release(device, (void*)address);
}

EXPORTED int cuMemHostAlloc(void** pointer, size_t bytes, unsigned) {
  IN_CONTEXT();
  return allocate(pinned, settings.get("pinned", MEMORY_BYTES), pointer, bytes);
}

EXPORTED int cuMemFreeHost(void* pointer) {
  IN_CONTEXT();
  wait_for_device(lock);
  return release(pinned, pointer);
}

EXPORTED int cuStreamCreate(void** stream, unsigned) {
  IN_CONTEXT();
  Stream* made = new Stream();
  streams[made] = true;
  *stream = made;
  return SUCCESS;
}

EXPORTED int cuStreamDestroy_v2(void* stream) {
  IN_CONTEXT();
  if (streams.count((Stream*)stream) == 0) return INVALID_HANDLE;
  wait_for_device(lock);
  streams.erase((Stream*)stream);
  delete (Stream*)stream;
  return SUCCESS;
}

EXPORTED int cuStreamQuery(void* stream) {
  IN_CONTEXT();
  if (streams.count((Stream*)stream) == 0) return INVALID_HANDLE;
  Stream& asked = *(Stream*)stream;
  if (!asked.steps.empty()) {
    while (!asked.steps.empty() && asked.steps.front().kind != Step::HANG) go_on(asked);
    return NOT_READY;
  }
  return asked.answers++ < settings.get("slow", 0) ? NOT_READY : SUCCESS;
}

EXPORTED int cuMemcpyHtoDAsync_v2(u64 to, const void* from, size_t bytes, void* stream) {
  IN_CONTEXT();
  if (!has(device, (void*)to, bytes) || !has(pinned, from, bytes)) return INVALID_VALUE;
  return enqueue(stream, {Step::COPY_IN, (void*)to, from, bytes, nullptr, 0, 0, {}});
}

EXPORTED int cuMemcpyDtoHAsync_v2(void* to, u64 from, size_t bytes, void* stream) {
  IN_CONTEXT();
  if (!has(device, (void*)from, bytes) || !has(pinned, to, bytes)) return INVALID_VALUE;
  return enqueue(stream, {Step::COPY_OUT, to, (void*)from, bytes, nullptr, 0, 0, {}});
}

EXPORTED int cuLaunchKernel(void* handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                            void* stream, void** parameters, void** extra) {
  IN_CONTEXT();
  if (grid_x == 0 || grid_y != 1 || grid_z != 1 || block_x == 0 || block_x > 1024 ||
      block_y != 1 || block_z != 1 || shared != 0 || extra != nullptr) {
    return INVALID_VALUE;
  }
  const Function& function = *(const Function*)handle;
  Step step{Step::LAUNCH, nullptr, nullptr, 0, &function, grid_x, block_x, {}};
  for (size_t i = 0; i < function.parameter_bytes.size(); i++) {
    u64 value = 0;
    memcpy(&value, parameters[i], (size_t)function.parameter_bytes[i]);
    bool is_pointer = function.parameter_bytes[i] == 8;
    if (is_pointer && (value % 4 != 0 || !has(device, (void*)value, 1))) return INVALID_VALUE;
    step.parameters.push_back(value);
  }
  launches++;
  if (launches == settings.get("hang_at", 0)) step.kind = Step::HANG, hangs = true;
  i64 wrong_from = settings.get("wrong_from", 0);
  wrong = wrong || (wrong_from > 0 && launches >= wrong_from);
  return enqueue(stream, std::move(step));
}
