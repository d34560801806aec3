package io.millrace.executor.agent;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.execution.RunningCommand;
import io.millrace.api.job.AttemptId;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.NodeRegistration.RegistrationAnswer;
import io.millrace.api.node.PollAnswer;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.node.PollAnswer.PollRequest;
import io.millrace.executor.agent.Backoff.OutageLog;
import io.millrace.executor.run.LogRetention;
import io.millrace.executor.run.NodeBackend;
import io.millrace.executor.run.Runners;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.DiskReserve;
import io.millrace.platform.data.RequestNumbers;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Waiter;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes over what an earlier agent left, registers the node, and then polls for work; a poll is
 * also the heartbeat (M-05, M-06, M-07).
 *
 * <p>While no central manager answers, running attempts continue and results are kept. One thread
 * besides the reporter's.
 */
public final class ExecutionAgent implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(ExecutionAgent.class);
  private static final Duration MAX_TIMEOUT = Duration.ofSeconds(20);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
  private static final Duration REPORT_AGAIN_AFTER = Duration.ofMillis(50);
  private static final Duration TO_END_STALE = Duration.ofMinutes(1);
  private static final Duration WHILE_STALE_END = Duration.ofMillis(250);
  private static final Duration TO_END_KILLED = Duration.ofSeconds(2);
  private static final Set<ErrorCode> REGISTER =
      EnumSet.of(ErrorCode.UNKNOWN_NODE, ErrorCode.STALE_REQUEST);
  private static final Duration TO_REPORT = Duration.ofSeconds(2);

  private final ExecutionAgentSettings settings;
  private final CentralClient central;
  private final RequestNumbers numbers;
  private final Supplier<URI> address;
  private final NodeBackend backend;
  private final HeldAttempts held;
  private final AttemptService attempts;
  private final Reporter reporter;
  private final ManagerContact contact;
  private final DiskReserve disk;
  private final Clock clock;
  private final Loop loop;
  private volatile boolean registered;
  // Used only by the loop's thread.
  private final ProgressScan progress;
  private final Waiter pause = new Waiter();
  private final Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
  private final OutageLog outage;
  private final Set<AttemptId> stopping = new HashSet<>();
  private Stale stale = Stale.NONE;
  private boolean reporting;
  private Duration timeout = Duration.ofSeconds(1);

  /**
   * Attempts that are no longer current and are being ended; until then the node accepts no new
   * ones.
   *
   * @param ended completed when they have ended
   * @param until when the node accepts new work even if they have not ended, by the clock's
   *     nanoseconds
   */
  private record Stale(List<AttemptId> attempts, CompletableFuture<Void> ended, long until) {
    static final Stale NONE = new Stale(List.of(), CompletableFuture.completedFuture(null), 0);
  }

  /**
   * Creates the agent.
   *
   * @param numbers numbers of its requests, which may arrive late or twice
   * @param address supplies the address at which the node serves logs, once it is known
   * @param backend runs its commands
   * @param meters count its attempts
   * @param disk whether there is space for new work
   */
  public ExecutionAgent(
      ExecutionAgentSettings settings,
      CentralClient central,
      RequestNumbers numbers,
      Supplier<URI> address,
      NodeBackend backend,
      Runners runners,
      SlotBook slots,
      HeldAttempts held,
      LogRetention retention,
      AttemptMeters meters,
      DiskReserve disk,
      Clock clock) {
    this.settings = settings;
    this.central = central;
    this.numbers = numbers;
    this.address = address;
    this.backend = backend;
    this.held = held;
    this.attempts = new AttemptService(runners, backend, slots, held, retention, meters);
    this.reporter = new Reporter(settings, central, clock, attempts, () -> registered = false);
    attempts.reportTo(reporter);
    this.contact =
        new ManagerContact(settings.name(), backend.leases(), attempts, held, central.servers());
    this.disk = disk;
    this.progress = new ProgressScan(backend::directory, clock);
    this.clock = clock;
    this.outage = new OutageLog(LOGGER, "talking to the central managers");
    this.loop = new Loop("agent-" + settings.name(), Duration.ZERO, this::step);
  }

  /** Takes over running attempts, kills stray processes, and continues in the background. */
  @Override
  public void start() {
    for (RunningCommand recovered : backend.recover()) {
      LOGGER.info(
          "taking over attempt {}: {}",
          recovered.id(),
          recovered.ending().isDone() ? recovered.ending().join() : "it runs");
      attempts.adopt(recovered);
    }
    backend.endOthers(new HashSet<>(held.ids()));
    contact.start();
    loop.start();
  }

  /**
   * Stops attempts, returns their events, reports and deregisters (M-12); or leaves everything to
   * the next agent, depending on the settings.
   */
  @Override
  public void stop() {
    loop.stop();
    try {
      if (settings.keepRunningOnStop()) {
        await(attempts.stopAll(message(), run -> !run.outlivesAgent()), settings.stopWithin());
        flush();
      } else {
        endAll();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    reporter.stop();
    contact.stop();
  }

  /** Whether a central manager knows this node. */
  public boolean isRegistered() {
    return registered;
  }

  private void step() throws InterruptedException {
    boolean known = registered;
    try {
      if (known) {
        poll();
      } else {
        register();
      }
      backoff.reset();
      outage.succeeded();
    } catch (RuntimeException e) {
      if (Thread.currentThread().isInterrupted()) {
        // The agent stops; the aborted call is not an outage.
        return;
      }
      if (known && e instanceof MillraceException refusal && REGISTER.contains(refusal.code())) {
        LOGGER.info("registering again: {}", refusal.getMessage());
        registered = false;
      } else {
        contact.notAnswered();
        progress.notAnswered();
        outage.failed(e);
        pause.await(contact.times().pause(backoff.next()));
      }
    }
  }

  private void register() throws InterruptedException {
    Duration sentAt = contact.now();
    // Attempts that have ended and were not reported are held too; otherwise they would be
    // considered lost.
    RegistrationAnswer answer =
        central.register(
            new NodeRegistration(
                settings.id(),
                settings.name(),
                address.get(),
                settings.capacity(),
                settings.pools(),
                settings.attributes(),
                settings.version(),
                held.ids()),
            numbers.next());
    CompletableFuture<Void> ended = attempts.disown(answer.end());
    stale = new Stale(answer.end(), ended, clock.nanoTime() + TO_END_STALE.toNanos());
    // After the above, so that attempts that are no longer current get no more time.
    contact.answered(sentAt, answer.lease());
    timeout = shorter(answer.heartbeat(), MAX_TIMEOUT);
    registered = true;
    if (!reporting) {
      reporting = true;
      reporter.start();
    }
    LOGGER.info("registered as {} ({})", settings.name(), settings.id());
  }

  private void poll() throws InterruptedException {
    boolean clear = !staleRuns();
    PollTimes times = contact.times();
    Duration wait = times.timeout(clear ? timeout : shorter(timeout, WHILE_STALE_END));
    boolean accepting = clear && disk.hasSpace();
    List<AttemptId> ids = held.ids();
    PollRequest request = new PollRequest(ids, wait, accepting, clock.now(), progress.due(ids));
    Duration sentAt = contact.now();
    PollAnswer answer = central.poll(settings.id(), request, numbers.next(), times.limit(wait));
    contact.answered(sentAt);
    progress.answered();
    boolean news = answer.stop().isEmpty() && answer.start().isEmpty();
    for (AttemptId attempt : answer.stop()) {
      news |= stopping.add(attempt);
      attempts.stop(attempt, "requested by a central manager");
    }
    for (Assignment assignment : answer.start()) {
      news |= attempts.accept(assignment);
    }
    stopping.retainAll(held.ids());
    if (!news) {
      // Answered at once with what was already known: without a pause the poll would be a busy
      // loop.
      pause.await(REPORT_AGAIN_AFTER);
    }
  }

  /** Whether the node still waits for the end of attempts that are no longer current. */
  private boolean staleRuns() {
    if (!stale.ended().isDone() && clock.nanoTime() - stale.until() < 0) {
      return true;
    }
    if (!stale.ended().isDone()) {
      LOGGER.warn("attempts {} that are no longer current have not ended yet", stale.attempts());
    }
    stale = Stale.NONE;
    return false;
  }

  private void endAll() throws InterruptedException {
    CompletableFuture<Void> ended = attempts.stopAll(message(), run -> true);
    if (!await(ended, settings.stopWithin())) {
      LOGGER.warn(
          "killing attempts that have not ended {} after they were stopped", settings.stopWithin());
      backend.endAll();
      await(ended, TO_END_KILLED);
    }
    flush();
    if (registered) {
      try {
        central.deregister(settings.id(), numbers.next());
      } catch (MillraceException e) {
        LOGGER.warn("could not deregister from the central managers: {}", e.getMessage());
      }
    }
  }

  // Before the node is registered no reports are accepted; results are kept on disk.
  private void flush() throws InterruptedException {
    if (registered) {
      reporter.flush(TO_REPORT);
    }
  }

  private String message() {
    return "execution node " + settings.name() + " was stopped";
  }

  private static boolean await(CompletableFuture<Void> ended, Duration timeout)
      throws InterruptedException {
    try {
      ended.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("results never fail", e);
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
