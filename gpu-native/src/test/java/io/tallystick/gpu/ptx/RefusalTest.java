package io.tallystick.gpu.ptx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.foreign.MemorySegment;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: what is undefined on a device stops the launch, and the message says where. Method: one
/// small kernel for each, with the line that must be named.
@Tag("interpreted")
class RefusalTest {

  static void assertFault(ThrowingCallable launch, Fault fault, String... parts) {
    assertThatExceptionOfType(KernelFaultException.class)
        .isThrownBy(launch)
        .satisfies(thrown -> {
          assertThat(thrown.fault()).isEqualTo(fault);
          assertThat(thrown).hasMessageContainingAll(parts);
        });
  }

  private static void assertFault(String body, int threads, Fault fault, String... parts) {
    assertFault(() -> Programs.run(body, threads, 8), fault, parts);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          ld.global.u32 %r1, [%rd0+32]; GLOBAL access of 4 bytes
          ld.global.u8 %r1, [%rd0+-1]; GLOBAL access of 1 bytes
          st.global.u64 [%rd0+32], %rd0; GLOBAL access of 8 bytes
          ld.global.u32 %r1, [0]; GLOBAL access of 4 bytes at 0x0
          ld.u32 %r1, [0x7fffffffffffffe0]; GLOBAL
          ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0+32]; GLOBAL access of 4 bytes
          atom.global.add.u32 %r1, [%rd0+32], 1; GLOBAL
          ld.shared.u32 %r1, [%rd0]; SHARED
          ld.local.u32 %r1, [%rd0]; LOCAL
          ld.param.u64 %rd1, [out+8]; PARAM access of 8 bytes
          """)
  void refusesAccessOutsideObjects(String instruction, String part) {
    assertFault(instruction + ";", 1, Fault.OUT_OF_BOUNDS, "k, block 0, thread 0, line 2:", part);
  }

  @Test
  void refusesTheNeighbourOfASharedVariable() {
    PtxModule module =
        Programs.kernel(
            ".shared .align 4 .b8 a[16]; .shared .align 4 .b8 b[16]; ",
            "mov.u64 %rd1, a;\nld.shared.u32 %r1, [%rd1+16];");
    assertFault(() -> Programs.run(module, 1, 1, 0), Fault.OUT_OF_BOUNDS, "line 3");
  }

  @Test
  void refusesMisalignedAccess() {
    assertFault(
        "ld.global.u8 %r1, [%rd0+1];\nld.global.u32 %r1, [%rd0+2];",
        1, Fault.MISALIGNED, "line 3:", "4 bytes at 0x");
    assertFault("ld.global.v2.u32 {%r1, %r2}, [%rd0+4];", 1, Fault.MISALIGNED, "8 bytes");
  }

  @Test
  void refusesWritesToConstantMemory() {
    PtxModule module =
        Programs.kernel(
            ".const .u32 c = 1; ", "mov.u64 %rd1, c; cvta.const.u64 %rd1, %rd1; st.u32 [%rd1], 2;");
    assertFault(() -> Programs.run(module, 1, 1, 0), Fault.READ_ONLY, "line 2");
  }

  @Test
  void refusesRegistersThatWereNeverWritten() {
    assertFault(
        "setp.eq.u32 %p1, %r0, 0;\n@%p1 mov.b32 %r1, 1;\nadd.s32 %r2, %r1, 1;",
        2, Fault.UNINITIALISED_REGISTER, "thread 1, line 4: %r1");
    assertFault("addc.u32 %r1, 1, 1;", 1, Fault.UNINITIALISED_REGISTER, "line 2: the carry");
    assertFault("@%p1 bra L; L:", 1, Fault.UNINITIALISED_REGISTER, "%p1");
  }

  @Test
  void refusesDivisionByZero() {
    assertFault("div.u32 %r1, 1, %r0;", 1, Fault.DIVISION_BY_ZERO, "line 2");
  }

  /// Whether the thread exits first or the other one comes to the barrier first.
  @Test
  void refusesABarrierThatSomeThreadsDoNotReach() {
    PtxModule module = Programs.kernel("setp.eq.u32 %p1, %r0, 1;\n@%p1 bra L;\nbar.sync 0;\nL:");
    PtxModule exits = Programs.kernel("setp.eq.u32 %p1, %r0, 1;\n@%p1 exit;\nbar.sync 0;");
    for (int seed = 0; seed < 10; seed++) {
      int order = seed;
      String[] parts = {"thread 0, line 4", "before this barrier"};
      assertFault(() -> Programs.run(module, 2, 1, order), Fault.DIVERGENT_BARRIER, parts);
      assertFault(() -> Programs.run(exits, 2, 1, order), Fault.DIVERGENT_BARRIER, parts);
    }
  }

  @Test
  void refusesABarrierReachedInTwoPlaces() {
    assertFault(
        "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra L;\nbar.sync 0;\nbra M;\nL: bar.sync 0;\nM:",
        2, Fault.DIVERGENT_BARRIER, "another barrier");
  }

  @Test
  void refusesMasksThatDoNotMatchTheLanes() {
    assertFault("bar.warp.sync 0xf;", 2, Fault.WRONG_MASK, "names lane 2, which is not there");
    assertFault("bar.warp.sync 1;", 2, Fault.WRONG_MASK, "thread 1", "leaves out its own lane");
    assertFault("shfl.sync.idx.b32 %r1, %r0, 3, 31, 7;", 3, Fault.WRONG_MASK, "lane 3 is read");
  }

  @Test
  void refusesMasksThatNameLanesWhichExitOrPassOtherMasks() {
    PtxModule exits = Programs.kernel("setp.eq.u32 %p1, %r0, 1; @%p1 exit; bar.warp.sync 3;");
    PtxModule differ =
        Programs.kernel(
            "mov.b32 %r1, 7; setp.eq.u32 %p1, %r0, 1; @%p1 mov.b32 %r1, 3; bar.warp.sync %r1;");
    for (int seed = 0; seed < 10; seed++) {
      int order = seed;
      assertFault(
          () -> Programs.run(exits, 2, 1, order), Fault.WRONG_MASK, "thread 0", "names lane 1");
      assertFault(() -> Programs.run(differ, 3, 1, order), Fault.WRONG_MASK, "in another lane");
    }
  }

  @Test
  void refusesToWaitForEver() {
    assertFault(
        "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra L;\nbar.warp.sync 3;\nbra M;\nL: bar.warp.sync 3;\nM:",
        2, Fault.DEADLOCK, "waits");
  }

  @Test
  void refusesMoreInstructionsThanTheLaunchAllows() {
    PtxModule module = Programs.kernel("L:\nbra.uni L;");
    Interpreter device = new Interpreter(module);
    Arguments arguments = new Arguments().u64(device.map(MemorySegment.ofArray(new byte[4])));
    assertFault(
        () -> device.launch(Launch.of("k", 1, 1, arguments).withInstructionsMax(1000)),
        Fault.INSTRUCTION_LIMIT,
        "line 3: more than 1000");
    assertThat(device.executed()).isEqualTo(1001);
  }

  @Test
  void refusesEndlessCallsAndTraps() {
    PtxModule module = Programs.kernel(".func f() { call f, (); ret; } ", "call.uni f, ();");
    assertFault(() -> Programs.run(module, 1, 1, 0), Fault.CALL_DEPTH, "line 1");
    assertFault("trap;", 1, Fault.TRAP, "line 2");
  }

  @Test
  void refusesLaunchesThatDoNotFitTheKernel() {
    Interpreter device = new Interpreter(Programs.kernel(""));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> device.launch(Launch.of("k", 1, 1, new Arguments().u32(0))))
        .withMessageContaining("want [8]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> device.launch(Launch.of("none", 1, 1, new Arguments())));
    assertThatIllegalArgumentException().isThrownBy(() -> Launch.of("k", 1, 1025, new Arguments()));
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            new Interpreter(Programs.kernel(".shared .b8 s[50000]; ", ""))
                .launch(Launch.of("k", 1, 1, new Arguments().u64(0))))
        .withMessageContaining("shared memory");
  }
}
