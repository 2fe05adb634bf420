package io.tallystick.image;

import com.github.dockerjava.api.command.CreateVolumeResponse;
import org.testcontainers.DockerClientFactory;

/// A volume of the engine. Closing it removes it.
final class DataVolume implements AutoCloseable {
  private final String name;

  DataVolume() {
    CreateVolumeResponse made =
        DockerClientFactory.instance()
            .client()
            .createVolumeCmd()
            .withLabels(DockerClientFactory.DEFAULT_LABELS)
            .exec();
    name = made.getName();
  }

  String name() {
    return name;
  }

  @Override
  public void close() {
    DockerClientFactory.instance().client().removeVolumeCmd(name).exec();
  }
}
