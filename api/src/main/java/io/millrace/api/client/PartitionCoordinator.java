package io.millrace.api.client;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.partition.MineRequest;
import io.millrace.api.partition.MineRequest.MineAnswer;
import io.millrace.api.partition.NextRequest;
import io.millrace.api.partition.NextRequest.NextAnswer;
import io.millrace.api.partition.PartitionGroup.MemberRequest;
import io.millrace.api.partition.PartitionGroup.Membership;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * A program's part in a group that shares resources (C-10): it joins, stays a member by heartbeats,
 * and learns at each interval which of the resources that it found are assigned to it.
 *
 * <p>{@link #start()} joins and begins a daemon thread that renews three times per time to live;
 * {@link #close()} ends both. A program with its own threads calls {@link #beat()} as often instead
 * of {@code start()}. A membership that was lost because of a long silence is renewed by the next
 * beat. One that another process took over by joining under the same name is not: every call fails
 * from then on. Thread-safe; calls block on the network.
 */
public final class PartitionCoordinator implements AutoCloseable {
  private static final int BEATS_PER_TTL = 3;
  private static final long STOP_SECONDS = 10;

  private final PartitionClient central;
  private final String group;
  private final String name;
  private final Duration ttl;
  // All guarded by this.
  private Membership membership;
  private MillraceException superseded;
  private ScheduledExecutorService heart;
  private Future<?> heartbeats;
  private boolean closed;

  /**
   * A coordinator that has not joined yet.
   *
   * @param group programs that find the same resources share one group (C-05)
   * @param name of this member, unique in the group
   * @param ttl silence after which its share goes to the others; 3 s to 1 h
   */
  public PartitionCoordinator(CentralClient central, String group, String name, Duration ttl) {
    this.central = central.partitions();
    this.group = group;
    this.name = name;
    this.ttl = new MemberRequest(name, ttl, null).ttl();
  }

  /**
   * Joins the group and begins the heartbeats.
   *
   * @throws MillraceException when no central manager answers; nothing was started then
   */
  public synchronized void start() {
    if (heart != null) {
      throw new IllegalStateException(name + " has been started in group " + group);
    }
    beat();
    heart =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "partition-" + group);
              thread.setDaemon(true);
              return thread;
            });
    long pause = ttl.toNanos() / BEATS_PER_TTL;
    heartbeats =
        heart.scheduleWithFixedDelay(this::tryHeartbeat, pause, pause, TimeUnit.NANOSECONDS);
  }

  /** Joins or renews the membership; {@code start()} does so by itself. */
  public synchronized void beat() {
    requireUsable();
    try {
      Long term = membership == null ? null : membership.term();
      membership = central.join(group, new MemberRequest(name, ttl, term));
    } catch (MillraceException e) {
      throw noted(e);
    }
  }

  /**
   * Those of the resources that are assigned to this member among the members alive now, in the
   * order given.
   */
  public List<String> mine(Collection<String> resources) {
    return mine(resources, null).resources();
  }

  /**
   * Those of the resources that are assigned to this member in the current cycle: members that join
   * or leave count from the next cycle on (C-07, C-08), so that no share changes within a cycle.
   *
   * @param interval how often all members poll; the same for all
   * @throws MillraceException UNREACHABLE when no central manager answers: poll nothing rather than
   *     twice; CONFLICT when another process has taken the name
   */
  public synchronized MineAnswer mine(Collection<String> resources, Duration interval) {
    List<String> found = List.copyOf(resources);
    return asked(term -> central.mine(group, new MineRequest(name, term, found, interval)));
  }

  /**
   * Begins a cycle, or takes part in the current one: the first resources to poll. Each is some one
   * member's, also of those whose member was lost within the cycle.
   *
   * @param resources all that were found
   * @param interval how often all members poll; the same for all
   * @param max resources at a time, 1 to 1,000; after a crash at most that many are polled twice
   * @throws MillraceException as for {@link #mine(Collection, Duration)}
   */
  public synchronized NextAnswer begin(Collection<String> resources, Duration interval, int max) {
    List<String> found = List.copyOf(resources);
    return asked(
        term ->
            central.next(group, new NextRequest(name, term, found, interval, 0, List.of(), max)));
  }

  /**
   * Reports that all of an answer's resources had their turn; the next ones. To be asked, with a
   * pause after an answer without resources, until one is {@code finished}: somebody else's may
   * become this member's.
   *
   * @param max resources at a time; 0 to report only, before the member leaves
   * @throws MillraceException as for {@link #mine(Collection, Duration)}; ask again with the same
   *     answer then
   */
  public synchronized NextAnswer next(NextAnswer before, int max) {
    return asked(term -> central.next(group, NextRequest.after(name, term, before, max)));
  }

  /** Asks as a member; if that life turns out to have ended, once more in a new one. */
  private <T> T asked(LongFunction<T> question) {
    requireUsable();
    if (membership == null) {
      beat();
    }
    try {
      return question.apply(membership.term());
    } catch (MillraceException e) {
      MillraceException failure = noted(e);
      if (membership != null) {
        throw failure;
      }
    }
    beat();
    return question.apply(membership.term());
  }

  /** The members as of the last beat, by name; empty before the first. */
  public synchronized List<String> members() {
    return membership == null ? List.of() : membership.members();
  }

  /** Ends the heartbeats and leaves, after which the others have this member's share. */
  @Override
  public void close() {
    ScheduledExecutorService scheduler;
    synchronized (this) {
      closed = true;
      scheduler = heart;
      heart = null;
    }
    if (scheduler != null) {
      end(scheduler);
    }
    synchronized (this) {
      if (membership != null && superseded == null) {
        leave(membership.term());
        membership = null;
      }
    }
  }

  // The thread must continue: an outage ends, and a later heartbeat succeeds.
  private void tryHeartbeat() {
    try {
      beat();
    } catch (MillraceException | IllegalStateException e) {
      synchronized (this) {
        if (superseded != null && heartbeats != null) {
          heartbeats.cancel(false);
        }
      }
    }
  }

  /** Remembers what a refusal means for the membership. */
  private MillraceException noted(MillraceException failure) {
    if (failure.code() == ErrorCode.UNKNOWN_GROUP) {
      membership = null;
    } else if (failure.code() == ErrorCode.CONFLICT) {
      superseded = failure;
    }
    return failure;
  }

  private void requireUsable() {
    if (closed) {
      throw new IllegalStateException(name + " has left group " + group);
    }
    if (superseded != null) {
      throw superseded;
    }
  }

  private static void end(ScheduledExecutorService scheduler) {
    scheduler.shutdownNow();
    try {
      // Wait for a beat that is being sent, so that it does not arrive after the goodbye.
      scheduler.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // A member that cannot leave expires after its time to live.
  private void leave(long term) {
    try {
      central.leave(group, name, term);
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.INVALID_REQUEST || e.code() == ErrorCode.FORBIDDEN) {
        throw e;
      }
    }
  }
}
