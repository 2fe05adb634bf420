package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import jcuda.JCudaVersion;
import jcuda.LibUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: without a device, or with one that cannot be used, there is one line that says why; and
/// nothing that others can write is loaded. Method: names of libraries that are no driver, the fake
/// driver, and processes of their own where what JCuda loads is decided once.
class CudaProbeTest {
  private static final String AVAILABLE =
      "Available[device=Fake device, compute capability 9.0, 4096 MiB, driver of CUDA 12.6]";

  @TempDir Path folder;

  @AfterEach
  void nothingIsLeft() {
    assertThat(FakeCuda.set("").held()).isEqualTo(FakeCuda.NOTHING);
  }

  private void assertUnavailable(String driver, String why) {
    CudaSettings settings =
        new CudaSettings(driver, FakeCuda.SMALL, Duration.ofSeconds(1), OptionalInt.of(1));
    assertThatThrownBy(() -> CudaHashDevice.open(folder, settings, CudaDriver::new))
        .isInstanceOf(DeviceUnavailableException.class)
        .hasMessage(why);
  }

  @Test
  void saysThatThereIsNoDriver() {
    assertUnavailable("libcuda-none.so.1", "no CUDA driver: libcuda-none.so.1 cannot be loaded");
    assertUnavailable("libm.so.6", "libm.so.6 is not a CUDA driver");
  }

  @Test
  void saysThatThereIsNoDevice() {
    FakeCuda.set("device=0");
    assertUnavailable("libcuda.so.1", "the CUDA driver has no device");
    FakeCuda.set("devices=0");
    assertUnavailable("libcuda.so.1", "the CUDA driver has no device");
  }

  @Test
  void refusesADeviceThatTheKernelsAreNotFor() {
    FakeCuda.set("capability=61");
    assertUnavailable("libcuda.so.1", "Fake device, compute capability 6.1, want at least 7.0");
  }

  /// The kernels' names are those that the driver finds in the PTX: no text that is not ours.
  @Test
  void theFakeTakesOurPtxAlone() throws Exception {
    FakeCuda.set("");
    CudaHashDevice.open(folder, FakeCuda.settings(), CudaDriver::new).close();
    CudaDriver other =
        new CudaDriver() {
          @Override
          jcuda.driver.CUmodule load(String ptx) throws io.tallystick.hashing.DeviceLostException {
            return super.load(ptx.replace("keccak256", "keccak257"));
          }
        };
    assertThatThrownBy(() -> CudaHashDevice.open(folder, FakeCuda.settings(), () -> other))
        .hasMessage("cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (218)");
  }

  private String support(Path natives, Path temporary) throws Exception {
    return support(natives, temporary, System.getProperty("java.class.path"));
  }

  private String support(Path natives, Path temporary, String classPath) throws Exception {
    return support("", natives, temporary, classPath);
  }

  private String support(String fake, Path natives, Path temporary, String classPath)
      throws Exception {
    Path driver = FakeCuda.set("").folder();
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "--enable-native-access=ALL-UNNAMED",
            "-Djava.io.tmpdir=" + temporary,
            "-Dtallystick.gpu.worthwhileMessages=1",
            "-Dtallystick.gpu.waitSeconds=1",
            "-cp",
            classPath,
            SupportMain.class.getName(),
            natives.toString());
    command.redirectErrorStream(true);
    command.environment().put("LD_LIBRARY_PATH", driver.toString());
    command.environment().put("FAKE_CUDA", fake);
    Path log = Files.createTempFile(folder, "said", "");
    Process process = command.redirectOutput(log.toFile()).start();
    boolean ended = process.waitFor(60, TimeUnit.SECONDS);
    process.destroyForcibly();
    String said = Files.readString(log);
    assertThat(ended).as(said).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    return said.strip();
  }

  @Test
  void loadsNothingFromTheTemporaryFolder() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    String name =
        LibUtils.createLibraryFileName(
            LibUtils.createPlatformLibraryName("JCudaDriver-" + JCudaVersion.get()));
    Path planted = Files.writeString(temporary.resolve(name), "planted");
    Path natives = folder.resolve("data").resolve("native");
    assertThat(support(natives, temporary)).isEqualTo(AVAILABLE);
    assertThat(planted).hasContent("planted");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(natives)))
        .isEqualTo("rwx------");
    assertThat(natives).isEmptyDirectory();
  }

  /// The driver's own threads wait for the device still when the process ends.
  @Test
  void aProcessWhoseDeviceHangsEnds() throws Exception {
    Path natives = folder.resolve("native");
    String said = support("hang_at=1", natives, folder, System.getProperty("java.class.path"));
    assertThat(said).contains("the device did not finish in 1000 ms");
  }

  @Test
  void refusesALink() throws Exception {
    Path target = Files.createDirectory(folder.resolve("target"));
    Path natives = Files.createSymbolicLink(folder.resolve("native"), target);
    assertThat(support(natives, folder)).contains("the folder for native libraries is a link");
  }

  @Test
  void refusesAFolderThatOthersMayWrite() throws Exception {
    Path natives = Files.createDirectory(folder.resolve("native"));
    for (String open : List.of("rwx-w----", "rwx----w-")) {
      Files.setPosixFilePermissions(natives, PosixFilePermissions.fromString(open));
      assertThat(support(natives, folder))
          .isEqualTo(
              "Unsupported[why=others may write the folder for native libraries (" + open + ")]");
      assertThat(natives).isEmptyDirectory();
    }
  }

  @Test
  void saysThatJcudaIsNotThere() throws Exception {
    String without =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !entry.contains("jcuda"))
            .collect(Collectors.joining(File.pathSeparator));
    assertThat(support(folder.resolve("native"), folder, without))
        .isEqualTo("Unsupported[why=JCuda's library cannot be loaded (NoClassDefFoundError)]");
  }
}
