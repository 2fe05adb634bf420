// Runs kernels on the CPU. Standard input has a launch a line, words apart by one space:
//
//   sha256_strided   MISTAKE SEED BLOCK COUNT STRIDE MESSAGES
//   sha256           MISTAKE SEED BLOCK COUNT PREFIX ORIGIN OFFSETS MESSAGES
//   keccak256        MISTAKE SEED BLOCK COUNT ORIGIN OFFSETS MESSAGES
//   rfc9162_subtrees MISTAKE SEED BLOCK COUNT LEVELS LEAVES
//
// MISTAKE is what is planted, or NONE; BLOCK the threads of a block; OFFSETS count + 1 numbers with
// commas between; MESSAGES and LEAVES are hex, or `-` for no bytes. Standard output has the digests
// of each launch on a line of their own, in hex. A kernel that misbehaves ends the program with an
// exit code other than 0.
//
// As a device with memory of its own, it takes these lines too, and answers each by one line:
//
//   allocate ID BYTES             memory with a number that is free, full of anything
//   free ID
//   write ID OFFSET HEX
//   read ID OFFSET BYTES          the answer is hex
//   launch KERNEL MISTAKE SEED GRID BLOCK ARGUMENTS
//
// An argument is a number, or ID:OFFSET for an address. Other answers are empty lines.
#include "tallystick.cu"
#include "kernels.h"

#include <cstring>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

namespace {

using shim::Mistake;
using Words = std::unique_ptr<u32[]>;

const std::map<std::string, Mistake> MISTAKES = {
    {"NONE", Mistake::NONE},
    {"WRONG_MASK", Mistake::WRONG_MASK},
    {"ONE_BLOCK_LESS", Mistake::ONE_BLOCK_LESS},
    {"ONE_THREAD_MORE", Mistake::ONE_THREAD_MORE},
    {"NO_BARRIER_AFTER_WRITE", Mistake::NO_BARRIER_AFTER_WRITE},
    {"NO_BARRIER_AFTER_READ", Mistake::NO_BARRIER_AFTER_READ},
    {"DIVERGENT_BARRIER", Mistake::DIVERGENT_BARRIER},
    {"WRONG_NIBBLE", Mistake::WRONG_NIBBLE},
    {"UNLOCKED_UPDATE", Mistake::UNLOCKED_UPDATE},
    {"NO_WARP_BARRIER", Mistake::NO_WARP_BARRIER},
    {"NO_BOUND", Mistake::NO_BOUND}};

u32 number(std::istream& line) {
  u64 value;
  if (!(line >> value) || value > 0xffffffff) shim::fail("a number is missing");
  return (u32)value;
}

// Memory of exactly the bytes that are needed, rounded up to words, and full of anything.
Words memory(size_t words, u32 seed) {
  std::mt19937 random(seed ^ 0x5eed);
  Words made(new u32[words]);
  for (size_t i = 0; i < words; i++) made[i] = random();
  return made;
}

Words bytes(std::istream& line, u32 seed) {
  std::string hex;
  line >> hex;
  if (hex == "-") hex.clear();
  Words made = memory((hex.size() / 2 + 3) / 4, seed);
  for (size_t i = 0; i < hex.size() / 2; i++) {
    ((unsigned char*)made.get())[i] = (unsigned char)std::stoi(hex.substr(2 * i, 2), nullptr, 16);
  }
  return made;
}

Words offsets(std::istream& line, u32 count) {
  std::string list;
  line >> list;
  std::istringstream numbers(list);
  Words made(new u32[count + 1]);
  for (u32 i = 0; i <= count; i++) {
    made[i] = number(numbers);
    numbers.get();
  }
  return made;
}

void print(const void* from, size_t bytes) {
  static const char DIGITS[] = "0123456789abcdef";
  std::string hex;
  for (size_t i = 0; i < bytes; i++) {
    unsigned char byte = ((const unsigned char*)from)[i];
    hex += DIGITS[byte >> 4];
    hex += DIGITS[byte & 15];
  }
  std::cout << hex << '\n';
}

void run(std::istream& line) {
  std::string name, mistake;
  line >> name >> mistake;
  shim::planted = MISTAKES.at(mistake);
  u32 seed = number(line), block = number(line), count = number(line);
  u32 threads = name == "rfc9162_subtrees" ? count / 2 : count;
  u32 grid = (threads + block - 1) / block;
  size_t words = (size_t)count * DIGEST_WORDS;
  if (name == "sha256_strided") {
    u32 stride = number(line);
    Words from = bytes(line, seed), to = memory(words, seed);
    shim::launch(grid, block, seed, [&] { sha256_strided(from.get(), stride, count, to.get()); });
    print(to.get(), 4 * words);
  } else if (name == "sha256") {
    u32 prefix = number(line), origin = number(line);
    Words at = offsets(line, count), from = bytes(line, seed), to = memory(words, seed);
    shim::launch(grid, block, seed,
                 [&] { sha256(from.get(), at.get(), origin, count, prefix, to.get()); });
    print(to.get(), 4 * words);
  } else if (name == "keccak256") {
    u32 origin = number(line);
    Words at = offsets(line, count), from = bytes(line, seed), to = memory(words, seed);
    shim::launch(grid, block, seed,
                 [&] { keccak256(from.get(), at.get(), origin, count, to.get()); });
    print(to.get(), 4 * words);
  } else if (name == "rfc9162_subtrees") {
    u32 levels = number(line);
    words -= words >> levels;
    Words from = bytes(line, seed), to = memory(words, seed);
    shim::launch(grid, block, seed, [&] { rfc9162_subtrees(from.get(), count, levels, to.get()); });
    print(to.get(), 4 * words);
  } else {
    shim::fail("no such kernel");
  }
}

std::map<u32, Words> allocated;

unsigned char* address(u32 id, u32 offset) {
  return (unsigned char*)allocated.at(id).get() + offset;
}

// `ID:OFFSET` or a number.
u64 argument(const std::string& text) {
  size_t colon = text.find(':');
  if (colon == std::string::npos) return std::stoull(text);
  u32 id = (u32)std::stoul(text.substr(0, colon));
  return (u64)address(id, (u32)std::stoul(text.substr(colon + 1)));
}

void launch(std::istream& line) {
  std::string name, mistake, text;
  line >> name >> mistake;
  shim::planted = MISTAKES.at(mistake);
  u32 seed = number(line), grid = number(line), block = number(line);
  std::vector<u64> arguments;
  while (line >> text) arguments.push_back(argument(text));
  shim::launch(grid, block, seed, shim::bound(name, arguments));
}

// Does what a line says that is about memory or a launch with it; of another one, nothing.
bool has_obeyed(std::istream& line, const std::string& command) {
  static const std::string COMMANDS = " allocate free write read launch ";
  if (COMMANDS.find(" " + command + " ") == std::string::npos) return false;
  std::string word;
  line >> word;
  if (command == "launch") {
    launch(line);
  } else {
    u32 id = number(line), at = command == "free" ? 0 : number(line);
    if (command == "allocate") allocated[id] = memory((at + 3) / 4, id);
    if (command == "free") allocated.erase(id);
    if (command == "read") {
      print((const u32*)address(id, at), number(line));
      return true;
    }
    if (command == "write") {
      std::string hex;
      line >> hex;
      for (size_t i = 0; i < hex.size() / 2; i++) {
        address(id, at)[i] = (unsigned char)std::stoi(hex.substr(2 * i, 2), nullptr, 16);
      }
    }
  }
  std::cout << '\n';
  return true;
}

}  // namespace

int main() {
  std::string text;
  while (std::getline(std::cin, text)) {
    std::istringstream line(text);
    if (!has_obeyed(line, text.substr(0, text.find(' ')))) run(line);
    std::cout.flush();
  }
  return 0;
}
