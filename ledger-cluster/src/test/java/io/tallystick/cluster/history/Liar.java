package io.tallystick.cluster.history;

import io.tallystick.client.Promise;
import io.tallystick.client.failure.TallyException;
import io.tallystick.model.Digest;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Hands everything on.
class Liar implements LedgerDoor {
  private final LedgerDoor honest;
  Digest proposed = Digest.ZERO;

  /// Of the journal that is lied about.
  long jsn = -1;

  Liar(LedgerDoor honest) {
    this.honest = honest;
  }

  @Override
  public Evidence append(List<String> texts) throws TallyException {
    return honest.append(texts);
  }

  @Override
  public Promise promise(List<String> texts) throws TallyException {
    return honest.promise(texts);
  }

  @Override
  public void keepPromises() throws TallyException {
    honest.keepPromises();
  }

  @Override
  public Told.Stated newest() throws TallyException {
    return honest.newest();
  }

  @Override
  public void join(Told.Stated older, Told.Stated newer) throws TallyException {
    honest.join(older, newer);
  }

  @Override
  public boolean body(long jsn) throws TallyException {
    return honest.body(jsn);
  }

  @Override
  public Digest propose() throws TallyException {
    proposed = honest.propose();
    return proposed;
  }

  @Override
  public Set<Digest> proposals() throws TallyException {
    return honest.proposals();
  }

  @Override
  public long anchor() throws TallyException {
    return honest.anchor();
  }

  @Override
  public long anchored(long size) throws TallyException {
    return honest.anchored(size);
  }

  @Override
  public void erase(long jsn) throws TallyException {
    honest.erase(jsn);
  }

  @Override
  public List<Listed> log() throws TallyException {
    return honest.log();
  }

  @Override
  public Optional<String> alarm() {
    return honest.alarm();
  }
}
