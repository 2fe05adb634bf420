package io.tallystick.gpu.ptx;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: each instruction that computes yields what PTX ISA section 9.7 says, at the edges too.
/// Method: one instruction on the values a, b, c; they lie in %rs1 to 3, %r1 to 3, %rd1 to 3 and,
/// by their lowest bit, %p1 to 3. The first register it names has number 9 and is compared.
@Tag("interpreted")
class ComputationTest {
  private static final String SOURCES = sources();

  private static String sources() {
    StringBuilder text = new StringBuilder();
    for (int i = 1; i <= 3; i++) {
      text.append(
          String.format(
              Locale.ROOT,
              """
              cvt.u32.u64 %%r%1$d, %%rd%1$d; cvt.u16.u64 %%rs%1$d, %%rd%1$d;
              and.b32 %%r10, %%r%1$d, 1; setp.eq.b32 %%p%1$d, %%r10, 1;
              """,
              i));
    }
    return text.toString();
  }

  private static long compute(String instruction, String a, String b, String c) {
    String stored =
        instruction.contains("%rd9")
            ? ""
            : instruction.contains("%rs9")
                ? "cvt.u64.u16 %rd9, %rs9;"
                : instruction.contains("%p9")
                    ? "selp.b64 %rd9, 1, 0, %p9;"
                    : "cvt.u64.u32 %rd9, %r9;";
    String body =
        String.format(
                Locale.ROOT, "mov.u64 %%rd1, %s; mov.u64 %%rd2, %s; mov.u64 %%rd3, %s;\n", a, b, c)
            + SOURCES
            + instruction
            + ";\n"
            + stored
            + "st.global.u64 [%rd0], %rd9;";
    int[] words = Programs.run(body, 1, 2);
    return Integer.toUnsignedLong(words[0]) | (long) words[1] << 32;
  }

  private static void check(String instruction, String a, String b, String c, String want) {
    long expected =
        want.startsWith("0x")
            ? Long.parseUnsignedLong(want.substring(2), 16)
            : Long.parseLong(want);
    assertThat(compute(instruction, a, b, c)).as(instruction).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          add.s32 %r9, %r1, %r2 ~ 0xffffffff ~ 2 ~ 0 ~ 1
          add.u64 %rd9, %rd1, -1 ~ 0 ~ 0 ~ 0 ~ 0xffffffffffffffff
          add.s16 %rs9, %rs1, %rs2 ~ 0xffff ~ 1 ~ 0 ~ 0
          sub.s32 %r9, %r1, %r2 ~ 1 ~ 2 ~ 0 ~ 0xffffffff
          sub.s64 %rd9, %rd1, %rd2 ~ 5 ~ 3 ~ 0 ~ 2
          mul.lo.s32 %r9, %r1, %r2 ~ 0x10001 ~ 0x10001 ~ 0 ~ 0x20001
          mul.lo.s64 %rd9, %rd1, %rd2 ~ 0x100000001 ~ 0x100000001 ~ 0 ~ 0x200000001
          mul.lo.s16 %rs9, %rs1, %rs2 ~ 0x101 ~ 0x101 ~ 0 ~ 0x201
          mul.hi.u32 %r9, %r1, %r2 ~ 0xffffffff ~ 0xffffffff ~ 0 ~ 0xfffffffe
          mul.hi.s32 %r9, %r1, %r2 ~ 0xffffffff ~ 0xffffffff ~ 0 ~ 0
          mul.hi.u16 %rs9, %rs1, %rs2 ~ 0xffff ~ 0xffff ~ 0 ~ 0xfffe
          mul.hi.u64 %rd9, %rd1, %rd2 ~ -1 ~ -1 ~ 0 ~ 0xfffffffffffffffe
          mul.hi.s64 %rd9, %rd1, %rd2 ~ -1 ~ 2 ~ 0 ~ 0xffffffffffffffff
          mul.wide.u32 %rd9, %r1, %r2 ~ 0xffffffff ~ 0xffffffff ~ 0 ~ 0xfffffffe00000001
          mul.wide.s32 %rd9, %r1, %r2 ~ 0xffffffff ~ 2 ~ 0 ~ 0xfffffffffffffffe
          mul.wide.u16 %r9, %rs1, %rs2 ~ 0xffff ~ 0xffff ~ 0 ~ 0xfffe0001
          mul.wide.s16 %r9, %rs1, %rs2 ~ 0xffff ~ 3 ~ 0 ~ 0xfffffffd
          mad.lo.s32 %r9, %r1, %r2, %r3 ~ 3 ~ 5 ~ 7 ~ 22
          mad.hi.u32 %r9, %r1, %r2, %r3 ~ 0x80000000 ~ 4 ~ 7 ~ 9
          mad.wide.u32 %rd9, %r1, %r2, %rd3 ~ 0xffffffff ~ 2 ~ 1 ~ 0x1ffffffff
          mad.wide.s32 %rd9, %r1, %r2, %rd3 ~ 0xffffffff ~ 2 ~ 1 ~ -1
          div.u32 %r9, %r1, %r2 ~ 0xfffffffe ~ 2 ~ 0 ~ 0x7fffffff
          div.s32 %r9, %r1, %r2 ~ 0xfffffffe ~ 2 ~ 0 ~ 0xffffffff
          div.s32 %r9, %r1, %r2 ~ 0x80000000 ~ -1 ~ 0 ~ 0x80000000
          div.u64 %rd9, %rd1, %rd2 ~ -2 ~ 2 ~ 0 ~ 0x7fffffffffffffff
          rem.u32 %r9, %r1, %r2 ~ 0xffffffff ~ 10 ~ 0 ~ 5
          rem.s32 %r9, %r1, %r2 ~ -7 ~ 3 ~ 0 ~ 0xffffffff
          rem.u64 %rd9, %rd1, %rd2 ~ -1 ~ 10 ~ 0 ~ 5
          min.u32 %r9, %r1, %r2 ~ 0xffffffff ~ 1 ~ 0 ~ 1
          min.s32 %r9, %r1, %r2 ~ 0xffffffff ~ 1 ~ 0 ~ 0xffffffff
          max.u64 %rd9, %rd1, %rd2 ~ -1 ~ 1 ~ 0 ~ -1
          max.s64 %rd9, %rd1, %rd2 ~ -1 ~ 1 ~ 0 ~ 1
          abs.s32 %r9, %r1 ~ 0xfffffffb ~ 0 ~ 0 ~ 5
          neg.s32 %r9, %r1 ~ 5 ~ 0 ~ 0 ~ 0xfffffffb
          add.cc.u32 %r9, %r1, %r2 ~ -1 ~ 2 ~ 0 ~ 1
          add.cc.u32 %r8, %r1, %r2; addc.u32 %r9, 5, 0 ~ -1 ~ 1 ~ 0 ~ 6
          add.cc.u32 %r8, %r1, %r2; addc.u32 %r9, 5, 0 ~ -2 ~ 1 ~ 0 ~ 5
          add.cc.s64 %rd8, %rd1, %rd2; addc.cc.s64 %rd8, -1, 0; addc.u64 %rd9, 0, 0 ~ -1 ~ 1 ~ 0 ~ 1
          add.cc.s64 %rd8, %rd1, %rd2; addc.cc.s64 %rd8, %rd3, -1; addc.u64 %rd9, 0, 0 ~ -1 ~ 1 ~ 7 ~ 1
          add.cc.s64 %rd8, %rd1, %rd2; addc.cc.s64 %rd8, %rd3, 0; addc.u64 %rd9, 0, 0 ~ -1 ~ 1 ~ 7 ~ 0
          sub.cc.u32 %r8, %r1, %r2; subc.u32 %r9, 5, 0 ~ 1 ~ 2 ~ 0 ~ 4
          sub.cc.u32 %r8, %r1, %r2; subc.u32 %r9, 5, 0 ~ 2 ~ 2 ~ 0 ~ 5
          sub.cc.u64 %rd8, %rd1, %rd2; subc.cc.u64 %rd8, 0, -1; subc.u64 %rd9, 9, 0 ~ 1 ~ 2 ~ 0 ~ 8
          sub.cc.u64 %rd8, %rd1, %rd2; subc.cc.u64 %rd8, 3, 1; subc.u64 %rd9, 9, 0 ~ 1 ~ 2 ~ 0 ~ 9
          """)
  void arithmetic(String instruction, String a, String b, String c, String want) {
    check(instruction, a, b, c, want);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          and.b32 %r9, %r1, %r2; 12; 10; 0; 8
          or.b64 %rd9, %rd1, %rd2; 12; 10; 0; 14
          xor.b16 %rs9, %rs1, %rs2; 12; 10; 0; 6
          not.b32 %r9, %r1; 1; 0; 0; 0xfffffffe
          and.pred %p9, %p1, %p2; 1; 0; 0; 0
          or.pred %p9, %p1, %p2; 1; 0; 0; 1
          xor.pred %p9, %p1, %p2; 1; 1; 0; 0
          not.pred %p9, %p1; 0; 0; 0; 1
          shl.b32 %r9, %r1, 31; 3; 0; 0; 0x80000000
          shl.b32 %r9, %r1, %r2; 3; 32; 0; 0
          shl.b64 %rd9, %rd1, %r2; 3; 63; 0; 0x8000000000000000
          shl.b64 %rd9, %rd1, %r2; 3; 64; 0; 0
          shl.b16 %rs9, %rs1, 8; 0x1ff; 0; 0; 0xff00
          shr.u32 %r9, %r1, %r2; 0x80000000; 31; 0; 1
          shr.u32 %r9, %r1, %r2; 0x80000000; 32; 0; 0
          shr.u32 %r9, %r1, %r2; 0x80000000; -1; 0; 0
          shr.s32 %r9, %r1, %r2; 0x80000000; 40; 0; 0xffffffff
          shr.u64 %rd9, %rd1, 60; -1; 0; 0; 15
          shr.s64 %rd9, %rd1, %r2; -8; 1; 0; -4
          shr.b16 %rs9, %rs1, 15; 0x8000; 0; 0; 1
          shf.l.wrap.b32 %r9, %r1, %r2, %r3; 0x80000000; 1; 1; 3
          shf.l.wrap.b32 %r9, %r1, %r2, %r3; 5; 1; 32; 1
          shf.l.clamp.b32 %r9, %r1, %r2, %r3; 5; 1; 40; 5
          shf.r.wrap.b32 %r9, %r1, %r2, %r3; 2; 1; 1; 0x80000001
          shf.r.clamp.b32 %r9, %r1, %r2, %r3; 2; 1; 99; 1
          lop3.b32 %r9, %r1, %r2, %r3, 0x96; 15; 51; 85; 105
          lop3.b32 %r9, %r1, %r2, %r3, 0xe8; 15; 51; 85; 23
          lop3.b32 %r9, %r1, %r2, %r3, 0x10; 15; 51; 85; 8
          prmt.b32 %r9, %r1, 0, 0x123; 0x11223344; 0; 0; 0x44332211
          prmt.b32 %r9, %r1, %r2, 0x7531; 0x11223344; 0x55667788; 0; 0x55771133
          prmt.b32 %r9, %r1, %r2, 0x98; 0x807f; 0; 0; 0x7f7fff00
          bfe.u32 %r9, %r1, 4, 8; 0xabcd; 0; 0; 0xbc
          bfe.s32 %r9, %r1, 4, 8; 0xabcd; 0; 0; 0xffffffbc
          bfe.u32 %r9, %r1, 28, 8; 0xf0000000; 0; 0; 15
          bfe.u32 %r9, %r1, 4, 0; -1; 0; 0; 0
          bfe.u64 %rd9, %rd1, 60, 8; -1; 0; 0; 15
          bfi.b32 %r9, %r1, %r2, 8, 8; 0xfff; 0; 0; 0xff00
          bfi.b32 %r9, %r1, %r2, 24, 16; 0x12345; -1; 0; 0x45ffffff
          bfi.b64 %rd9, %rd1, %rd2, 60, 8; 0; -1; 0; 0x0fffffffffffffff
          brev.b32 %r9, %r1; 1; 0; 0; 0x80000000
          brev.b64 %rd9, %rd1; 2; 0; 0; 0x4000000000000000
          popc.b32 %r9, %r1; -1; 0; 0; 32
          popc.b64 %r9, %rd1; -1; 0; 0; 64
          clz.b32 %r9, %r1; 1; 0; 0; 31
          clz.b32 %r9, %r1; 0; 0; 0; 32
          clz.b64 %r9, %rd1; 1; 0; 0; 63
          """)
  void logic(String instruction, String a, String b, String c, String want) {
    check(instruction, a, b, c, want);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          setp.eq.s32 %p9, %r1, %r2; 0x100000001; 1; 0; 1
          setp.ne.b64 %p9, %rd1, %rd2; 0x100000001; 1; 0; 1
          setp.lt.u32 %p9, %r1, %r2; -1; 1; 0; 0
          setp.lt.s32 %p9, %r1, %r2; -1; 1; 0; 1
          setp.le.u64 %p9, %rd1, %rd2; -1; 1; 0; 0
          setp.le.s64 %p9, %rd1, %rd2; 1; 1; 0; 1
          setp.gt.u16 %p9, %rs1, 3; 0xffff; 0; 0; 1
          setp.gt.s16 %p9, %rs1, 3; 0xffff; 0; 0; 0
          setp.ge.u32 %p9, %r1, -1; 0xffffffff; 0; 0; 1
          setp.hi.u32 %p9, %r1, %r2; 2; 1; 0; 1
          setp.hs.u32 %p9, %r1, %r2; 1; 1; 0; 1
          setp.lo.u32 %p9, %r1, %r2; 1; 1; 0; 0
          setp.ls.u32 %p9, %r1, %r2; 1; 1; 0; 1
          selp.b32 %r9, %r1, %r2, %p3; 7; 8; 1; 7
          selp.b32 %r9, %r1, %r2, %p3; 7; 8; 0; 8
          selp.u16 %rs9, 1, 0, %p3; 7; 8; 1; 1
          mov.b32 %r9, -1; 0; 0; 0; 0xffffffff
          mov.u64 %rd9, %rd1; 9; 0; 0; 9
          mov.pred %p9, %p1; 1; 0; 0; 1
          mov.b64 %rd9, {%r1, %r2}; 1; 2; 0; 0x200000001
          mov.b64 {%r10, %r9}, %rd1; 0x300000004; 0; 0; 3
          mov.b32 {%rs8, %rs9}, %r1; 0x30004; 0; 0; 3
          mov.b64 %rd9, {%rs1, %rs2, %rs3, %rs1}; 1; 2; 3; 0x1000300020001
          cvt.u64.u32 %rd9, %r1; -1; 0; 0; 0xffffffff
          cvt.s64.s32 %rd9, %r1; -1; 0; 0; -1
          cvt.u32.u64 %r9, %rd1; 0x500000006; 0; 0; 6
          cvt.s32.s16 %r9, %r1; 0x18000; 0; 0; 0xffff8000
          cvt.u16.u8 %rs9, %rs1; 0x1ff; 0; 0; 0xff
          cvt.s16.s8 %rs9, %rs1; 0x1ff; 0; 0; 0xffff
          cvt.u32.s16 %r9, %rs1; 0xffff; 0; 0; 0xffffffff
          mov.u32 %r9, %ntid.x; 0; 0; 0; 1
          mov.u32 %r9, %nctaid.y; 0; 0; 0; 1
          mov.u32 %r9, WARP_SZ; 0; 0; 0; 32
          mov.u32 %r9, %lanemask_gt; 0; 0; 0; 0xfffffffe
          """)
  void comparisonAndMove(String instruction, String a, String b, String c, String want) {
    check(instruction, a, b, c, want);
  }
}
