package io.tallystick.server.sim.cluster;

import java.util.Locale;

/// What happened in runs.
final class ClusterStatistics {
  long runs;
  long steps;
  long requests;
  long receipts;
  long heads;
  long refusals;
  long unsure;
  long notes;
  long takeovers;
  long endings;
  long deaths;
  long thirdParties;
  long shipped;
  long fetched;
  long dropped;
  long swept;

  void add(ClusterStatistics other) {
    runs += other.runs;
    steps += other.steps;
    requests += other.requests;
    receipts += other.receipts;
    heads += other.heads;
    refusals += other.refusals;
    unsure += other.unsure;
    notes += other.notes;
    takeovers += other.takeovers;
    endings += other.endings;
    deaths += other.deaths;
    thirdParties += other.thirdParties;
    shipped += other.shipped;
    fetched += other.fetched;
    dropped += other.dropped;
    swept += other.swept;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%,d runs of %,d steps: %,d requests, %,d receipts, %,d newest heads, %,d refusals of what is"
            + " not there, %,d for want of a lease, %,d notes; %,d takeovers, %,d ends of serving, %,d"
            + " deaths, %,d logs closed by a third party, %,d savepoints shipped, %,d fetched, %,d"
            + " times segments dropped, %,d logs swept",
        runs,
        steps,
        requests,
        receipts,
        heads,
        refusals,
        unsure,
        notes,
        takeovers,
        endings,
        deaths,
        thirdParties,
        shipped,
        fetched,
        dropped,
        swept);
  }
}
