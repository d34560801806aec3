package io.millrace.manager.partition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.partition.MineRequest;
import io.millrace.api.partition.MineRequest.MineAnswer;
import io.millrace.api.partition.PartitionGroup;
import io.millrace.api.partition.PartitionGroup.MemberRequest;
import io.millrace.api.partition.PartitionGroup.Membership;
import io.millrace.manager.partition.CycleDao.CycleRow;
import io.millrace.manager.partition.MemberDao.MemberRow;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * The groups whose members share resources (C-05, C-06, C-10). A group is created when its first
 * member joins; its revision increases whenever a member joins, leaves or is lost. Thread-safe;
 * calls block on the database.
 */
public final class PartitionGroups {
  private static final int MAX_MEMBERS = 1_000;
  private static final int MAX_GROUPS = 10_000;

  private final Database database;
  private final int maxGroups;
  private final GroupDao groups = new GroupDao();
  private final MemberDao members;
  private final CycleDao cycles;
  private final RingCache rings = new RingCache();

  public PartitionGroups(Database database) {
    this(database, MAX_GROUPS);
  }

  /** With another number of groups, for tests. */
  public PartitionGroups(Database database, int maxGroups) {
    this.database = database;
    this.maxGroups = maxGroups;
    this.members = new MemberDao(database.dialect());
    this.cycles = new CycleDao(database.dialect());
  }

  /**
   * Joins, or renews the membership if the request has a term.
   *
   * @throws MillraceException CONFLICT when another process has joined under this name, or when
   *     there are too many groups for a new one, UNKNOWN_GROUP when the membership has ended
   */
  public Membership join(String group, MemberRequest request) {
    Names.require("group", group, ErrorCode.INVALID_REQUEST);
    long term = request.term() == null ? begin(group, request) : goOn(group, request);
    PartitionGroup now = show(group);
    return new Membership(
        group,
        request.name(),
        term,
        now.revision(),
        now.members().stream().map(member -> member.name()).toList());
  }

  private long begin(String group, MemberRequest request) {
    requireRoom(group);
    return database.transaction(
        handle -> {
          groups.ensure(handle, group);
          long term = groups.advance(handle, group);
          List<MemberRow> others = members.of(handle, group);
          long living =
              others.stream()
                  .filter(row -> row.isAlive() && !row.name().equals(request.name()))
                  .count();
          if (living >= MAX_MEMBERS) {
            throw new MillraceException(
                ErrorCode.CONFLICT,
                "%s has %d members; split its resources among several groups"
                    .formatted(group, living));
          }
          members.begin(handle, group, request.name(), term, request.ttl());
          return term;
        });
  }

  // Groups are never deleted, so that terms only rise, and any producer may choose new names. Not
  // in the transaction that joins, which must not read anything before it locks the group.
  private void requireRoom(String group) {
    boolean room =
        database.read(
            handle ->
                groups.revision(handle, group).isPresent() || groups.count(handle) < maxGroups);
    if (!room) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "there are %d groups, the most that are kept; use one of them".formatted(maxGroups));
    }
  }

  private long goOn(String group, MemberRequest request) {
    String name = request.name();
    long term = request.term();
    // Without the group's lock, so that heartbeats do not wait.
    boolean renewed =
        database.transaction(handle -> members.heartbeat(handle, group, name, term, request.ttl()));
    if (!renewed) {
      throw database.read(
          handle -> new LivingMembers(group, members.of(handle, group)).ended(name));
    }
    return term;
  }

  /** Ends a membership; false when it has ended already. */
  public boolean leave(String group, String name, long term) {
    return database.transaction(
        handle -> {
          groups.lock(handle, group);
          boolean left = members.leave(handle, group, name, term);
          if (left) {
            groups.advance(handle, group);
          }
          return left;
        });
  }

  /** The resources that belong to a member. */
  public MineAnswer mine(String group, MineRequest request) {
    Map.Entry<Long, List<MemberRow>> state =
        database.transaction(
            handle -> {
              long revision = groups.lock(handle, group).orElseThrow(() -> unknown(group));
              return Map.entry(revision, members.of(handle, group));
            });
    List<MemberRow> rows = state.getValue();
    LivingMembers active = new LivingMembers(group, rows);
    active.require(request.member(), request.term());
    List<String> living = active.names();
    Instant begin = null;
    if (request.interval() != null) {
      CycleRoster roster = CycleRoster.of(rows, request.interval(), database.now());
      living = roster.members();
      begin = roster.begin();
    }
    List<String> own =
        rings
            .of(group, living)
            .split(request.resources())
            .getOrDefault(request.member(), List.of());
    return new MineAnswer(state.getKey(), own, begin, !living.contains(request.member()));
  }

  /** A group; UNKNOWN_GROUP if it does not exist. */
  public PartitionGroup show(String group) {
    // Without the group's lock, so that heartbeats do not wait for the begin of a large cycle.
    return database.transaction(
        handle -> {
          long revision = groups.revision(handle, group).orElseThrow(() -> unknown(group));
          return view(group, revision, members.of(handle, group), cycles.of(handle, group));
        });
  }

  /** All groups, by name. */
  public List<PartitionGroup> list() {
    return database.transaction(this::list);
  }

  private List<PartitionGroup> list(Handle handle) {
    Map<String, Long> revisions = groups.revisions(handle);
    Map<String, List<MemberRow>> rows =
        members.all(handle).stream().collect(Collectors.groupingBy(MemberRow::group));
    Map<String, List<CycleRow>> rounds =
        cycles.all(handle).stream().collect(Collectors.groupingBy(CycleRow::group));
    return revisions.entrySet().stream()
        .map(
            one ->
                view(
                    one.getKey(),
                    one.getValue(),
                    rows.getOrDefault(one.getKey(), List.of()),
                    rounds.getOrDefault(one.getKey(), List.of())))
        .toList();
  }

  private static PartitionGroup view(
      String group, long revision, List<MemberRow> rows, List<CycleRow> rounds) {
    return new PartitionGroup(
        group,
        revision,
        rows.stream().filter(MemberRow::isAlive).map(MemberRow::view).toList(),
        rounds.stream().map(CycleRow::view).toList());
  }

  static MillraceException unknown(String group) {
    return new MillraceException(
        ErrorCode.UNKNOWN_GROUP, "group %s does not exist; join it first".formatted(group));
  }

  /** Caches the last ring of each group, which is expensive to create. Thread-safe. */
  static final class RingCache {
    private static final int MAX = 100;

    // In the order of last use. Guarded by this.
    private final Map<String, Ring> rings = new LinkedHashMap<>(16, 0.75f, true);

    /** The ring of these members, which are sorted by name. */
    Ring of(String group, List<String> members) {
      synchronized (this) {
        Ring known = rings.get(group);
        if (known != null && known.members().equals(members)) {
          return known;
        }
      }
      Ring ring = Ring.of(members);
      synchronized (this) {
        rings.put(group, ring);
        if (rings.size() > MAX) {
          rings.remove(rings.keySet().iterator().next());
        }
      }
      return ring;
    }
  }
}
