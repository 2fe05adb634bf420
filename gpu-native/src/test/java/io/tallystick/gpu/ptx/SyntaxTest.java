package io.tallystick.gpu.ptx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: the interpreter guesses at nothing: what it does not know is an error that names the line.
/// Method: one wrong instruction or directive in a kernel that is right.
@Tag("interpreted")
class SyntaxTest {

  private static void assertRefused(String instruction, String message) {
    assertThatExceptionOfType(PtxSyntaxException.class)
        .isThrownBy(() -> Programs.kernel("L: mov.b32 %r1, 1;\n" + instruction + ";"))
        .withMessageStartingWith("line " + (Programs.BODY_LINE + 1) + ": ")
        .withMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          fma.rn.f32 %r1, %r1, %r1, %r1 ~ unknown opcode
          add.sat.s32 %r1, %r1, %r1 ~ no type
          add.f32 %r1, %r1, %r1 ~ no type
          add.b32 %r1, %r1, %r1 ~ not for the type B32
          add.s32.sat %r1, %r1, %r1 ~ unknown modifier in [sat]
          add.s32 %r1, %r1 ~ 2 operands, want 3
          add.s32 %rd1, %r1, %r1 ~ %rd1 has 64 bits, want 32
          add.s32 %r1, %rd1, %r1 ~ a value of 64 bits, want S32
          add.s32 1, %r1, %r1 ~ must be a register
          add.s32 %r1, %r99, %r1 ~ want a value
          mul.s32 %r1, %r1, %r1 ~ want one of [lo, hi, wide]
          mul.wide.u64 %rd1, %rd1, %rd1 ~ no wide product
          setp.lt.b32 %p1, %r1, %r1 ~ no order
          setp.lo.s32 %p1, %r1, %r1 ~ no order
          shf.l.b32 %r1, %r1, %r1, 3 ~ want one of [wrap, clamp]
          lop3.b32 %r1, %r1, %r1, %r1, %r1 ~ must be an immediate
          prmt.b32.f4e %r1, %r1, %r1, %r1 ~ unknown modifier in [f4e]
          cvt.rn.f32.u32 %r1, %r1 ~ no type
          cvt.u64.u32 %r1, %r1 ~ too narrow
          """)
  void refusesUnknownComputations(String instruction, String message) {
    assertRefused(instruction, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          ld.global.ca.u32 %r1, [%rd0] ~ no type
          ld.global.u64 %r1, [%rd0] ~ too narrow
          ld.global.u32 %r1, [%r1] ~ address in %r1
          ld.global.u32 %r1, %rd0 ~ must be an address
          ld.global.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%rd0] ~ no access
          ld.global.v2.u32 %r1, [%rd0] ~ want a vector of 2
          ld.shared.nc.u32 %r1, [%rd0] ~ for global memory
          st.const.u32 [%rd0], %r1 ~ never written
          atom.global.add.b32 %r1, [%rd0], 1 ~ add is not for the type B32
          atom.local.add.u32 %r1, [%rd0], 1 ~ no atomics in LOCAL
          atom.global.nand.b32 %r1, [%rd0], 1 ~ want one of
          """)
  void refusesUnknownAccess(String instruction, String message) {
    assertRefused(instruction, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          membar.gpu ~ want one of [cta, gl, sys]
          bra M ~ no such label
          bar.sync 16 ~ no barrier 16
          bar.sync 0, 32 ~ 2 operands, want 1
          bar.red.popc.pred %p1, 0, %p1 ~ not for the type PRED
          bar.arrive 0, 32 ~ .sync
          add.cc.s16 %rs1, %rs1, %rs1 ~ not for the type S16
          shfl.idx.b32 %r1, %r1, 0, 31 ~ .sync
          vote.sync.ballot.pred %p1, %p1, -1 ~ not for the type PRED
          call g, () ~ no function g
          call k, (out) ~ no function k
          @%r1 bra L ~ a guard must be a predicate
          .reg .b32 %r1 ~ declared twice
          .reg .b8 %b<3> ~ no registers of 8 bits
          .reg .f32 %f1 ~ is no type
          .section x ~ unknown directive
          L: bra L ~ stands twice
          mov.u32 %r1, %clock ~ want a value
          ld.global.u32 %r1, [nowhere] ~ is not declared
          """)
  void refusesUnknownControlAndDirectives(String instruction, String message) {
    assertRefused(instruction, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          .version 9.0 .target sm_70 .address_size 64 | PTX version 9.0
          .version 6.3 .target sm_100 .address_size 64 | unknown target sm_100
          .version 6.3 .target sm_70 .address_size 32 | 64 bits
          .version 6.3 .target sm_70 .address_size 64 .file 1 | unknown directive
          .version 6.3 .target sm_70 .address_size 64 .global .f32 x; | is no type
          .version 6.3 .target sm_70 .address_size 64 .global .b8 x[2] = {1,2,3}; | initial bytes
          .version 6.3 .target sm_70 .address_size 64 .global .align 3 .b8 x[2]; | alignment 3
          .version 6.3 .target sm_70 .address_size 64 .func f(); | never defined
          .version 6.3 .target sm_70 .address_size 64 .entry k() { ret; } .entry k() { ret; } | twice
          .version 6.3 .target sm_70 .address_size 64 .entry k() { ret; | want a name
          .version 6.3 .target sm_70 .address_size 64 ? | unknown character
          """)
  void refusesModules(String text, String message) {
    assertThatExceptionOfType(PtxSyntaxException.class)
        .isThrownBy(() -> PtxModule.parse(text))
        .withMessageContaining(message);
  }

  @Test
  void readsEveryFunctionOfAFile() {
    assertThat(Programs.compiled("exchange").functions().keySet())
        .containsExactlyInAnyOrder(
            "block_sum", "warp_scan", "locked_add", "fibonacci_numbers", "_ZL9fibonaccijPy");
  }
}
