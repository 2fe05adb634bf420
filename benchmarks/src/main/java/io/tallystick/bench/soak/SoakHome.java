package io.tallystick.bench.soak;

import io.tallystick.client.ClientKey;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The folder of a soak: what its processes share.
record SoakHome(Path path) {
  Path data() {
    return path.resolve("data");
  }

  Path serviceLog() {
    return path.resolve("service.log");
  }

  /// A fresh trust folder has a fresh name.
  Path trust(String name) {
    return path.resolve("trust-" + name);
  }

  Path book(int process) {
    return path.resolve("book-" + process);
  }

  Path clientLog(int process) {
    return path.resolve("client-" + process + ".log");
  }

  void save(ClientKey owner, List<LedgerId> ledgers, GenesisParams genesis) throws IOException {
    owner.save(path.resolve("owner.pem"));
    Files.write(path.resolve("ledgers"), ledgers.stream().map(LedgerId::hex).toList());
    Files.write(path.resolve("genesis"), genesis.encode().toArray());
  }

  ClientKey owner() throws IOException {
    return ClientKey.load(path.resolve("owner.pem"));
  }

  List<LedgerId> ledgers() throws IOException {
    return Files.readAllLines(path.resolve("ledgers")).stream().map(LedgerId::fromHex).toList();
  }

  /// Of all ledgers alike.
  ServiceKeys keys() throws IOException, MalformedException {
    GenesisParams genesis =
        GenesisParams.decode(Bytes.wrap(Files.readAllBytes(path.resolve("genesis"))));
    return keysOf(genesis);
  }

  static ServiceKeys keysOf(GenesisParams genesis) {
    return new ServiceKeys(genesis.authority(), genesis.noteKey(), genesis.receiptKey());
  }
}
