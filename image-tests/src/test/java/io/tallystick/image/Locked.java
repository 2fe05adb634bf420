package io.tallystick.image;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import com.github.dockerjava.api.model.AccessMode;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Volume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.output.OutputFrame.OutputType;
import org.testcontainers.containers.startupcheck.StartupCheckStrategy;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.utility.DockerImageName;

/// A container with nothing but what it is given. {@link #start} returns once its process runs, or
/// has ended. Closing it removes it.
final class Locked extends GenericContainer<Locked> {
  private final List<Bind> mounts = new ArrayList<>();

  Locked(String image) {
    super(DockerImageName.parse(image));
    withStartupCheckStrategy(new Begun());
    waitingFor(new NoWait());
    withHost(host -> host.withBinds(mounts));
  }

  /// As docs/operations.md runs it.
  static Locked down(String image) {
    return new Locked(image)
        .withHost(host ->
            host.withReadonlyRootfs(true)
                .withCapDrop(Capability.ALL)
                .withSecurityOpts(List.of("no-new-privileges")));
  }

  /// Further settings of the engine.
  Locked withHost(Consumer<HostConfig> settings) {
    return withCreateContainerCmdModifier(
        command -> settings.accept(Objects.requireNonNull(command.getHostConfig())));
  }

  /// @param source a folder of this machine, or the name of a volume
  Locked withMount(String source, String target, boolean readOnly) {
    mounts.add(new Bind(source, new Volume(target), readOnly ? AccessMode.ro : AccessMode.rw));
    return this;
  }

  String output() {
    return getLogs(OutputType.STDOUT);
  }

  /// What it said of why it ended.
  String errors() {
    return getLogs(OutputType.STDERR);
  }

  ContainerState state() {
    return getCurrentContainerInfo().getState();
  }

  boolean runs() {
    return Boolean.TRUE.equals(state().getRunning());
  }

  void terminate() {
    getDockerClient().killContainerCmd(getContainerId()).withSignal("TERM").exec();
  }

  /// @return its exit status
  int awaitExit(Duration max) throws Exception {
    Waiting.until("the container has ended", max, () -> !runs());
    return Objects.requireNonNull(state().getExitCodeLong()).intValue();
  }

  private static final class Begun extends StartupCheckStrategy {
    @Override
    public StartupStatus checkStartupState(DockerClient engine, String container) {
      String status = engine.inspectContainerCmd(container).exec().getState().getStatus();
      return "created".equals(status) ? StartupStatus.NOT_YET_KNOWN : StartupStatus.SUCCESSFUL;
    }
  }

  private static final class NoWait extends AbstractWaitStrategy {
    @Override
    protected void waitUntilReady() {}
  }
}
