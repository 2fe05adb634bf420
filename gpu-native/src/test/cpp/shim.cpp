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
#include "tallystick.cu"

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
    {"DIVERGENT_BARRIER", Mistake::DIVERGENT_BARRIER}};

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

void print(const u32* digests, size_t words) {
  static const char DIGITS[] = "0123456789abcdef";
  std::string hex;
  for (size_t i = 0; i < 4 * words; i++) {
    unsigned char byte = ((const unsigned char*)digests)[i];
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
    print(to.get(), words);
  } else if (name == "sha256") {
    u32 prefix = number(line), origin = number(line);
    Words at = offsets(line, count), from = bytes(line, seed), to = memory(words, seed);
    shim::launch(grid, block, seed,
                 [&] { sha256(from.get(), at.get(), origin, count, prefix, to.get()); });
    print(to.get(), words);
  } else if (name == "keccak256") {
    u32 origin = number(line);
    Words at = offsets(line, count), from = bytes(line, seed), to = memory(words, seed);
    shim::launch(grid, block, seed,
                 [&] { keccak256(from.get(), at.get(), origin, count, to.get()); });
    print(to.get(), words);
  } else if (name == "rfc9162_subtrees") {
    u32 levels = number(line);
    words -= words >> levels;
    Words from = bytes(line, seed), to = memory(words, seed);
    shim::launch(grid, block, seed, [&] { rfc9162_subtrees(from.get(), count, levels, to.get()); });
    print(to.get(), words);
  } else {
    shim::fail("no such kernel");
  }
}

}  // namespace

int main() {
  std::string text;
  while (std::getline(std::cin, text)) {
    std::istringstream line(text);
    run(line);
  }
  return 0;
}
