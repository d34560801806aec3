package io.millrace.manager.pacing;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.client.ProgramContext;
import io.millrace.api.client.ProgramContext.CommandAnswer;
import io.millrace.api.pacing.PacingView;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.SourceDefinition;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.pacing.SessionPacing.SessionPacingDecision;
import io.millrace.platform.lifecycle.RepeatedFailureLog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A queue manager: paces the workers of one segment until it is stopped or replaced by another
 * attempt. Arguments: the queue and the queue node's name. All managers of one process tick at the
 * same moments, so that their requests can be batched.
 */
public final class QueueManagerProgram implements BuiltinProgram {
  /** The program's name in a job's spec. */
  public static final String NAME = "queue-manager";

  private final PacingRounds rounds = new PacingRounds();

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int run(ProgramContext context) throws InterruptedException {
    List<String> arguments = context.arguments();
    if (arguments.size() != 2) {
      context.print(
          "%s expects two arguments, the queue and the queue node, not %s"
              .formatted(NAME, arguments));
      return 2;
    }
    SegmentPacer pacer = new SegmentPacer(context, rounds, arguments.get(0), arguments.get(1));
    Optional<Duration> pause = pacer.tick();
    while (pause.isPresent()) {
      context.pause(untilNext(pause.get(), context.nanoTime()));
      pause = pacer.tick();
    }
    return 0;
  }

  /** The time until the next multiple of the tick, which is the same for all managers. */
  static Duration untilNext(Duration tick, long nanos) {
    return Duration.ofNanos(tick.toNanos() - Math.floorMod(nanos, tick.toNanos()));
  }

  /**
   * The ticks of one queue manager. The policy's state is in the database, so a successor continues
   * where this one stopped (H-217). Used by one thread.
   */
  static final class SegmentPacer {
    /** The pause between ticks while no definition is known. */
    private static final Duration USUAL_TICK = Duration.ofSeconds(5);

    private final ProgramContext context;
    private final PacingRounds rounds;
    private final String queue;
    private final String node;
    private final ExternalSource source;
    private final RepeatedFailureLog central;
    private final RepeatedFailureLog segment;
    private Duration pause = USUAL_TICK;
    private PacingView lastView;
    private long lastNanos;

    SegmentPacer(ProgramContext context, PacingRounds rounds, String queue, String node) {
      this.context = context;
      this.rounds = rounds;
      this.queue = queue;
      this.node = node;
      this.source = new ExternalSource(context, queue, node);
      this.central =
          new RepeatedFailureLog("the central manager is reachable again", context::print);
      this.segment = new RepeatedFailureLog("the segment is readable again", context::print);
    }

    /**
     * Runs one tick; returns the pause until the next, or empty when another attempt has taken
     * over.
     *
     * @throws InterruptedException when the attempt is stopped
     */
    Optional<Duration> tick() throws InterruptedException {
      try {
        PacingView view = rounds.view(context, queue, node, pause);
        pause = view.queue().decidedEvery();
        Optional<SegmentFigures> figures = figures(view);
        if (figures.isPresent()) {
          decide(view, figures.get());
        }
        central.succeeded();
      } catch (MillraceException e) {
        if (e.code() == ErrorCode.STALE_ATTEMPT) {
          context.print("another attempt manages this segment now: " + e.getMessage());
          return Optional.empty();
        }
        central.failed("no decision possible, pausing: " + e.getMessage());
      }
      return Optional.of(pause);
    }

    /** A manager that cannot read its segment submits nothing (H-157). */
    private Optional<SegmentFigures> figures(PacingView view) throws InterruptedException {
      if (view.segment() == null && !view.queue().external()) {
        segment.failed("submitting nothing: no queue node is registered as " + node);
        return Optional.empty();
      }
      try {
        SegmentFigures figures =
            view.queue().external()
                ? source.figures(view)
                : rounds.figures(context, node, view.segment(), queue, pause);
        segment.succeeded();
        return Optional.of(figures);
      } catch (MillraceException e) {
        segment.failed("submitting nothing, the segment cannot be read: " + e.getMessage());
        return Optional.empty();
      }
    }

    private void decide(PacingView view, SegmentFigures figures) throws InterruptedException {
      long now = context.nanoTime();
      Duration elapsed = lastView == null ? Duration.ZERO : Duration.ofNanos(now - lastNanos);
      PacingView before = lastView == null ? view : lastView;
      PacingSnapshot snapshot = PacingInputs.snapshot(figures, view, before, elapsed);
      PacingSettings settings = PacingInputs.settings(view.queue());
      PacingState state = PacingInputs.state(view.state());
      SessionPacingDecision decision = decided(view, figures, snapshot, settings, state);
      rounds.record(
          context,
          queue,
          node,
          PacingInputs.record(context.attempt(), view, settings, snapshot, figures, decision),
          pause);
      lastView = view;
      lastNanos = now;
      if (decision.start().workers() > 0) {
        context.print("starting " + decision.start().workers() + ": " + decision.start().reason());
      }
      if (decision.leave()) {
        context.print("asking a worker to end: " + decision.start().reason());
      }
    }

    private static SessionPacingDecision decided(
        PacingView view,
        SegmentFigures figures,
        PacingSnapshot snapshot,
        PacingSettings settings,
        PacingState state) {
      if (view.consumingPaused()) {
        return new SessionPacingDecision(
            PacingDecision.paused(view.control().words(), state, snapshot.sinceLastTick()), false);
      }
      if (view.queue().ofSessions()) {
        int most = view.queue().sessionsPerWorker();
        return SessionPacing.decide(snapshot, figures.sessions(), most, settings, state);
      }
      return new SessionPacingDecision(
          PacingPolicy.named(settings.policy()).decide(snapshot, settings, state), false);
    }
  }

  /**
   * An external queue, observed by its command, in the figures of a segment. Arrivals and
   * completions are not known: they are derived from the change in waiting events and from the
   * events that finished workers may have taken. Used by one thread.
   */
  private static final class ExternalSource {
    private final ProgramContext context;
    private final String queue;
    private final String node;
    private long waitingBefore = -1;
    private long finishedBefore;
    private long inserted;
    private long acknowledged;
    private long waitingSince;

    ExternalSource(ProgramContext context, String queue, String node) {
      this.context = context;
      this.queue = queue;
      this.node = node;
    }

    /**
     * Runs the command.
     *
     * @throws MillraceException UNAVAILABLE when it fails or does not print a number
     * @throws InterruptedException when the attempt is stopped
     */
    SegmentFigures figures(PacingView view) throws InterruptedException {
      long waiting = waiting(view.queue());
      count(waiting, view);
      long now = context.nanoTime();
      waitingSince = waiting == 0 || waitingBefore <= 0 ? now : waitingSince;
      waitingBefore = waiting;
      double oldest = waiting == 0 ? 0 : Duration.ofNanos(now - waitingSince).toMillis() / 1e3;
      return new SegmentFigures(
          queue,
          node,
          0,
          0,
          waiting,
          0,
          0,
          0,
          oldest,
          0,
          inserted,
          0,
          acknowledged,
          0,
          0,
          List.of(),
          null,
          null);
    }

    /** Each finished worker is assumed to have done a full run, as far as there were events. */
    private void count(long waiting, PacingView view) {
      if (waitingBefore >= 0) {
        long finished = Math.max(0, view.finished() - finishedBefore);
        int capacity = view.queue().worker().capacity(view.queue().batch());
        long decrease = Math.max(0, waitingBefore - waiting);
        long done = Math.max(decrease, Math.min(finished * capacity, waitingBefore));
        acknowledged += done;
        inserted += Math.max(0, waiting - waitingBefore + done);
      } else {
        inserted = waiting;
      }
      finishedBefore = view.finished();
    }

    private long waiting(QueueDefinition queue) throws InterruptedException {
      SourceDefinition source = queue.source();
      CommandAnswer answer = context.command(QueueManagerSpecs.source(queue, node));
      if (answer.exitCode() != 0) {
        throw new MillraceException(
            ErrorCode.UNAVAILABLE,
            "%s failed with exit code %d: %s"
                .formatted(source.waiting(), answer.exitCode(), answer.lastLine()));
      }
      try {
        long waiting = Long.parseLong(answer.lastLine().strip());
        if (waiting >= 0) {
          return waiting;
        }
      } catch (NumberFormatException e) {
        // Reported below.
      }
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          "%s printed '%s' as its last line, not a number of waiting events"
              .formatted(source.waiting(), answer.lastLine()));
    }
  }
}
