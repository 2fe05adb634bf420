package io.tallystick.testkit.time;

import io.tallystick.crypto.provider.time.Rfc3161Tokens;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.time.TimeQuery;
import io.tallystick.time.TimeTokens;
import io.tallystick.time.TokenRefusedException;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// A log with time journals that have real tokens. Not thread-safe.
public final class StampedLog {
  private static final TimeTokens TOKENS = new Rfc3161Tokens();
  private static final long TOKEN_BEFORE_JOURNAL_MS = 5;
  private static final long BLOCK_MS = 10;

  private final ReferenceLedger log;
  private Optional<JournalRef> newest = Optional.empty();

  /// @param log sealed and without time journals; it is continued
  public StampedLog(ReferenceLedger log) {
    this.log = log;
  }

  public ReferenceLedger log() {
    return log;
  }

  /// The head over all leaves so far.
  public Checkpoint head() {
    return new Checkpoint(
        log.fixtures().params().origin(0), new TreeSize(log.size()), new JournalRoot(log.root()));
  }

  /// A token of that head, made just before the next block.
  public Bytes token(TestTimeAuthority authority, UnaryOperator<TokenRecipe> change) {
    return token(authority, head().imprint(), change);
  }

  /// A token of any imprint, made then.
  public Bytes token(
      TestTimeAuthority authority, Digest imprint, UnaryOperator<TokenRecipe> change) {
    try {
      Bytes query = TOKENS.query(new TimeQuery(imprint, BigInteger.TEN, null));
      Instant genTime = Instant.ofEpochMilli(nextMs() - TOKEN_BEFORE_JOURNAL_MS);
      return TOKENS.tokenOf(authority.answer(query, genTime, change));
    } catch (TokenRefusedException | MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private long nextMs() throws MalformedException {
    return Leaf.decode(log.entries().getLast().leaf()).timeMs() + BLOCK_MS;
  }

  /// The next block: a time journal about the head, with a token that holds.
  public StampedLog anchor(TestTimeAuthority authority) {
    return anchor(token(authority, UnaryOperator.identity()));
  }

  /// The same with any token.
  public StampedLog anchor(Bytes token) {
    return anchor(new TimeProof.Token(token));
  }

  public StampedLog anchor(TimeProof proof) {
    int jsn = log.size();
    Checkpoint head = head();
    Extension.Time time = new Extension.Time(head.size(), head.root(), newest, proof);
    log.append(log.fixtures().service(Kind.TIME, time, List.of(Fixtures.RECEIPT))).seal();
    newest =
        Optional.of(
            new JournalRef(new Jsn(jsn), TreeHasher.leafHash(log.entries().get(jsn).leaf())));
    return this;
  }
}
