package io.millrace.manager.pacing;

import static io.millrace.manager.pacing.Reason.ReasonFigures.count;

import io.millrace.api.MessageText;
import io.millrace.api.Pure;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.Reason.ReasonKind;
import io.millrace.manager.pacing.Reason.Seconds;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Decides how many session workers one segment needs (M-09): as many as take all its sessions, and
 * one while there is anything to do. They live long: one is asked to end when the others could have
 * taken all sessions with a quarter to spare for some ticks. Pure and thread-safe.
 */
@Pure
final class SessionPacing {
  /** The name recorded as the policy. */
  static final String NAME = "sessions";

  private static final int SPARE_TICKS = 3;
  private static final double SPARE = 1.25;

  private SessionPacing() {}

  /**
   * Decides for one tick.
   *
   * @param snapshot what was read now; waiting and leased are the events not acknowledged
   * @param sessions of the segment; null if its node does not tell
   * @param maxPerWorker sessions that one more worker takes
   * @param state what the last decision returned, possibly in another process
   */
  static SessionPacingDecision decide(
      PacingSnapshot snapshot,
      SessionFigures sessions,
      int maxPerWorker,
      PacingSettings settings,
      PacingState state) {
    if (sessions == null || snapshot.queue().isEmpty() || snapshot.workers().isEmpty()) {
      PacingSnapshot unread =
          sessions == null
              ? new PacingSnapshot(snapshot.sinceLastTick(), Optional.empty(), snapshot.workers())
              : snapshot;
      return new SessionPacingDecision(
          PacingDecision.withoutFigures(unread, state.ofSessions(0, state.outsideWorkers())),
          false);
    }
    return new Tick(
            snapshot.queue().get(), snapshot.workers().get(), sessions, maxPerWorker, settings)
        .decide(Seconds.of(snapshot.sinceLastTick()), state);
  }

  /**
   * A decision about session workers.
   *
   * @param start what is started
   * @param leave whether one of the workers is asked to end
   */
  @Pure
  record SessionPacingDecision(PacingDecision start, boolean leave) {}

  /** One decision's figures. */
  @Pure
  private record Tick(
      QueueFigures queue,
      WorkerFigures own,
      SessionFigures sessions,
      int maxPerWorker,
      PacingSettings settings) {

    SessionPacingDecision decide(double seconds, PacingState state) {
      PacingState observed = state.observe(seconds, queue, own, settings);
      int outside = outside(state.outsideWorkers());
      int missing = missing(outside);
      if (missing > 0) {
        PacingDecision start =
            PacingDecision.limited(
                missing,
                reason(() -> " → " + count(missing) + " more"),
                queue,
                own,
                settings.limits(),
                observed.ofSessions(0, outside));
        return new SessionPacingDecision(start, false);
      }
      int spare = isSpare() ? state.spareTicks() + 1 : 0;
      boolean leave = spare >= SPARE_TICKS;
      String then =
          leave ? "; one of them is asked to end, since the others could take all" : "; enough";
      PacingDecision none =
          new PacingDecision(
              0, 0, Gate.NONE, reason(() -> then), observed.ofSessions(leave ? 0 : spare, outside));
      return new SessionPacingDecision(none, leave);
    }

    /**
     * Registered workers that are no jobs of this manager: known when its jobs have had time to
     * register, and until then as before.
     */
    private int outside(int before) {
      boolean settled = own.notStarted() == 0 && own.started() == 0;
      return Math.min(
          sessions.workers(), settled ? Math.max(0, sessions.workers() - own.running()) : before);
    }

    /** Workers that are to be started. Those that are to register yet will take the maximum. */
    private int missing(int outside) {
      int registered = sessions.workers() - outside;
      int coming = own.notStarted() + Math.max(0, own.running() - registered);
      long room = sessions.capacity() + (long) coming * maxPerWorker;
      long unplaced = Math.max(0, open() - room);
      long byRoom = (unplaced + maxPerWorker - 1) / maxPerWorker;
      boolean alone = sessions.workers() + coming == 0;
      long most = Math.max(byRoom, alone && hasWork() ? 1 : 0);
      return (int) Math.min(most, Integer.MAX_VALUE);
    }

    /** Sessions that a worker has or needs; a parked one waits for an operator. */
    private long open() {
      return sessions.unassigned() + sessions.assigned();
    }

    private boolean hasWork() {
      // Events of parked sessions are not delivered.
      return open() > 0 || (sessions.parked() == 0 && queue.waiting() + queue.leased() > 0);
    }

    /** Only jobs are asked to end: programs outside are others' decision. */
    private boolean isSpare() {
      if (own.running() == 0 || own.notStarted() > 0 || sessions.workers() == 0) {
        return false;
      }
      int others = sessions.workers() - 1;
      double room = (double) sessions.capacity() / sessions.workers() * others;
      return others == 0 ? !hasWork() : room >= open() * SPARE;
    }

    private Reason reason(Supplier<String> then) {
      return Reason.of(
          ReasonKind.SESSIONS,
          () ->
              "%s, %d without a worker; %s with room for %d, %d starting"
                      .formatted(
                          MessageText.counted(open(), "session"),
                          sessions.unassigned(),
                          count(sessions.workers()),
                          sessions.capacity(),
                          own.notStarted())
                  + then.get());
    }
  }
}
