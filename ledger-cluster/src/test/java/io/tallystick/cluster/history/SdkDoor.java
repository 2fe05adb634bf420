package io.tallystick.cluster.history;

import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerRemovals;
import io.tallystick.client.Promise;
import io.tallystick.client.ProposalStatus;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.JournalPage;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.TreeSize;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The door of the SDK, which verifies all that it answers. For one thread.
public final class SdkDoor implements LedgerDoor {
  private static final Duration VALIDITY = Duration.ofDays(1);
  private static final int HEADS_KEPT_MAX = 256;

  private final LedgerHandle ledger;

  /// Those that were stated last.
  private final Map<Told.Stated, SignedHead> heads = new LinkedHashMap<>();

  /// @param ledger whose signers are an owner and a regulator, of several owners
  public SdkDoor(LedgerHandle ledger) {
    this.ledger = ledger;
  }

  private Told.Stated stated(SignedHead head) {
    Told.Stated stated = new Told.Stated(head.size().value(), head.root().digest());
    heads.remove(stated); // so that it is the last
    heads.put(stated, head);
    if (heads.size() > HEADS_KEPT_MAX) {
      heads.remove(heads.keySet().iterator().next());
    }
    return stated;
  }

  @Override
  public Evidence append(List<String> texts) throws TallyException {
    List<VerifiedReceipt> receipts =
        texts.size() == 1
            ? List.of(ledger.append(JournalDraft.text(texts.getFirst())))
            : ledger.appendBatch(drafts(texts)).receipts();
    List<Told.Placed> placed = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      VerifiedReceipt receipt = receipts.get(i);
      placed.add(
          new Told.Placed(
              texts.get(i), receipt.jsn().value(), TreeHasher.leafHash(receipt.leaf())));
    }
    return new Evidence(placed, stated(receipts.getLast().head()));
  }

  private static List<JournalDraft> drafts(List<String> texts) {
    return texts.stream().map(JournalDraft::text).toList();
  }

  @Override
  public Promise promise(List<String> texts) throws TallyException {
    return ledger.appendDeferred(drafts(texts));
  }

  @Override
  public void keepPromises() throws TallyException {
    ledger.verifyPromises();
  }

  @Override
  public Told.Stated newest() throws TallyException {
    return stated(ledger.checkpoint());
  }

  @Override
  public void join(Told.Stated older, Told.Stated newer) throws TallyException {
    ledger.consistency(known(older), known(newer));
  }

  private SignedHead known(Told.Stated stated) {
    SignedHead head = heads.get(stated);
    if (head == null) {
      throw new IllegalArgumentException("head of size " + stated.size() + " is forgotten");
    }
    return head;
  }

  @Override
  public boolean body(long jsn) throws TallyException {
    return ledger.get(jsn).body().isPresent();
  }

  @Override
  public Digest propose() throws TallyException {
    Proposal closing = ledger.proposals().draft(Kind.CLOSE, new Extension.Close(), VALIDITY);
    return ledger.proposals().put(closing).requestHash();
  }

  @Override
  public Set<Digest> proposals() throws TallyException {
    return ledger.proposals().list().stream()
        .map(ProposalStatus::requestHash)
        .collect(Collectors.toSet());
  }

  @Override
  public long anchor() throws TallyException {
    SignedHead head = ledger.checkpoint();
    ledger.anchors().share(head);
    return head.size().value();
  }

  @Override
  public long anchored(long size) throws TallyException {
    try {
      return ledger.anchors().nearest(new TreeSize(size)).head().size().value();
    } catch (RequestRefusedException e) {
      if (e.code().equals(RejectionCode.OUT_OF_RANGE.wire())) {
        return 0;
      }
      throw e;
    }
  }

  @Override
  public void erase(long jsn) throws TallyException {
    ledger.occult(LedgerRemovals.naming(List.of(ledger.get(jsn))), "history");
  }

  @Override
  public List<Listed> log() throws TallyException {
    List<Listed> log = new ArrayList<>();
    Optional<Jsn> from = Optional.of(new Jsn(0));
    while (from.isPresent()) {
      JournalPage page = ledger.list(from.get(), JournalPage.LIMIT_MAX);
      for (LedgerJournal journal : page.journals()) {
        log.add(
            new Listed(
                journal.jsn().value(),
                journal.leaf().encode(),
                journal.header().map(header -> RequestHeader.hash(header.encode())),
                journal
                    .body()
                    .map(body -> new String(body.payload().toArray(), StandardCharsets.UTF_8))
                    .filter(text -> !text.isEmpty())));
      }
      from = page.next();
    }
    return log;
  }

  @Override
  public Optional<String> alarm() {
    return ledger.alarm().map(Throwable::toString);
  }
}
