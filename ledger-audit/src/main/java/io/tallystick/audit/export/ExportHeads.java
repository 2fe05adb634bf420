package io.tallystick.audit.export;

import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.chunk.AuditedGenesis;
import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.chunk.KeyDirectory;
import io.tallystick.audit.finding.CompactRange;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.options.OtherHead;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.NoteKey;
import io.tallystick.note.SignedNote;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The signed heads of an export: the new one, and the one an earlier export left. Each is judged
/// by the keys that are valid for its size, as far as the log has been read. Not thread-safe.
final class ExportHeads {
  private final AuditContext context;
  private final ExportKeys keys;

  private ExportHeads(AuditContext context) {
    this.context = context;
    this.keys = new ExportKeys(context);
  }

  /// The head that an earlier export left.
  ///
  /// @param size that it states
  /// @param refused why the keys known so far do not verify it; empty if they do
  record Earlier(long size, Bytes note, Optional<ProofRejectedException> refused) {}

  /// @param start if the log's beginning was purged
  /// @param first the first entry that is left
  /// @throws LogFormatException if this entry is not the genesis of the pinned ledger, or the
  ///   journals that stay from below contradict each other
  static ExportHeads of(
      StrandId pinned, Optional<ExportStart> start, LogEntry first, Signatures signatures)
      throws LogFormatException {
    try {
      return start.isPresent()
          ? behind(pinned, start.get().beginning(), signatures)
          : new ExportHeads(AuditedGenesis.check(pinned, first, signatures, false));
    } catch (FaultException e) {
      throw LogFormatException.malformed(e);
    }
  }

  private static ExportHeads behind(StrandId pinned, Beginning beginning, Signatures signatures)
      throws FaultException {
    GenesisParams genesis = beginning.start().genesis();
    KeyDirectory keys = new KeyDirectory();
    genesis.owners().forEach(keys::publish);
    ExportHeads heads = new ExportHeads(new AuditContext(pinned, genesis, signatures, keys, false));
    heads.keys.begin(beginning);
    return heads;
  }

  private GenesisParams genesis() {
    return context.genesis();
  }

  String origin() {
    return genesis().authority().origin(context.strand());
  }

  /// Whether the ledger has a state: then its log has operations.
  boolean state() {
    return context.hasState();
  }

  /// Whose folder it is.
  Bytes marker() {
    return Bytes.utf8(origin() + "\n");
  }

  /// The verifier key of the note key in genesis, as foreign tools take it.
  String verifierKey() {
    return new NoteKey(origin(), genesis().noteKey()).vkey();
  }

  /// To be told of each entry, genesis included.
  ///
  /// @throws LogFormatException if it changes members or keys against the rules
  void follow(long jsn, LogEntry entry) throws LogFormatException {
    try {
      keys.add(jsn, entry);
    } catch (FaultException e) {
      throw LogFormatException.malformed(e);
    }
  }

  /// Whether the service's keys are not those of genesis any more.
  boolean rotated() {
    return keys.keys().terms().size() > 1;
  }

  /// @param chain as the source shows it
  /// @throws ProofRejectedException if it does not prove the rotations of the log
  void checkChain(Bytes chain) throws ProofRejectedException {
    List<ServiceKeys.Term> shown;
    try {
      shown =
          KeyChain.decode(chain)
              .verify(genesis().encode(), context.strand(), context.signatures())
              .keys()
              .terms();
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "key chain: " + e.getMessage(), e);
    }
    List<ServiceKeys.Term> known = keys.keys().terms();
    if (shown.size() < known.size() || !shown.subList(0, known.size()).equals(known)) {
      throw new ProofRejectedException(
          Reason.BROKEN_CHAIN,
          String.format(
              Locale.ROOT,
              "the key chain shows %d rotations, which are not the %d of the log",
              shown.size() - 1,
              known.size() - 1));
    }
  }

  /// @param checkpoint that lies in the folder
  /// @throws ProofRejectedException if it is none of this log. One that the keys of genesis do not
  ///   verify may have been signed by later ones
  Optional<Earlier> earlier(Optional<Bytes> checkpoint) throws ProofRejectedException {
    if (checkpoint.isEmpty()) {
      return Optional.empty();
    }
    Bytes note = checkpoint.get();
    try {
      return Optional.of(new Earlier(verify(note).size().value(), note, Optional.empty()));
    } catch (ProofRejectedException e) {
      ProofRejectedException refused =
          new ProofRejectedException(
              e.reason(), "the checkpoint exported before: " + e.getMessage(), e);
      if (e.reason() == Reason.MALFORMED || e.reason() == Reason.WRONG_ORIGIN) {
        throw refused;
      }
      return Optional.of(new Earlier(statedSize(note, refused), note, Optional.of(refused)));
    }
  }

  private static long statedSize(Bytes note, ProofRejectedException refused)
      throws ProofRejectedException {
    try {
      return Checkpoint.parse(SignedNote.decode(note).text()).size().value();
    } catch (MalformedException e) {
      refused.addSuppressed(e);
      throw refused;
    }
  }

  private SignedHead verify(Bytes note) throws ProofRejectedException {
    ServiceKeys known = keys.keys();
    return Checkpoint.verify(note, context.strand(), known, context.signatures());
  }

  /// @param size of the log, as its source states it
  static void checkReaches(Optional<Earlier> earlier, long size) throws ProofRejectedException {
    if (earlier.isEmpty() || size >= earlier.get().size()) {
      return;
    }
    if (earlier.get().refused().isPresent()) {
      throw earlier.get().refused().get();
    }
    throw new ProofRejectedException(
        Reason.ROLLBACK,
        String.format(
            Locale.ROOT,
            "the log has %d leaves, a signed head of %d was exported before",
            size,
            earlier.get().size()));
  }

  /// To be asked at each size.
  void checkContinues(Optional<Earlier> earlier, long size, CompactRange tree)
      throws ProofRejectedException {
    if (earlier.isEmpty() || size != earlier.get().size()) {
      return;
    }
    SignedHead head;
    try {
      head = verify(earlier.get().note());
    } catch (ProofRejectedException e) {
      throw new ProofRejectedException(
          e.reason(), "the checkpoint exported before: " + e.getMessage(), e);
    }
    if (!tree.root().equals(head.root().digest())) {
      throw new ProofRejectedException(
          Reason.FORK,
          String.format(
              Locale.ROOT,
              "at size %d the log has root %s, signed and exported before was %s",
              size,
              tree.root(),
              head.root()));
    }
  }

  /// The newest cosigned checkpoint.
  ///
  /// @param note as the source has it
  /// @return empty if nobody but the service signed it
  /// @throws ProofRejectedException `MALFORMED`
  Optional<OtherHead> cosigned(Optional<Bytes> note) throws ProofRejectedException {
    if (note.isEmpty()) {
      return Optional.empty();
    }
    OtherHead head = OtherHead.of("the cosigned checkpoint", note.get(), context.strand());
    try {
      boolean foreign =
          SignedNote.decode(note.get()).signatures().stream()
              .anyMatch(line -> !line.name().equals(origin()));
      return foreign ? Optional.of(head) : Optional.empty();
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, head.name() + ": " + e.getMessage(), e);
    }
  }

  /// To be asked at each size. The cosignatures are for the reader to verify, who knows witnesses.
  void checkCosigned(Optional<OtherHead> cosigned, long size, CompactRange tree)
      throws ProofRejectedException {
    if (cosigned.isEmpty() || size != cosigned.get().size().value()) {
      return;
    }
    SignedHead head = verify(cosigned.get().statement().orElseThrow());
    if (!tree.root().equals(head.root().digest())) {
      throw new ProofRejectedException(
          Reason.FORK,
          String.format(
              Locale.ROOT,
              "at size %d the log has root %s, cosigned is %s",
              size,
              tree.root(),
              head.root()));
    }
  }

  /// To be asked at the end of the log, which was read after the cosigned checkpoint.
  void checkReachesCosigned(Optional<OtherHead> cosigned, long size) throws ProofRejectedException {
    if (cosigned.isEmpty() || size >= cosigned.get().size().value()) {
      return;
    }
    SignedHead head = verify(cosigned.get().statement().orElseThrow());
    throw new ProofRejectedException(
        Reason.ROLLBACK,
        String.format(
            Locale.ROOT,
            "the log has %d leaves, a signed head of %s was cosigned before",
            size,
            head.size()));
  }

  /// @param trusted by who exports, before the log was read
  /// @param size of the log, as its source states it
  static void checkReachesTrusted(Optional<SignedHead> trusted, long size)
      throws ProofRejectedException {
    if (trusted.isPresent() && size < trusted.get().size().value()) {
      throw new ProofRejectedException(
          Reason.ROLLBACK,
          String.format(
              Locale.ROOT,
              "the log has %d leaves, a signed head of %s was trusted before",
              size,
              trusted.get().size()));
    }
  }

  /// To be asked at each size.
  static void checkTrusted(Optional<SignedHead> trusted, long size, CompactRange tree)
      throws ProofRejectedException {
    if (trusted.isPresent()
        && size == trusted.get().size().value()
        && !tree.root().equals(trusted.get().root().digest())) {
      throw new ProofRejectedException(
          Reason.FORK,
          String.format(
              Locale.ROOT,
              "at size %d the log has root %s, signed and trusted before was %s",
              size,
              tree.root(),
              trusted.get().root()));
    }
  }

  /// The head to be exported.
  void check(Bytes checkpoint, long size, Digest root) throws ProofRejectedException {
    SignedHead head = verify(checkpoint);
    if (head.size().value() != size || !head.root().digest().equals(root)) {
      throw new ProofRejectedException(
          Reason.ROOT_MISMATCH,
          String.format(
              Locale.ROOT,
              "the checkpoint is of size %s and root %s, the log has %d leaves and root %s",
              head.size(),
              head.root(),
              size,
              root));
    }
  }
}
