package io.tallystick.bench.removal;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Jsn;
import io.tallystick.testkit.Fixtures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;

/// How long does an occult of one journal take, from its commit until it is erased and forced,
/// beside one fdatasync of an overwritten page on the same disk? Both by turns, `ROUNDS` times in
/// each repetition, of which the medians count.
final class OccultCase implements MeasuredCase {
  private static final double WANTED_AT_MOST = 30;
  private static final int ROUNDS = 15;
  private static final int PAGE_BYTES = 4096;
  private static final double NANOS_PER_MS = 1e6;

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    double[] occults = new double[run.repetitions()];
    double[] forces = new double[run.repetitions()];
    double[] ratios = new double[run.repetitions()];
    try (RemovalNode node = new RemovalNode(run.home().resolve("data"));
        FileChannel page =
            FileChannel.open(
                run.home().resolve("page"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE)) {
      double _ = force(page);
      double _ = occult(node);
      for (int i = 0; i < run.repetitions(); i++) {
        double[] occult = new double[ROUNDS];
        double[] force = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
          occult[round] = occult(node);
          force[round] = force(page);
        }
        occults[i] = BenchCase.median(occult);
        forces[i] = BenchCase.median(force);
        ratios[i] = occults[i] / forces[i];
        run.say(
            String.format(
                Locale.ROOT, "  %.2f ms an occult, %.2f ms a forced page", occults[i], forces[i]));
      }
    }
    return List.of(
        BenchCase.spread("occult", "ms", occults),
        BenchCase.spread("occult-force", "ms", forces),
        BenchCase.beside("occult-ratio", ratios, "x", WANTED_AT_MOST));
  }

  private static double occult(RemovalNode node) throws Exception {
    long jsn = node.append(node.batch(1)).receipted().get().committed().firstJsn();
    JournalRef named =
        new JournalRef(
            new Jsn(jsn), TreeHasher.leafHash(node.node.journal(node.strand(), jsn, false).leaf()));
    Extension.Occult occult =
        new Extension.Occult(new ErasureTarget.Journals(List.of(named)), "measured");
    long removal =
        node.append(node.govern(Kind.OCCULT, occult, Fixtures.ALICE, Fixtures.CAROL))
            .committed()
            .get()
            .firstJsn();
    long from = System.nanoTime();
    node.awaitErased(jsn, removal);
    return (System.nanoTime() - from) / NANOS_PER_MS;
  }

  private static double force(FileChannel page) throws IOException {
    long from = System.nanoTime();
    page.write(ByteBuffer.allocate(PAGE_BYTES), 0);
    page.force(false);
    return (System.nanoTime() - from) / NANOS_PER_MS;
  }
}
