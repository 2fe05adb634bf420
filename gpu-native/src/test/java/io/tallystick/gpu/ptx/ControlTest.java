package io.tallystick.gpu.ptx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: guards, branches, calls and the memory of each function are those of PTX. Method: small
/// kernels written by hand.
@Tag("interpreted")
class ControlTest {

  @Test
  void guardsAndBranchesFollowPredicates() {
    int[] words =
        Programs.run(
            """
            mov.b32 %r1, 0; mov.b32 %r2, 0;
            L: add.s32 %r1, %r1, 3; add.s32 %r2, %r2, 1;
            setp.lt.u32 %p1, %r2, 5;
            @%p1 bra L;
            @!%p1 add.s32 %r1, %r1, 100;
            @%p1 add.s32 %r1, %r1, 1000;
            bra.uni M;
            mov.b32 %r1, 0;
            M: st.global.u32 [%rd0], %r1;
            """,
            1, 1);
    assertThat(words).containsExactly(115);
  }

  /// Each call of `f` has its own local memory and registers: f(n) = n * f(n - 1), n kept in
  /// memory.
  @Test
  void eachCallHasItsOwnLocalMemory() {
    PtxModule module =
        Programs.kernel(
            """
            .func (.param .b32 ret) f(.param .b32 n) {
            .local .align 8 .b8 kept[8]; .reg .b32 %a<5>; .reg .pred %q;
            ld.param.u32 %a0, [n]; st.local.u32 [kept+4], %a0; mov.b32 %a1, 1;
            setp.eq.u32 %q, %a0, 0; @%q bra END;
            { .param .b32 x; .param .b32 y; sub.s32 %a2, %a0, 1; st.param.b32 [x], %a2;
            call.uni (y), f, (x); ld.param.b32 %a3, [y]; }
            ld.local.u32 %a4, [kept+4]; mul.lo.s32 %a1, %a3, %a4;
            END: st.param.b32 [ret], %a1; ret; }
            """,
            """
            .param .b32 x; .param .b32 y; st.param.b32 [x], 5;
            call.uni (y), f, (x); ld.param.b32 %r1, [y];
            call.uni (y), f, (x); ld.param.b32 %r2, [y];
            st.global.v2.u32 [%rd0], {%r1, %r2};
            """);
    assertThat(Programs.run(module, 1, 2, 0)).containsExactly(120, 120);
  }

  @Test
  void localMemoryEndsWithItsFunction() {
    PtxModule module =
        Programs.kernel(
            ".func (.param .b64 ret) f() { .local .align 8 .b8 kept[8]; .reg .b64 %a;"
                + " mov.u64 %a, kept; st.param.b64 [ret], %a; ret; } ",
            "{ .param .b64 x; call.uni (x), f, ();\nld.param.b64 %rd1, [x]; }\n"
                + "st.local.u32 [%rd1], 1;");
    RefusalTest.assertFault(
        () -> Programs.run(module, 1, 1, 0), Fault.OUT_OF_BOUNDS, "line 4", "LOCAL");
  }

  @Test
  void sharedAndLocalMemoryHoldAnythingAtFirst() {
    PtxModule module =
        Programs.kernel(
            ".shared .align 4 .b8 s[4]; ",
            ".local .align 4 .b8 l[4]; mov.u64 %rd1, l; ld.local.u32 %r1, [%rd1];"
                + " ld.shared.u32 %r2, [s]; st.global.v2.u32 [%rd0], {%r1, %r2};");
    Set<Integer> local = new HashSet<>();
    Set<Integer> shared = new HashSet<>();
    for (int seed = 0; seed < 5; seed++) {
      int[] words = Programs.run(module, 1, 2, seed);
      local.add(words[0]);
      shared.add(words[1]);
    }
    assertThat(local).hasSizeGreaterThan(1);
    assertThat(shared).hasSizeGreaterThan(1);
  }

  @Test
  void aBlockHasTheSharedMemoryOfItsKernelAlone() {
    PtxModule module =
        Programs.kernel(
            ".entry other() { .shared .b8 large[40000]; ret; } ",
            ".shared .b8 also[40000]; st.shared.u8 [also+39999], 1;");
    assertThat(Programs.run(module, 1, 1, 0)).containsExactly(0);
  }

  @Test
  void launchesKernelsAloneAndWithinTheirBounds() {
    PtxModule module =
        PtxModule.parse(
            """
            .version 6.3
            .target sm_70
            .address_size 64
            .func f() { ret; }
            .entry k() .maxntid 64, 1, 1 .minnctapersm 2 { call f, (); ret; }
            """);
    Interpreter device = new Interpreter(module);
    device.launch(Launch.of("k", 3, 64, new Arguments()));
    assertThat(device.executed()).isEqualTo(3 * 64 * 3);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> device.launch(Launch.of("k", 1, 65, new Arguments())))
        .withMessageContaining("at most 64");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> device.launch(Launch.of("f", 1, 1, new Arguments())))
        .withMessageContaining("no kernel");
  }
}
