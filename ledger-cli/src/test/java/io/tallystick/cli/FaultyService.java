package io.tallystick.cli;

import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.host.NodeParts;
import io.tallystick.server.host.NodeSeams;
import io.tallystick.server.shard.ShardConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.InstantSource;

/// `tally up` with a disk and a clock that obey files in a folder: the real service in a process of
/// its own, but for what a test cannot do to a machine. Arguments: `up --data DIR --port PORT
/// --http-port PORT CONTROL FREE_BYTES_MIN SAVEPOINT_MILLIS`.
final class FaultyService {
  private static final long METERS_PERIOD_MS = 100;

  private FaultyService() {}

  public static void main(String[] args) throws Exception {
    Controls controls = new Controls(Path.of(args[7]));
    ShardConfig defaults = ShardConfig.defaults();
    ShardConfig config =
        defaults
            .withFreeBytesMin(Long.parseLong(args[8]))
            .withSavepointEvery(defaults.savepoints().journals(), Long.parseLong(args[9]));
    InstantSource clock =
        () -> Instant.ofEpochMilli(System.currentTimeMillis() + controls.clockOffsetMs());
    NodeSeams seams =
        new NodeSeams(
            (data, hasher) -> NodeParts.local(data, hasher, disk -> new FaultyDisk(disk, controls)),
            clock,
            config);
    RunningService service =
        TallystickService.start(
            (data, authority, signatures, meters, _) ->
                LocalNode.open(data, authority, seams, signatures, meters),
            "--tallystick.data-dir=" + args[2],
            "--tallystick.port=" + args[4],
            "--tallystick.http-port=" + args[6],
            // Tokens would tell its clock from the tests' own.
            "--tallystick.reads=anyone");
    while (true) {
      write(controls.folder(), service.meters());
      Thread.sleep(METERS_PERIOD_MS);
    }
  }

  /// What an operator would see: a line for each meter.
  private static void write(Path folder, MeterRegistry meters) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (Meter meter : meters.getMeters()) {
      for (Measurement one : meter.measure()) {
        lines.append(meter.getId().getName());
        meter.getId().getTags().forEach(tag -> lines.append(' ').append(tag.getValue()));
        lines
            .append(' ')
            .append(one.getStatistic())
            .append('=')
            .append(one.getValue())
            .append('\n');
      }
    }
    Path fresh = folder.resolve(Controls.METERS + ".new");
    Files.writeString(fresh, lines);
    Files.move(fresh, folder.resolve(Controls.METERS), StandardCopyOption.ATOMIC_MOVE);
  }
}
