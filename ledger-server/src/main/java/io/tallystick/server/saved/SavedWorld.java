package io.tallystick.server.saved;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.node.Member;
import io.tallystick.server.world.FeatureTable;
import io.tallystick.server.world.Governance;
import io.tallystick.server.world.LedgerGenesis;
import io.tallystick.server.world.MemberTable;
import io.tallystick.server.world.NewestTime;
import io.tallystick.server.world.Occult;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.server.world.Removals;
import io.tallystick.server.world.ServiceTerms;
import io.tallystick.server.world.WorldRows;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads world state back as the last savepoint left it.
public final class SavedWorld {
  private static final int STRAND = 0;

  private SavedWorld() {}

  /// A ledger and how far its strand is saved.
  public record SavedLedger(LedgerGenesis ledger, StrandRow strand, Governance governance) {}

  /// The changes that governance has made, by the beginnings of the rows' keys.
  private record Changes(
      Map<Bytes, List<Member>> members,
      Map<Bytes, FeatureTable> features,
      Map<Bytes, Long> closings,
      Map<Bytes, NewestTime> times,
      Map<Bytes, Bytes> rotations,
      Map<Bytes, List<Occult>> occults,
      Map<Bytes, Bytes> purges,
      Map<Bytes, Bytes> regulators) {
    static final Changes NONE =
        new Changes(Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), Map.of());
  }

  /// All ledgers of the shard, ascending: in one pass over the rows of each kind, for there may be
  /// tens of thousands.
  public static List<SavedLedger> ledgers(MetaStore meta)
      throws IOException, CorruptStreamException {
    Map<Bytes, StrandRow> strands = new HashMap<>();
    Set<Bytes> governed = new HashSet<>();
    scan(
        meta,
        StrandRow.STRANDS,
        "strand rows",
        (key, value) -> {
          StrandRow strand = StrandRow.decode(key, value);
          strands.put(key, strand);
          if (strand.governed()) {
            governed.add(ledgerOf(key));
          }
        });
    Changes changes = governed.isEmpty() ? Changes.NONE : changes(meta, governed);
    List<SavedLedger> ledgers = new ArrayList<>();
    scan(
        meta,
        WorldRows.LEDGERS,
        "ledger rows",
        (_, value) -> {
          LedgerGenesis ledger = WorldRows.decodeLedger(value);
          StrandRow strand = strands.get(StrandRow.key(new StrandId(ledger.id(), STRAND)));
          if (strand == null) {
            throw new MalformedException("ledger " + ledger.id() + " has no strand row");
          }
          ledgers.add(new SavedLedger(ledger, strand, governance(ledger, strand, changes)));
        });
    return ledgers;
  }

  /// The ledger in a key of one letter and a ledger's id.
  private static Bytes ledgerOf(Bytes key) throws MalformedException {
    if (key.size() <= Digest.BYTES) {
      throw new MalformedException("key of " + key.size() + " bytes");
    }
    return key.slice(1, Digest.BYTES);
  }

  private static Changes changes(MetaStore meta, Set<Bytes> governed)
      throws IOException, CorruptStreamException {
    Map<Bytes, List<Member>> members = new HashMap<>();
    scan(
        meta,
        WorldRows.MEMBERS,
        "member rows",
        (key, value) -> {
          if (governed.contains(ledgerOf(key))) {
            members
                .computeIfAbsent(WorldRows.prefixOfMember(key), _ -> new ArrayList<>())
                .add(WorldRows.decodeMember(value));
          }
        });
    Map<Bytes, FeatureTable> features = new HashMap<>();
    scan(
        meta,
        WorldRows.FEATURES,
        "features rows",
        (key, value) -> {
          if (governed.contains(ledgerOf(key))) {
            features.put(key, WorldRows.decodeFeatures(value));
          }
        });
    Map<Bytes, Long> closings = new HashMap<>();
    scan(
        meta,
        WorldRows.CLOSINGS,
        "closing rows",
        (key, value) -> {
          if (governed.contains(ledgerOf(key))) {
            closings.put(key, WorldRows.decodeClosing(value));
          }
        });
    Map<Bytes, NewestTime> times = new HashMap<>();
    scan(
        meta,
        WorldRows.TIMES,
        "time rows",
        (key, value) -> {
          if (governed.contains(ledgerOf(key))) {
            times.put(key, WorldRows.decodeTime(value));
          }
        });
    return new Changes(
        members,
        features,
        closings,
        times,
        rows(meta, WorldRows.ROTATIONS),
        occults(meta),
        rows(meta, RemovalRows.PURGES),
        rows(meta, RemovalRows.REGULATORS));
  }

  /// The occults of all ledgers, by the beginnings of their keys.
  private static Map<Bytes, List<Occult>> occults(MetaStore meta)
      throws IOException, CorruptStreamException {
    Map<Bytes, List<Occult>> occults = new HashMap<>();
    scan(
        meta,
        RemovalRows.OCCULTS,
        "occult rows",
        (key, value) -> {
          Occult occult = RemovalRows.decodeOccult(key, value);
          Bytes ledger = key.slice(0, 1 + Digest.BYTES);
          occults.computeIfAbsent(ledger, _ -> new ArrayList<>()).add(occult);
        });
    return occults;
  }

  private static Map<Bytes, Bytes> rows(MetaStore meta, Bytes prefix)
      throws IOException, CorruptStreamException {
    Map<Bytes, Bytes> rows = new HashMap<>();
    scan(meta, prefix, "removal rows", rows::put);
    return rows;
  }

  private static Governance governance(LedgerGenesis ledger, StrandRow strand, Changes changes)
      throws MalformedException {
    if (!strand.governed()) {
      return Governance.ofGenesis(ledger.params());
    }
    return new Governance(
        table(
            ledger,
            changes.members().getOrDefault(WorldRows.memberPrefix(ledger.id()), List.of()),
            changes.rotations().get(WorldRows.rotationsKey(ledger.id()))),
        changes
            .features()
            .getOrDefault(
                WorldRows.featuresKey(ledger.id()), FeatureTable.ofGenesis(ledger.params())),
        changes.closings().getOrDefault(WorldRows.closingKey(ledger.id()), Governance.OPEN),
        Optional.ofNullable(changes.times().get(WorldRows.timeKey(ledger.id()))),
        RemovalRows.removals(
            changes.occults().getOrDefault(RemovalRows.occultPrefix(ledger.id()), List.of()),
            changes.purges().get(RemovalRows.purgesKey(ledger.id())),
            changes.regulators().get(RemovalRows.regulatorsKey(ledger.id()))));
  }

  /// The row of a strand's last savepoint; null if it never had one.
  public static @Nullable StrandRow strand(MetaStore meta, StrandId strand)
      throws IOException, CorruptStreamException {
    Bytes key = StrandRow.key(strand);
    Bytes row = meta.get(key);
    try {
      return row == null ? null : StrandRow.decode(key, row);
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "strand row of " + strand, 0, String.valueOf(e.getMessage()));
    }
  }

  /// The governance of a ledger as of the savepoint that wrote its strand's row.
  public static Governance governance(
      MetaStore meta, LedgerGenesis ledger, @Nullable StrandRow strand)
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
    List<Long> closings = new ArrayList<>();
    scan(
        meta,
        WorldRows.closingKey(ledger.id()),
        "closing row of " + ledger.id(),
        (_, value) -> closings.add(WorldRows.decodeClosing(value)));
    List<NewestTime> times = new ArrayList<>();
    scan(
        meta,
        WorldRows.timeKey(ledger.id()),
        "time row of " + ledger.id(),
        (_, value) -> times.add(WorldRows.decodeTime(value)));
    return new Governance(
        members(meta, ledger),
        features.isEmpty() ? FeatureTable.ofGenesis(ledger.params()) : features.getFirst(),
        closings.isEmpty() ? Governance.OPEN : closings.getFirst(),
        times.stream().findFirst(),
        removals(meta, ledger));
  }

  private static Removals removals(MetaStore meta, LedgerGenesis ledger)
      throws IOException, CorruptStreamException {
    List<Occult> occults = new ArrayList<>();
    scan(
        meta,
        RemovalRows.occultPrefix(ledger.id()),
        "occult rows of " + ledger.id(),
        (key, value) -> occults.add(RemovalRows.decodeOccult(key, value)));
    try {
      return RemovalRows.removals(
          occults,
          meta.get(RemovalRows.purgesKey(ledger.id())),
          meta.get(RemovalRows.regulatorsKey(ledger.id())));
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "removal rows of " + ledger.id(), 0, String.valueOf(e.getMessage()));
    }
  }

  private static MemberTable members(MetaStore meta, LedgerGenesis ledger)
      throws IOException, CorruptStreamException {
    List<Member> members = new ArrayList<>();
    scan(
        meta,
        WorldRows.memberPrefix(ledger.id()),
        "member rows of " + ledger.id(),
        (_, value) -> members.add(WorldRows.decodeMember(value)));
    try {
      return table(ledger, members, meta.get(WorldRows.rotationsKey(ledger.id())));
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "member rows of " + ledger.id(), 0, String.valueOf(e.getMessage()));
    }
  }

  /// @param members of a governed ledger: its founding wrote the owners
  /// @param rotations its row; null if its service keys were never rotated
  private static MemberTable table(
      LedgerGenesis ledger, List<Member> members, @Nullable Bytes rotations)
      throws MalformedException {
    if (members.isEmpty()) {
      throw new MalformedException("governed ledger " + ledger.id() + " has no member rows");
    }
    ServiceTerms service =
        rotations == null
            ? ServiceTerms.ofGenesis(ledger.params())
            : WorldRows.decodeRotations(rotations, ledger.params());
    return MemberTable.of(ledger.params(), members, service);
  }

  /// Takes one row.
  private interface Row {
    void take(Bytes key, Bytes value) throws MalformedException;
  }

  private static void scan(MetaStore meta, Bytes prefix, String what, Row row)
      throws IOException, CorruptStreamException {
    List<String> damage = new ArrayList<>();
    meta.scan(
        prefix,
        null,
        (key, value) -> {
          try {
            row.take(key, value);
          } catch (MalformedException e) {
            damage.add(String.format(Locale.ROOT, "row %s: %s", key.hex(), e.getMessage()));
          }
          return damage.isEmpty();
        });
    if (!damage.isEmpty()) {
      throw new CorruptStreamException(what, 0, damage.getFirst());
    }
  }

  public static void putOwners(MetaBatch batch, LedgerGenesis ledger) {
    for (PublicKey owner : ledger.params().owners()) {
      Member member = new Member(owner, Role.OWNER, 0, Member.NEVER);
      batch.put(WorldRows.memberKey(ledger.id(), owner.kid()), WorldRows.encode(member));
    }
  }
}
