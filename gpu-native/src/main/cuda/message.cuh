// Messages of any length at any position, read as aligned 32-bit words.
//
// Layout: `memory` begins at a multiple of 4 and its size is rounded up to one. A message may begin
// and end at any byte; it has fewer than 2^31. Only words that hold a byte of it are read.
#pragma once

#include "device.cuh"

// Where the block that comes next begins in memory, and what the message still has from there. A
// message may have one prefix byte, which stands in no memory: the byte before the message has its
// place and is never read for it.
struct Message {
  const u32* memory;
  i64 word;    // index of the word that holds the block's first byte; -1 only before a prefix
  u32 skew;    // bytes of that word before the block, 0 to 3
  i64 left;    // bytes of the message from here, prefix counted; below 0 past the end
  i32 prefix;  // bytes of prefix at the start of this block, 0 or 1
};

DEVICE Message message_at(const u32* memory, u64 start, u32 length, u32 prefix) {
  i64 from = (i64)start - prefix;
  Message message;
  message.memory = memory;
  message.word = from >> 2;
  message.skew = (u32)from & 3;
  message.left = (i64)length + prefix;
  message.prefix = (i32)prefix;
  return message;
}

// Message `i` of those that lie one behind the other: bytes `offsets[i] - origin` (inclusive) to
// `offsets[i + 1] - origin` (exclusive). `origin` is what `offsets[0]` of the whole batch was, of
// which the memory may hold a part.
DEVICE Message message_between(
    const u32* memory, const u32* offsets, u32 origin, u32 i, u32 prefix) {
  u32 start = offsets[i];
  return message_at(memory, start - origin, offsets[i + 1] - start, prefix);
}

// Bytes of the message that the next block of `block_bytes` has, prefix counted; 0 or less past
// its end.
DEVICE i32 bytes_here(const Message& message, i32 block_bytes) {
  return message.left > block_bytes ? block_bytes : (i32)message.left;
}

// The orders of bytes in a word, as selectors of `permute_bytes`: the first byte of memory is the
// highest of the word, or the lowest.
constexpr u32 BIG_ENDIAN_WORDS = 0x0123;
constexpr u32 LITTLE_ENDIAN_WORDS = 0x3210;

// Reads the next block, of which `here` bytes are of the message, as WORDS words in one of these
// orders. What of them lies outside the message is undefined, and so is the prefix.
template <i32 WORDS>
DEVICE void read_block(Message& message, i32 here, u32 order, u32* block) {
  const u32* memory = message.memory + message.word;
  i32 skew = (i32)message.skew, end = here + skew;  // both counted from the first word's start
  u32 selector = order + message.skew * 0x1111;  // every byte `skew` further
  // A block that is full, and has no prefix, needs no look at each word.
  bool is_inside = here == 4 * WORDS && message.prefix == 0;
  bool has_first = message.prefix < here && message.prefix + skew < 4;
  u32 low = has_first ? memory[0] : 0;
  if (is_inside) {
    UNROLL
    for (i32 i = 0; i < WORDS - 1; i++) {
      u32 high = memory[i + 1];
      block[i] = permute_bytes(low, high, selector);
      low = high;
    }
    u32 high = skew > 0 ? memory[WORDS] : 0;
    block[WORDS - 1] = permute_bytes(low, high, selector);
  } else {
    UNROLL
    for (i32 i = 0; i < WORDS; i++) {
      u32 high = 4 * (i + 1) < end ? memory[i + 1] : 0;
      block[i] = permute_bytes(low, high, selector);
      low = high;
    }
  }
  message.word += WORDS;
  message.left -= 4 * WORDS;
  message.prefix = 0;
}
