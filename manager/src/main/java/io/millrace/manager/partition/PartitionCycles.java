package io.millrace.manager.partition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.partition.NextRequest;
import io.millrace.api.partition.NextRequest.NextAnswer;
import io.millrace.manager.partition.CycleDao.CycleRow;
import io.millrace.manager.partition.PartitionGroups.RingCache;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Cycles in which the members of a group poll the resources handed to them, report them and get
 * more: every resource belongs to one member at a time and is recorded once, and the rest of a
 * member that is lost or leaves goes to the others in the same cycle (C-01, C-07 to C-09).
 * Thread-safe; calls block on the database, and calls of one group on each other.
 */
public final class PartitionCycles {
  private final Database database;
  private final DatabaseTime time;
  private final GroupDao groups = new GroupDao();
  private final MemberDao members;
  private final CycleDao cycles;
  private final ResourceDao resources = new ResourceDao();
  private final RingCache rings = new RingCache();

  public PartitionCycles(Database database) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.members = new MemberDao(database.dialect());
    this.cycles = new CycleDao(database.dialect());
  }

  /**
   * Records the resources that a member polled, and hands it the next ones. Idempotent.
   *
   * @throws MillraceException CONFLICT or UNKNOWN_GROUP when the membership has ended;
   *     INVALID_REQUEST when no cycle has begun
   */
  public NextAnswer next(String group, NextRequest request) {
    return database.transaction(
        handle -> {
          long revision =
              groups.lock(handle, group).orElseThrow(() -> PartitionGroups.unknown(group));
          LivingMembers living = new LivingMembers(group, members.of(handle, group));
          living.require(request.member(), request.term());
          return new Turn(handle, group, request, revision, living).answer();
        });
  }

  /** One request, under the group's lock. */
  private final class Turn {
    private final Handle handle;
    private final String group;
    private final NextRequest request;
    private final long revision;
    private final LivingMembers living;
    private final Instant now;

    Turn(Handle handle, String group, NextRequest request, long revision, LivingMembers living) {
      this.handle = handle;
      this.group = group;
      this.request = request;
      this.revision = revision;
      this.living = living;
      this.now = time.now(handle);
    }

    NextAnswer answer() {
      int recorded = resources.done(handle, group, request.cycle(), request.term(), request.done());
      if (recorded > 0) {
        cycles.record(handle, group, request.cycle(), recorded);
      }
      CycleRow cycle = settled(current(cycles.latest(handle, group)));
      CycleTime span = new CycleTime(cycle.began(), cycle.interval());
      Duration left = span.over(now) ? Duration.ZERO : span.left(now);
      boolean waits = !living.sharing(cycle.beginRevision()).contains(request.member());
      return new NextAnswer(
          cycle.number(),
          inHands(cycle, waits),
          recorded,
          cycle.done() == cycle.total(),
          waits,
          left);
    }

    private List<String> inHands(CycleRow cycle, boolean waits) {
      long number = cycle.number();
      List<String> held = new ArrayList<>(resources.held(handle, group, number, request.term()));
      if (!waits && held.size() < request.most()) {
        int more = request.most() - held.size();
        held.addAll(resources.take(handle, group, number, request.member(), request.term(), more));
      }
      // A repeated request gets the same answer.
      held.sort(null);
      return held;
    }

    /**
     * The current cycle; one that has ended stays current until a member with a list begins the
     * next.
     */
    private CycleRow current(Optional<CycleRow> latest) {
      if (request.resources() == null) {
        return latest.orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.INVALID_REQUEST,
                    "no cycle of %s has begun; send resources and interval".formatted(group)));
      }
      boolean over =
          latest.map(one -> new CycleTime(one.began(), one.interval()).over(now)).orElse(true);
      return over ? begin(latest.map(CycleRow::number).orElse(0L) + 1) : joined(latest.get());
    }

    private CycleRow begin(long number) {
      Allotment allotment =
          Allotment.begin(resources.of(handle, group, number), request.resources(), ring(revision));
      resources.change(handle, group, number, allotment);
      CycleTime span = CycleTime.at(now, request.interval());
      CycleRow cycle =
          new CycleRow(
              group,
              number,
              span.begin(),
              span.interval(),
              revision,
              revision,
              Allotment.mark(request.resources()),
              request.resources().stream().distinct().count(),
              0,
              0);
      cycles.begin(handle, cycle);
      return cycle;
    }

    /** With the resources that only this member has discovered. */
    private CycleRow joined(CycleRow cycle) {
      if (cycle.mark() == Allotment.mark(request.resources())) {
        return cycle;
      }
      Allotment allotment =
          Allotment.join(
              resources.of(handle, group, cycle.number()),
              request.resources(),
              ring(cycle.beginRevision()));
      resources.change(handle, group, cycle.number(), allotment);
      CycleRow wider = cycle.listed(allotment.added().size());
      cycles.settle(handle, wider);
      return wider;
    }

    /** With the resources of former members reassigned. */
    private CycleRow settled(CycleRow cycle) {
      if (cycle.revision() == revision) {
        return cycle;
      }
      Allotment allotment =
          Allotment.change(
              resources.of(handle, group, cycle.number()),
              ring(cycle.beginRevision()),
              living.terms());
      resources.change(handle, group, cycle.number(), allotment);
      CycleRow settled = cycle.settled(revision, allotment.released().size());
      cycles.settle(handle, settled);
      return settled;
    }

    private Ring ring(long beginRevision) {
      return rings.of(group, living.sharing(beginRevision));
    }
  }
}
