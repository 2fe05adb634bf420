package io.tallystick.server.sim;

import io.tallystick.model.RejectionCode;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/// What happened in a run, counted; two runs of one seed must agree in all of it.
final class RunStatistics {
  long steps;
  long submissions;
  long journals;
  long repeats;
  long refusals;
  long sharedReceipts;
  long narrowed;
  final Map<RejectionCode, Long> codes = new EnumMap<>(RejectionCode.class);
  long frames;
  long savepoints;
  long starts;
  long powerCuts;
  long kills;
  long reopens;
  long shortages;
  long readOnly;
  long survivors;
  long undone;
  long damages;
  long refusedToOpen;
  long framesLostToDamage;
  long audits;

  /// Questions about clues that journals name.
  long clueLooks;

  /// Of them, those answered with the journal that deleted the clue.
  long clueDeletions;

  /// Ledgers whose clue trie a journal turned on.
  long turnedOn;

  /// Grants that were committed.
  long granted;

  /// Submissions of delegated keys that were committed.
  long delegated;

  /// Time journals that were committed.
  long anchored;

  /// Rotations of service keys that were committed.
  long rotated;

  /// Rotations that were refused, for whatever reason.
  long rotationsRefused;

  /// Ledgers that were closed.
  long closed;

  /// Questions about states.
  long stateLooks;

  /// Submissions that a turn took and put back.
  long putBack;

  /// Occults that were committed.
  long occulted;

  /// Purges that were committed.
  long purged;

  /// Recalls that were committed.
  long recalled;

  /// Snapshots that were made.
  long snapshots;

  /// Turns of the erasing thread that did something.
  long erasureTurns;

  /// Notes of the erasing thread.
  long erasureNotes;

  /// Removals that were carried out.
  long erased;

  /// Reads that were refused because a purge removed the journal.
  long purgedReads;

  /// Bodies that were answered as erased.
  long erasedReads;

  /// Searches of all files for erased bytes.
  long searches;

  /// Logs that the auditor audited.
  long logAudits;

  /// Proposals and anchors that were changed as asked.
  long noted;

  /// Changes of them that found another row than expected, or nothing to do.
  long notedNothing;

  /// Changes of them of which nothing was kept, because there was no room.
  long notesUndone;

  /// Frames with notes.
  long noteFrames;

  /// Of them, those without blocks.
  long noteFramesAlone;

  /// Anchors that gave way to further ones of their members.
  long gaveWay;

  /// Frames that only deleted notes, because the disk was full.
  long deletedWhenFull;

  /// Replays over a stream that lost or doubled a frame, which were refused.
  long deceptions;

  /// A hash over all events and answers, in order.
  long trace = 1;

  void trace(long value) {
    trace = (trace ^ value) * 0x9E3779B97F4A7C15L;
    trace ^= trace >>> 29;
  }

  void add(RunStatistics other) {
    steps += other.steps;
    submissions += other.submissions;
    journals += other.journals;
    repeats += other.repeats;
    refusals += other.refusals;
    sharedReceipts += other.sharedReceipts;
    narrowed += other.narrowed;
    other.codes.forEach((code, count) -> codes.merge(code, count, Long::sum));
    frames += other.frames;
    savepoints += other.savepoints;
    starts += other.starts;
    powerCuts += other.powerCuts;
    kills += other.kills;
    reopens += other.reopens;
    shortages += other.shortages;
    readOnly += other.readOnly;
    survivors += other.survivors;
    undone += other.undone;
    damages += other.damages;
    refusedToOpen += other.refusedToOpen;
    framesLostToDamage += other.framesLostToDamage;
    audits += other.audits;
    clueLooks += other.clueLooks;
    clueDeletions += other.clueDeletions;
    turnedOn += other.turnedOn;
    granted += other.granted;
    delegated += other.delegated;
    anchored += other.anchored;
    rotated += other.rotated;
    rotationsRefused += other.rotationsRefused;
    closed += other.closed;
    stateLooks += other.stateLooks;
    putBack += other.putBack;
    occulted += other.occulted;
    purged += other.purged;
    recalled += other.recalled;
    snapshots += other.snapshots;
    erasureTurns += other.erasureTurns;
    erasureNotes += other.erasureNotes;
    erased += other.erased;
    purgedReads += other.purgedReads;
    erasedReads += other.erasedReads;
    searches += other.searches;
    logAudits += other.logAudits;
    noted += other.noted;
    notedNothing += other.notedNothing;
    notesUndone += other.notesUndone;
    noteFrames += other.noteFrames;
    noteFramesAlone += other.noteFramesAlone;
    gaveWay += other.gaveWay;
    deletedWhenFull += other.deletedWhenFull;
    deceptions += other.deceptions;
    trace(other.trace);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%,d steps: %,d submissions, %,d journals, %,d repeats, %,d refusals %s, %,d shared"
            + " receipts of %,d submissions, %,d frames, %,d savepoints; %,d starts, %,d power"
            + " cuts, %,d kills, %,d reopened, %,d turns without room, %,d times read-only, %,d"
            + " unforced frames survived, %,d turns undone; %,d damages, %,d refused to open,"
            + " %,d last frames lost; %,d audits, %,d looks at clues, %,d at deleted ones,"
            + " clues turned on %,d times; %,d grants, %,d submissions of delegated keys, %,d"
            + " ledgers closed, %,d time journals, %,d rotations, %,d refused; %,d looks at"
            + " states, %,d submissions put back; %,d occults, %,d purges, %,d recalls, %,d snapshots,"
            + " %,d turns of erasing, %,d notes of it, %,d removals carried out, %,d reads of purged journals, %,d of"
            + " erased bodies, %,d searches for their bytes, %,d logs audited; %s",
        steps,
        submissions,
        journals,
        repeats,
        refusals,
        codes,
        sharedReceipts,
        narrowed,
        frames,
        savepoints,
        starts,
        powerCuts,
        kills,
        reopens,
        shortages,
        readOnly,
        survivors,
        undone,
        damages,
        refusedToOpen,
        framesLostToDamage,
        audits,
        clueLooks,
        clueDeletions,
        turnedOn,
        granted,
        delegated,
        closed,
        anchored,
        rotated,
        rotationsRefused,
        stateLooks,
        putBack,
        occulted,
        purged,
        recalled,
        snapshots,
        erasureTurns,
        erasureNotes,
        erased,
        purgedReads,
        erasedReads,
        searches,
        logAudits,
        notes());
  }

  private String notes() {
    return String.format(
        Locale.ROOT,
        "%,d notes, %,d of nothing, %,d undone, %,d frames with notes, %,d without blocks, %,d"
            + " anchors gave way, %,d frames of deletions when full, %,d lossy replays refused",
        noted,
        notedNothing,
        notesUndone,
        noteFrames,
        noteFramesAlone,
        gaveWay,
        deletedWhenFull,
        deceptions);
  }
}
