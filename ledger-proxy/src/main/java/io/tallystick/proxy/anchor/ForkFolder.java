package io.tallystick.proxy.anchor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.durable.PrivateFile;
import io.tallystick.evidence.ForkEvidence;
import io.tallystick.master.tledger.ForkShelf;
import io.tallystick.model.LedgerId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Evidence of forks that submitters gave of themselves: a file for each of them, `ID.evidence`,
/// which is written once and told in one line of the log. Every refused head is counted.
/// Thread-safe.
final class ForkFolder implements ForkShelf {
  private static final Logger LOG = LoggerFactory.getLogger(ForkFolder.class);
  private static final String SUFFIX = ".evidence";

  /// Beyond it no more evidence is kept: submitters make it as they like.
  private static final long BYTES_MAX = 64L << 20;

  private final Path folder;
  private final Counter refused;
  private long bytes;
  private boolean full;

  ForkFolder(Path folder, MeterRegistry meters) throws IOException {
    this.folder = folder;
    refused =
        Counter.builder("ledger.t-ledger.forks")
            .description("heads refused because they contradict the last one of their ledger")
            .register(meters);
    Files.createDirectories(folder);
    try (Stream<Path> there = Files.list(folder)) {
      for (Path file : (Iterable<Path>) there::iterator) {
        bytes += Files.size(file);
      }
    }
  }

  private Path file(LedgerId submitter) {
    return folder.resolve(submitter + SUFFIX);
  }

  @Override
  public synchronized boolean wants(LedgerId submitter) {
    refused.increment();
    if (Files.exists(file(submitter))) {
      return false;
    }
    if (bytes >= BYTES_MAX && !full) {
      full = true;
      LOG.error("{} holds {} bytes of evidence: no more is kept", folder, bytes);
    }
    return bytes < BYTES_MAX;
  }

  @Override
  public synchronized void keep(LedgerId submitter, ForkEvidence evidence) {
    Path file = file(submitter);
    if (Files.exists(file)) {
      return;
    }
    byte[] encoded = evidence.encode().toArray();
    try {
      PrivateFile.replace(file, encoded);
      PrivateFile.force(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    bytes += encoded.length;
    LOG.error(
        "ledger {} submitted a head that contradicts its last one: {}; further ones are counted",
        submitter,
        file);
  }
}
