package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.gpu.PtxAssembler.Use;
import io.tallystick.testkit.Effort;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a driver takes the committed PTX for each kind of device, and the kernels run there as
/// they are meant to: all in registers, and no more of them than let a multiprocessor hold enough
/// threads. Method: NVIDIA's assembler, which needs no device.
class PtxAssemblerTest {
  /// 65,536 registers are 512 threads of a multiprocessor at 128 each.
  private static final int REGISTERS_MAX = 128;

  /// In the short form the oldest and the newest.
  static Stream<String> devices() {
    List<String> all = List.of("sm_75", "sm_80", "sm_86", "sm_89", "sm_90");
    return all.stream().filter(each -> Effort.of(0, 1) == 1 || !each.startsWith("sm_8"));
  }

  @ParameterizedTest
  @MethodSource("devices")
  void takesTheKernels(String device) {
    Map<String, Use> uses = PtxAssembler.assemble(KernelImage.ptx(), device);
    assertThat(uses.keySet())
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Kernel.values()).map(Kernel::entry).toList());
    assertThat(uses)
        .allSatisfy((entry, use) -> {
          assertThat(use.localBytes()).as(entry).isZero();
          assertThat(use.registers()).as(entry).isLessThanOrEqualTo(REGISTERS_MAX);
        });
  }

  /// With fewer registers than the kernels need.
  @Test
  void seesWhatIsNotInRegisters() {
    String narrow = KernelImage.ptx().replaceAll("\\.maxntid 256, 1, 1", ".maxnreg 40");
    Map<String, Use> uses = PtxAssembler.assemble(narrow, "sm_90");
    assertThat(List.of(Kernel.SHA256_STRIDED, Kernel.SHA256, Kernel.KECCAK256))
        .map(kernel -> uses.get(kernel.entry()))
        .allSatisfy(use -> assertThat(use.localBytes()).isPositive())
        .allSatisfy(use -> assertThat(use.registers()).isLessThanOrEqualTo(40));
  }

  @Test
  void refusesWhatIsNoPtx() {
    String wrong = KernelImage.ptx().replaceFirst("bar\\.sync", "bar.sink");
    assertThatThrownBy(() -> PtxAssembler.assemble(wrong, "sm_90"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bar");
  }
}
