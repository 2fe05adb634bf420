// SHA-256 (FIPS 180-4) of many messages of one length, one message a thread. Test kernel of the PTX
// interpreter: message i lies at messages + i * stride, digest i at digests + i * 32.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

__constant__ u32 K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static __device__ inline u32 rotr(u32 x, u32 n) { return (x >> n) | (x << (32 - n)); }

static __device__ void compress(u32 *state, u32 *w) {
  u32 a = state[0], b = state[1], c = state[2], d = state[3];
  u32 e = state[4], f = state[5], g = state[6], h = state[7];
#pragma unroll 16
  for (int round = 0; round < 64; round++) {
    u32 word = w[round & 15];
    if (round >= 16) {
      u32 w15 = w[(round + 1) & 15], w2 = w[(round + 14) & 15];
      u32 s0 = rotr(w15, 7) ^ rotr(w15, 18) ^ (w15 >> 3);
      u32 s1 = rotr(w2, 17) ^ rotr(w2, 19) ^ (w2 >> 10);
      word += s0 + w[(round + 9) & 15] + s1;
      w[round & 15] = word;
    }
    u32 t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + K[round] + word;
    u32 t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

// Byte `at` of the padded message of `length` bytes, `blocks` blocks long.
static __device__ u32 padded(const u8 *message, u32 length, u32 blocks, u32 at) {
  if (at < length) {
    return message[at];
  }
  if (at == length) {
    return 0x80;
  }
  u32 fromEnd = blocks * 64 - 1 - at;
  return fromEnd < 8 ? (u32)(((u64)length * 8) >> (8 * fromEnd)) & 0xff : 0;
}

extern "C" __global__ void sha256_equal(const u8 *messages, u32 stride, u32 length, u32 count,
                                        u8 *digests) {
  u32 i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
          __nvvm_read_ptx_sreg_tid_x();
  if (i >= count) {
    return;
  }
  const u8 *message = messages + (u64)i * stride;
  u32 state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  u32 blocks = (length + 8) / 64 + 1;
  for (u32 block = 0; block < blocks; block++) {
    u32 w[16];
    for (u32 word = 0; word < 16; word++) {
      u32 value = 0;
      for (u32 byte = 0; byte < 4; byte++) {
        value = (value << 8) | padded(message, length, blocks, block * 64 + word * 4 + byte);
      }
      w[word] = value;
    }
    compress(state, w);
  }
  u8 *digest = digests + (u64)i * 32;
  for (u32 byte = 0; byte < 32; byte++) {
    digest[byte] = (u8)(state[byte / 4] >> (24 - 8 * (byte % 4)));
  }
}
