package io.tallystick.server.seal;

import io.tallystick.journal.Extension;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.node.Member;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.world.Governance;
import io.tallystick.server.world.JsnSet;
import io.tallystick.server.world.NewestTime;
import io.tallystick.server.world.Occult;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.server.world.WorldRows;
import io.tallystick.storage.meta.MetaBatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The changes that governance journals made in a strand since its last savepoint. For the owner.
final class GovernanceChanges {
  private final Map<Digest, Member> members = new HashMap<>();
  private final List<Occult> occults = new ArrayList<>();

  /// By jsn, whether they are in force: false after a recall.
  private final Map<Long, Boolean> purges = new LinkedHashMap<>();

  private boolean features;
  private boolean closing;
  private boolean time;
  private boolean keys;
  private boolean regulators;

  /// @param targets that an occult names; null for any other journal
  void note(
      Governance before,
      Governance after,
      RequestHeader header,
      @Nullable JsnSet targets,
      long jsn) {
    features |= after.features() != before.features();
    closing |= after.closedJsn() != before.closedJsn();
    time |= !after.newestTime().equals(before.newestTime());
    keys |= !after.members().service().equals(before.members().service());
    for (Member member : after.members().all()) {
      if (member.grantedJsn() == jsn || member.revokedJsn() == jsn) {
        members.put(member.key().kid(), member);
      }
    }
    switch (header.extension()) {
      case Extension.Occult _ when targets != null -> occults.add(new Occult(jsn, targets));
      case Extension.Purge _ -> purges.put(jsn, true);
      case Extension.Recall recall -> purges.put(recall.purge().value(), false);
      default -> regulators |= !after.removals().equals(before.removals());
    }
  }

  /// Whether a removal waits for a savepoint, before which nothing of it may be erased.
  boolean hasRemovals() {
    return !occults.isEmpty() || !purges.isEmpty();
  }

  /// @param now as after the last journal that was noted
  void savepoint(MetaBatch batch, LedgerId ledger, Governance now) {
    members.forEach(
        (kid, member) -> batch.put(WorldRows.memberKey(ledger, kid), WorldRows.encode(member)));
    members.clear();
    if (features) {
      batch.put(WorldRows.featuresKey(ledger), WorldRows.encode(now.features()));
      features = false;
    }
    if (time) {
      NewestTime newest = now.newestTime().orElseThrow();
      batch.put(WorldRows.timeKey(ledger), WorldRows.encode(newest));
      time = false;
    }
    if (closing) {
      batch.put(WorldRows.closingKey(ledger), WorldRows.encodeClosing(now.closedJsn()));
      closing = false;
    }
    if (keys) {
      batch.put(WorldRows.rotationsKey(ledger), WorldRows.encode(now.members().service()));
      keys = false;
    }
    if (regulators) {
      batch.put(RemovalRows.regulatorsKey(ledger), RemovalRows.encodeRegulators(now.removals()));
      regulators = false;
    }
    saveRemovals(batch, ledger, now);
  }

  /// With each removal the task to erase what it names.
  private void saveRemovals(MetaBatch batch, LedgerId ledger, Governance now) {
    for (Occult occult : occults) {
      batch.put(RemovalRows.occultKey(ledger, occult.jsn()), RemovalRows.encode(occult));
      batch.put(PendingErasureRow.key(ledger, occult.jsn()), PendingErasureRow.begun());
    }
    occults.clear();
    if (!purges.isEmpty()) {
      batch.put(RemovalRows.purgesKey(ledger), RemovalRows.encodePurges(now.removals()));
    }
    purges.forEach((jsn, inForce) -> {
      Bytes task = PendingErasureRow.key(ledger, jsn);
      if (inForce) {
        batch.put(task, PendingErasureRow.begun());
      } else {
        batch.delete(task);
      }
    });
    purges.clear();
  }
}
