package io.tallystick.cluster.history;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.member.FirstMember;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// A real service in this process, and a ledger of it for each test.
abstract class LedgerOfService {
  @TempDir private static Path home;
  private static RunningService service;
  private static final ClientKey OWNER = ClientKey.generate();
  private static TallyClient client;

  /// Signs as an owner, of two, and a regulator.
  LedgerHandle ledger;

  private int names;

  @BeforeAll
  static void start() throws Exception {
    service =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
    client =
        TallyClient.connect(
            ClientConfig.of(service.target(), home.resolve("trust")).withReader(OWNER));
  }

  @BeforeEach
  void found() throws TallyException {
    ClientKey regulator = ClientKey.generate();
    LedgerId id =
        client
            .createLedger(
                "history",
                List.of(OWNER, ClientKey.generate()),
                LedgerOptions.DEFAULT.withMember(
                    FirstMember.of(Role.REGULATOR, regulator.publicKey())))
            .id();
    ledger = client.open(id, OWNER, regulator);
  }

  @AfterAll
  static void stop() {
    client.close();
    service.close();
  }

  /// Of a client; no two are alike.
  String name() {
    return "client-" + names++;
  }
}
