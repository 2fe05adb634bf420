package io.tallystick.gpu.ptx;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: loads, stores and atomics touch the bytes that PTX says. Method: small kernels.
@Tag("interpreted")
class MemoryTest {

  @Test
  void storesAndLoadsEachWidthInLittleEndianOrder() {
    int[] words =
        Programs.run(
            """
            mov.u64 %rd1, 0x8877665544332211;
            st.global.u64 [%rd0], %rd1;
            ld.global.u8 %r1, [%rd0+7];
            ld.global.s8 %r2, [%rd0+7];
            ld.global.u16 %rs1, [%rd0+2];
            ld.global.s16 %r3, [%rd0+6];
            ld.global.s32 %rd2, [%rd0+4];
            st.global.u32 [%rd0+8], %r1;
            st.global.u32 [%rd0+12], %r2;
            st.global.u16 [%rd0+16], %rs1;
            st.global.u8 [%rd0+18], %rd1;
            st.global.u32 [%rd0+20], %r3;
            st.global.u64 [%rd0+24], %rd2;
            """,
            1, 8);
    assertThat(words)
        .containsExactly(
            0x44332211, 0x88776655, 0x88, 0xffffff88, 0x00114433, 0xffff8877, 0x88776655, -1);
  }

  @Test
  void movesVectors() {
    int[] words =
        Programs.run(
            """
            mov.b32 %r1, 1; mov.b32 %r2, 2;
            st.global.v2.u32 [%rd0+8], {%r1, %r2};
            ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd0];
            st.global.v4.u32 [%rd0+16], {%r6, %r5, %r4, %r3};
            """,
            1, 8);
    assertThat(words).containsExactly(0, 0, 1, 2, 2, 1, 0, 0);
  }

  @Test
  void genericAddressesReachEachSpace() {
    PtxModule module =
        Programs.kernel(
            ".const .align 4 .b8 c[4] = {5}; .global .u32 g = 7; .shared .align 4 .b8 s[4]; ",
            """
            .local .align 4 .b8 l[4];
            mov.u64 %rd1, c; cvta.const.u64 %rd1, %rd1; ld.u32 %r1, [%rd1];
            mov.u64 %rd2, g; cvta.global.u64 %rd2, %rd2; ld.u32 %r2, [%rd2];
            mov.u64 %rd3, s; st.shared.u32 [s], 11; cvta.shared.u64 %rd3, %rd3; ld.u32 %r3, [%rd3];
            mov.u64 %rd4, l; st.local.u32 [%rd4], 13; cvta.local.u64 %rd5, %rd4; ld.u32 %r4, [%rd5];
            cvta.to.shared.u64 %rd6, %rd3; atom.shared.add.u32 %r5, [%rd6], 1;
            ld.shared.u32 %r6, [s];
            st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};
            st.global.v2.u32 [%rd0+16], {%r5, %r6};
            st.u32 [%rd2], 8;
            """);
    byte[] memory = new byte[24];
    Interpreter device = new Interpreter(module);
    device.launch(
        Launch.of("k", 1, 1, new Arguments().u64(device.map(MemorySegment.ofArray(memory)))));
    assertThat(memory)
        .containsExactly(
            5, 0, 0, 0, 7, 0, 0, 0, 11, 0, 0, 0, 13, 0, 0, 0, 11, 0, 0, 0, 12, 0, 0, 0);
    assertThat(device.global("g").toArray(ValueLayout.JAVA_BYTE)).containsExactly(8, 0, 0, 0);
  }

  @Test
  void dynamicSharedMemoryHasTheSizeOfTheLaunch() {
    PtxModule module =
        Programs.kernel(
            ".extern .shared .align 16 .b8 s[]; ",
            "mov.u64 %rd1, s; st.shared.u32 [%rd1+60], 3; ld.shared.u32 %r1, [%rd1+60];"
                + " st.global.u32 [%rd0], %r1;");
    byte[] memory = new byte[4];
    Interpreter device = new Interpreter(module);
    Launch launch =
        Launch.of("k", 1, 1, new Arguments().u64(device.map(MemorySegment.ofArray(memory))));
    device.launch(launch.withSharedBytes(64));
    assertThat(memory).containsExactly(3, 0, 0, 0);
    RefusalTest.assertFault(
        () -> device.launch(launch.withSharedBytes(60)), Fault.OUT_OF_BOUNDS, "SHARED");
  }

  @Test
  void passesEveryKindOfParameter() {
    PtxModule module =
        PtxModule.parse(
            """
            .version 6.3
            .target sm_70
            .address_size 64
            .entry k(.param .u64 a, .param .u32 b, .param .u16 c, .param .u8 d,
                .param .align 8 .b8 e[16])
            {
              .reg .b32 %r<9>; .reg .b64 %rd<9>;
              ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [b]; ld.param.u16 %r2, [c];
              ld.param.u8 %r3, [d]; mov.b64 %rd2, e; ld.param.u32 %r4, [%rd2+12];
              st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
              ret;
            }
            """);
    byte[] memory = new byte[16];
    Interpreter device = new Interpreter(module);
    byte[] structure = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0};
    Arguments arguments =
        new Arguments()
            .u64(device.map(MemorySegment.ofArray(memory)))
            .u32(1)
            .u16(2)
            .u8(3)
            .structure(structure);
    device.launch(Launch.of("k", 1, 1, arguments));
    assertThat(memory).containsExactly(1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0);
  }

  /// The old value goes to the output, the new one stays in place.
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          atom.global.add.u32; 5; 7; 0; 12
          atom.global.and.b32; 12; 10; 0; 8
          atom.global.or.b32; 12; 10; 0; 14
          atom.global.xor.b32; 12; 10; 0; 6
          atom.global.exch.b32; 12; 10; 0; 10
          atom.global.min.u32; -1; 10; 0; 10
          atom.global.min.s32; -1; 10; 0; -1
          atom.global.max.u32; -1; 10; 0; -1
          atom.global.max.s32; -1; 10; 0; 10
          atom.global.inc.u32; 4; 4; 0; 0
          atom.global.inc.u32; 3; 4; 0; 4
          atom.global.dec.u32; 0; 4; 0; 4
          atom.global.dec.u32; 5; 4; 0; 4
          atom.global.dec.u32; 3; 4; 0; 2
          atom.global.cas.b32; 3; 3; 9; 9
          atom.global.cas.b32; 3; 4; 9; 3
          atom.acquire.gpu.global.cas.b32; 3; 3; 9; 9
          atom.add.u32; 3; 3; 0; 6
          """)
  void atomics(String opcode, int old, int first, int second, int want) {
    String operands = opcode.contains("cas") ? first + ", " + second : String.valueOf(first);
    int[] words =
        Programs.run(
            String.format(
                Locale.ROOT,
                """
                st.global.u32 [%%rd0], %d;
                %s %%r1, [%%rd0], %s;
                st.global.u32 [%%rd0+4], %%r1;
                """,
                old,
                opcode,
                operands),
            1,
            2);
    assertThat(words).as(opcode).containsExactly(want, old);
  }

  /// Thread 0 stores a value and then a flag; thread 1 waits for the flag and reads the value.
  ///
  /// @return in how many of 200 orders thread 1 reads an old value
  private static long stale(String between, String flagStore) {
    PtxModule module =
        Programs.kernel(
            String.format(
                Locale.ROOT,
                """
                setp.ne.u32 %%p1, %%r0, 0;
                @%%p1 bra WAIT;
                st.global.u32 [%%rd0], 7;
                %s
                %s [%%rd0+4], 1;
                bra END;
                WAIT: ld.volatile.global.u32 %%r1, [%%rd0+4];
                setp.eq.u32 %%p2, %%r1, 0;
                @%%p2 bra WAIT;
                ld.global.u32 %%r2, [%%rd0];
                st.global.u32 [%%rd0+8], %%r2;
                END:
                """,
                between,
                flagStore));
    return LongStream.range(0, 200)
        .filter(seed -> Programs.run(module, 2, 3, seed)[2] != 7)
        .count();
  }

  @Test
  void aMissingFenceShows() {
    assertThat(stale("", "st.volatile.global.u32")).isGreaterThan(10);
    assertThat(stale("membar.gl;", "st.volatile.global.u32")).isZero();
    assertThat(stale("fence.acq_rel.gpu;", "st.relaxed.gpu.global.u32")).isZero();
    assertThat(stale("", "st.release.gpu.global.u32")).isZero();
    assertThat(stale("", "red.global.add.u32")).isGreaterThan(10);
    assertThat(stale("", "red.release.gpu.global.add.u32")).isZero();
  }

  /// Each thread stores its number and reads the other's.
  @ParameterizedTest
  @ValueSource(strings = {"bar.sync 0;", "bar.warp.sync 3;", "bar.red.popc.u32 %r9, 0, %p1;"})
  void barriersMakeStoresVisible(String barrier) {
    PtxModule module =
        Programs.kernel(
            String.format(
                Locale.ROOT,
                """
                setp.eq.u32 %%p1, %%r0, 0; xor.b32 %%r1, %%r0, 1;
                mul.wide.u32 %%rd1, %%r0, 4; add.s64 %%rd1, %%rd0, %%rd1;
                mul.wide.u32 %%rd2, %%r1, 4; add.s64 %%rd2, %%rd0, %%rd2;
                add.s32 %%r2, %%r0, 10; st.global.u32 [%%rd1], %%r2;
                %s
                ld.global.u32 %%r3, [%%rd2]; st.global.u32 [%%rd1+8], %%r3;
                """,
                barrier));
    for (int seed = 0; seed < 40; seed++) {
      assertThat(Programs.run(module, 2, 4, seed)).containsExactly(10, 11, 11, 10);
    }
  }

  /// As {@link #stale}, but thread 0 has passed a barrier of its warp, and thread 32 reads.
  private static long staleInAnotherWarp(String between) {
    PtxModule module =
        Programs.kernel(
            String.format(
                Locale.ROOT,
                """
                setp.ge.u32 %%p1, %%r0, 32;
                @%%p1 bra OTHER;
                setp.ne.u32 %%p2, %%r0, 0;
                @%%p2 bra SYNC;
                st.global.u32 [%%rd0], 7;
                SYNC: bar.warp.sync 0xffffffff;
                @%%p2 bra END;
                %s
                st.volatile.global.u32 [%%rd0+4], 1;
                bra END;
                OTHER: setp.ne.u32 %%p2, %%r0, 32;
                @%%p2 bra END;
                WAIT: ld.volatile.global.u32 %%r1, [%%rd0+4];
                setp.eq.u32 %%p2, %%r1, 0;
                @%%p2 bra WAIT;
                ld.global.u32 %%r2, [%%rd0];
                st.global.u32 [%%rd0+8], %%r2;
                END:
                """,
                between));
    return LongStream.range(0, 100)
        .filter(seed -> Programs.run(module, 64, 3, seed)[2] != 7)
        .count();
  }

  @Test
  void aWarpsBarrierIsNoFenceForOtherWarps() {
    assertThat(staleInAnotherWarp("")).isGreaterThan(5);
    assertThat(staleInAnotherWarp("membar.gl;")).isZero();
  }

  @Test
  void aThreadSeesItsOwnStoresInOrder() {
    PtxModule module =
        Programs.kernel(
            """
            st.global.u64 [%rd0], -1; st.global.u8 [%rd0+1], 5; ld.global.u16 %r1, [%rd0];
            st.global.u32 [%rd0], 1; st.global.u32 [%rd0], 2; st.global.u32 [%rd0], 3;
            st.global.u32 [%rd0+8], %r1;
            """);
    for (int seed = 0; seed < 20; seed++) {
      assertThat(Programs.run(module, 1, 3, seed)).containsExactly(3, -1, 0x5ff);
    }
  }

  @Test
  void reducesAndFencesWithoutResult() {
    int[] words =
        Programs.run(
            """
            red.global.add.u32 [%rd0], 3; membar.gl; membar.cta; membar.sys; fence.acq_rel.gpu;
            red.relaxed.gpu.global.max.u64 [%rd0+8], 9;
            st.volatile.global.u32 [%rd0+16], 1; st.release.gpu.global.u32 [%rd0+20], 2;
            ld.acquire.gpu.global.u32 %r1, [%rd0]; ld.volatile.global.u32 %r2, [%rd0];
            ld.global.nc.u32 %r3, [%rd0]; st.global.v2.u32 [%rd0+24], {%r1, %r3};
            """,
            32, 8);
    assertThat(words[0]).isEqualTo(96);
    assertThat(words[2]).isEqualTo(9);
    assertThat(words).endsWith(1, 2, words[6], words[7]);
  }
}
