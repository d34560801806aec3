package io.millrace.executor.agent;

import io.millrace.api.Durations;
import io.millrace.api.execution.RunningCommand;
import io.millrace.api.execution.RunningCommand.StopReason;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.FailoverTime;
import io.millrace.api.job.JobSpec;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.executor.agent.AttemptMeters.Refusal;
import io.millrace.executor.agent.HeldAttempts.HeldAttempt;
import io.millrace.executor.agent.Reporter.Settlement;
import io.millrace.executor.run.AttemptRun;
import io.millrace.executor.run.CompletedRun;
import io.millrace.executor.run.LogRetention;
import io.millrace.executor.run.NodeBackend;
import io.millrace.executor.run.Runners;
import io.millrace.executor.run.Runners.AcceptedRun;
import io.millrace.executor.supervision.AttemptDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts attempts, from assignments and from an earlier agent, and follows each until the node is
 * done with it: its end is recorded by a central manager, or the attempt is disowned.
 */
final class AttemptService implements Settlement {
  private static final Logger LOGGER = LoggerFactory.getLogger(AttemptService.class);

  private final Runners runners;
  private final NodeBackend backend;
  private final SlotBook slots;
  private final HeldAttempts held;
  private final LogRetention retention;
  private final AttemptMeters meters;
  // Set once before any attempt is accepted; the two objects refer to each other.
  private Reporter reporter;

  AttemptService(
      Runners runners,
      NodeBackend backend,
      SlotBook slots,
      HeldAttempts held,
      LogRetention retention,
      AttemptMeters meters) {
    this.meters = meters;
    this.runners = runners;
    this.backend = backend;
    this.slots = slots;
    this.held = held;
    this.retention = retention;
  }

  void reportTo(Reporter chosen) {
    reporter = chosen;
  }

  /**
   * Starts an attempt, unless it is held.
   *
   * @return whether it was accepted; without free slots it is not, and is offered again
   */
  boolean accept(Assignment assignment) {
    AttemptId attempt = assignment.attempt();
    if (held.find(attempt).isPresent()) {
      return false;
    }
    if (!slots.book(attempt, assignment.spec().slots())) {
      meters.refused(Refusal.SLOTS);
      LOGGER.debug("no slots for attempt {} yet; it is offered again", attempt);
      return false;
    }
    AcceptedRun accepted = runners.start(assignment);
    meters.accepted(accepted);
    hold(accepted);
    return true;
  }

  /** Takes over an attempt of an earlier agent. */
  void adopt(RunningCommand recovered) {
    AcceptedRun accepted = runners.reattach(recovered);
    slots.restore(recovered.id(), accepted.record().slots());
    meters.adopted();
    hold(accepted);
  }

  /** Stops an attempt; it ends as any other and is reported. */
  void stop(AttemptId attempt, String reason) {
    held.run(attempt).ifPresent(run -> run.stop(new StopReason(reason)));
  }

  /** Stops the selected attempts; completed when all of their ends can be reported. */
  CompletableFuture<Void> stopAll(String reason, Predicate<AttemptRun> chosen) {
    List<HeldAttempt> attempts =
        held.all().stream().filter(attempt -> chosen.test(attempt.run())).toList();
    attempts.forEach(attempt -> attempt.run().stop(new StopReason(reason)));
    return ended(attempts);
  }

  /** Stops single instances whose time without contact to a central manager is nearly over. */
  void stopUnreachable(Duration silence, Duration lease) {
    for (HeldAttempt attempt : held.all()) {
      if (!attempt.run().result().isDone() && Failover.isDue(attempt.spec(), silence, lease)) {
        attempt.run().stop(new StopReason(Failover.message(silence)));
      }
    }
  }

  /** Ends attempts that are no longer current, without reporting them. */
  CompletableFuture<Void> disown(Collection<AttemptId> attempts) {
    List<HeldAttempt> disowned =
        attempts.stream().flatMap(attempt -> held.find(attempt).stream()).toList();
    disowned.forEach(this::disown);
    return ended(disowned);
  }

  @Override
  public void recorded(CompletedRun result) {
    AttemptDirectory directory = backend.directory(result.attempt());
    if (Files.isDirectory(directory.path())) {
      try {
        directory.markReported();
      } catch (IOException e) {
        LOGGER.warn(
            "cannot mark attempt {} as reported; it will be reported again", result.attempt(), e);
      }
      retention.ended(result);
    }
    held.remove(result.attempt());
  }

  @Override
  public void refused(AttemptId attempt) {
    meters.refused(Refusal.STALE);
    LOGGER.info("attempt {} is no longer current; it is stopped and removed", attempt);
    held.find(attempt).ifPresent(this::disown);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // neither future fails
  private void hold(AcceptedRun accepted) {
    HeldAttempt attempt = new HeldAttempt(accepted.run(), accepted.record().assignment().spec());
    held.add(attempt);
    AttemptRun run = accepted.run();
    run.started().thenAccept(at -> reporter.started(run.attempt(), at));
    run.result().thenAccept(result -> ended(attempt, result));
  }

  private void ended(HeldAttempt attempt, CompletedRun result) {
    slots.free(result.attempt());
    meters.ended(result, backend.directory(result.attempt()));
    attempt.ended(result, reporter::ended, this::dispose);
  }

  private void disown(HeldAttempt attempt) {
    attempt.disown();
    AttemptRun run = attempt.run();
    backend.leases().outdated(run.attempt());
    run.stop(new StopReason("the attempt is no longer current"));
    if (run.result().isDone()) {
      dispose(run.result().join());
    }
  }

  private void dispose(CompletedRun result) {
    reporter.withdraw(result.attempt());
    held.remove(result.attempt());
    try {
      backend.directory(result.attempt()).delete();
    } catch (IOException e) {
      LOGGER.warn("cannot delete the files of attempt {}", result.attempt(), e);
    }
  }

  private static CompletableFuture<Void> ended(List<HeldAttempt> attempts) {
    return CompletableFuture.allOf(
        attempts.stream().map(HeldAttempt::passedOn).toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Decides when a single instance has to end because no central manager answers. Pure. Its
   * watchdog kills it at the deadline; shortly before it is stopped, so that it can end in an
   * orderly way.
   */
  static final class Failover {
    private static final int SHARE_FOR_ENDING = 12;

    private Failover() {}

    /**
     * Whether it is to be stopped now.
     *
     * @param silence since the last answered call was sent
     * @param lease the node's; no failover is shorter
     */
    static boolean isDue(JobSpec spec, Duration silence, Duration lease) {
      if (!spec.exclusive()) {
        return false;
      }
      Duration deadline = FailoverTime.of(spec.failover(), lease);
      Duration share = deadline.dividedBy(SHARE_FOR_ENDING);
      Duration toEnd = spec.grace().compareTo(share) < 0 ? spec.grace() : share;
      return silence.compareTo(deadline.minus(toEnd)) >= 0;
    }

    static String message(Duration silence) {
      return "no central manager has answered for "
          + Durations.format(Duration.ofSeconds(silence.toSeconds()))
          + ", and its failover time is nearly over";
    }
  }
}
