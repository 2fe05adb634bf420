package io.tallystick.bench.removal;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Latencies;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.node.AppendTicket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

/// What do a snapshot and the erasing of a purge cost those who append meanwhile? One client has
/// eight batches of 100 journals in flight, first alone, then while the node makes a snapshot of
/// all that there is, purges it and erases it, again and again.
final class AppendsCase implements MeasuredCase {
  private static final double WANTED_THROUGHPUT = 0.8;
  private static final double WANTED_P99_AT_MOST = 3;
  private static final int BATCH = 100;
  private static final int IN_FLIGHT = 8;

  private volatile boolean over;

  private record InFlight(AppendTicket ticket, long sentNanos) {}

  /// @param perSecond journals
  private record Load(double perSecond, Latencies latencies) {}

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    List<Load> alone = new ArrayList<>();
    List<Load> beside = new ArrayList<>();
    try (RemovalNode node = new RemovalNode(run.home().resolve("data"));
        ExecutorService purging = Executors.newSingleThreadExecutor()) {
      Load _ = append(node, run.warmUpSeconds());
      for (int i = 0; i < run.repetitions(); i++) {
        alone.add(append(node, run.seconds()));
        over = false;
        Future<Integer> purges = purging.submit(() -> purge(node));
        beside.add(append(node, run.seconds()));
        over = true;
        run.say(
            String.format(
                Locale.ROOT,
                "  %,.0f journals/s, p99 %.1f ms alone; %,.0f, p99 %.1f ms beside %d purges",
                alone.getLast().perSecond,
                alone.getLast().latencies.p99(),
                beside.getLast().perSecond,
                beside.getLast().latencies.p99(),
                purges.get()));
      }
    }
    double[] throughput = new double[run.repetitions()];
    double[] p99 = new double[run.repetitions()];
    for (int i = 0; i < throughput.length; i++) {
      throughput[i] = beside.get(i).perSecond / alone.get(i).perSecond;
      p99[i] = beside.get(i).latencies.p99() / alone.get(i).latencies.p99();
    }
    return List.of(
        BenchCase.spread("appends-alone", BenchCase.JOURNALS_PER_SECOND, rates(alone)),
        BenchCase.spread("appends-beside", BenchCase.JOURNALS_PER_SECOND, rates(beside)),
        BenchCase.beside("appends-ratio", throughput, "x", WANTED_THROUGHPUT),
        BenchCase.beside("appends-p99-ratio", p99, "x", WANTED_P99_AT_MOST));
  }

  private static double[] rates(List<Load> loads) {
    return loads.stream().mapToDouble(Load::perSecond).toArray();
  }

  private int purge(RemovalNode node) throws Exception {
    int purges = 0;
    while (purges == 0 || !over) {
      long gone = node.node.newestSize(node.strand()) - 2; // before the newest seal
      long purge = node.purge();
      node.awaitErased(gone, purge);
      purges++;
    }
    return purges;
  }

  private static Load append(RemovalNode node, double seconds) throws Exception {
    Queue<InFlight> open = new ArrayDeque<>();
    LongStream.Builder nanos = LongStream.builder();
    long from = System.nanoTime();
    long until = from + (long) (seconds * 1e9);
    long journals = 0;
    while (System.nanoTime() < until || journals == 0) {
      if (open.size() == IN_FLIGHT) {
        nanos.add(take(open));
        journals += BATCH;
      }
      var batch = node.batch(BATCH);
      open.add(new InFlight(node.append(batch), System.nanoTime()));
    }
    while (!open.isEmpty()) {
      nanos.add(take(open));
      journals += BATCH;
    }
    return new Load(journals * 1e9 / (System.nanoTime() - from), Latencies.of(nanos.build()));
  }

  private static long take(Queue<InFlight> open) throws Exception {
    InFlight first = open.remove();
    var _ = first.ticket.receipted().get();
    return System.nanoTime() - first.sentNanos;
  }
}
