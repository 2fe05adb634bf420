package io.tallystick.cli;

import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.ServiceProperties.Reads;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Path;

/// The real service in this process with one ledger of Alice and Bob, and bare gRPC to it.
final class LiveService extends BareLedger {
  final RunningService service;

  LiveService(Path data) throws Exception {
    this(
        TallystickService.start(
            LocalNode::open, ServiceProperties.of(data, 0).withReads(Reads.ANYONE)));
  }

  private LiveService(RunningService service) throws Exception {
    super(service.target());
    this.service = service;
  }

  double refusals(String code) {
    return service.meters().get("ledger.refusals").tag("code", code).counter().count();
  }

  @Override
  public void close() {
    super.close();
    service.close();
  }
}
