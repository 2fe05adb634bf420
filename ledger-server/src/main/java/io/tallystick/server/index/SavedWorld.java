package io.tallystick.server.index;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.server.Member;
import io.tallystick.server.world.FeatureTable;
import io.tallystick.server.world.Governance;
import io.tallystick.server.world.LedgerState;
import io.tallystick.server.world.MemberTable;
import io.tallystick.server.world.WorldRows;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads world state back as the last savepoint left it.
public final class SavedWorld {
  private static final int STRAND = 0;

  private SavedWorld() {}

  /// A ledger and how far its strand is saved.
  public record SavedLedger(LedgerState ledger, StrandRow strand, Governance governance) {}

  /// What governance has changed, by the beginnings of the rows' keys.
  private record Changes(Map<Bytes, List<Member>> members, Map<Bytes, FeatureTable> features) {}

  /// All ledgers of the shard, ascending: in one pass over the rows of each kind, for there may be
  /// tens of thousands.
  public static List<SavedLedger> ledgers(MetaStore meta)
      throws IOException, CorruptStreamException {
    Map<Bytes, StrandRow> strands = new HashMap<>();
    scan(
        meta,
        StrandRow.STRANDS,
        "strand rows",
        (key, value) -> strands.put(key, StrandRow.decode(value)));
    Changes changes =
        strands.values().stream().anyMatch(StrandRow::governed)
            ? changes(meta)
            : new Changes(Map.of(), Map.of());
    List<SavedLedger> ledgers = new ArrayList<>();
    scan(
        meta,
        WorldRows.LEDGERS,
        "ledger rows",
        (_, value) -> {
          LedgerState ledger = WorldRows.decodeLedger(value);
          StrandRow strand = strands.get(StrandRow.key(new StrandId(ledger.id(), STRAND)));
          if (strand == null) {
            throw new MalformedException("ledger " + ledger.id() + " has no strand row");
          }
          ledgers.add(new SavedLedger(ledger, strand, governance(ledger, strand, changes)));
        });
    return ledgers;
  }

  private static Changes changes(MetaStore meta) throws IOException, CorruptStreamException {
    Map<Bytes, List<Member>> members = new HashMap<>();
    scan(
        meta,
        WorldRows.MEMBERS,
        "member rows",
        (key, value) ->
            members
                .computeIfAbsent(WorldRows.prefixOfMember(key), _ -> new ArrayList<>())
                .add(WorldRows.decodeMember(value)));
    Map<Bytes, FeatureTable> features = new HashMap<>();
    scan(
        meta,
        WorldRows.FEATURES,
        "features rows",
        (key, value) -> features.put(key, WorldRows.decodeFeatures(value)));
    return new Changes(members, features);
  }

  private static Governance governance(LedgerState ledger, StrandRow strand, Changes changes) {
    if (!strand.governed()) {
      return Governance.ofGenesis(ledger.params());
    }
    return new Governance(
        table(
            ledger, changes.members().getOrDefault(WorldRows.memberPrefix(ledger.id()), List.of())),
        changes
            .features()
            .getOrDefault(
                WorldRows.featuresKey(ledger.id()), FeatureTable.ofGenesis(ledger.params())));
  }

  /// What a strand's last savepoint holds; null if it never had one.
  static @Nullable StrandRow strand(MetaStore meta, StrandId strand)
      throws IOException, CorruptStreamException {
    Bytes row = meta.get(StrandRow.key(strand));
    try {
      return row == null ? null : StrandRow.decode(row);
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "strand row of " + strand, 0, String.valueOf(e.getMessage()));
    }
  }

  /// What governance made of a ledger as its strand's row was saved.
  static Governance governance(MetaStore meta, LedgerState ledger, @Nullable StrandRow strand)
      throws IOException, CorruptStreamException {
    if (strand == null || !strand.governed()) {
      return Governance.ofGenesis(ledger.params());
    }
    List<FeatureTable> features = new ArrayList<>();
    scan(
        meta,
        WorldRows.featuresKey(ledger.id()),
        "features row of " + ledger.id(),
        (_, value) -> features.add(WorldRows.decodeFeatures(value)));
    return new Governance(
        members(meta, ledger),
        features.isEmpty() ? FeatureTable.ofGenesis(ledger.params()) : features.getFirst());
  }

  private static MemberTable members(MetaStore meta, LedgerState ledger)
      throws IOException, CorruptStreamException {
    List<Member> members = new ArrayList<>();
    scan(
        meta,
        WorldRows.memberPrefix(ledger.id()),
        "member rows of " + ledger.id(),
        (_, value) -> members.add(WorldRows.decodeMember(value)));
    return table(ledger, members);
  }

  private static MemberTable table(LedgerState ledger, List<Member> members) {
    return members.isEmpty()
        ? MemberTable.ofGenesis(ledger.params())
        : MemberTable.of(ledger.params(), members);
  }

  /// Takes one row.
  private interface Row {
    void take(Bytes key, Bytes value) throws MalformedException;
  }

  private static void scan(MetaStore meta, Bytes prefix, String what, Row row)
      throws IOException, CorruptStreamException {
    List<MalformedException> damage = new ArrayList<>();
    meta.scan(
        prefix,
        null,
        (key, value) -> {
          try {
            row.take(key, value);
          } catch (MalformedException e) {
            damage.add(e);
          }
          return damage.isEmpty();
        });
    if (!damage.isEmpty()) {
      throw new CorruptStreamException(what, 0, String.valueOf(damage.getFirst().getMessage()));
    }
  }

  static void putOwners(MetaBatch batch, LedgerState ledger) {
    for (PublicKey owner : ledger.params().owners()) {
      Member member = new Member(owner, Role.OWNER, 0, Member.NEVER);
      batch.put(WorldRows.memberKey(ledger.id(), owner.kid()), WorldRows.encode(member));
    }
  }
}
