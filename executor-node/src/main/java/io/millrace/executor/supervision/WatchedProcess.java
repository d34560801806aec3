package io.millrace.executor.supervision;

import io.millrace.api.job.AttemptId;
import io.millrace.api.quantity.Durations;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt from its start, or its re-attachment, to its ending.
 *
 * <p>All state is touched by the timer's thread only, which makes the order of events (the end, the
 * time limit, a request to stop) the order in which they are worked off.
 */
final class WatchedProcess implements SupervisedProcess {

  private static final Logger LOGGER = LoggerFactory.getLogger(WatchedProcess.class);

  private final AttemptRecords records;
  private final LaunchRecord launch;
  private final ProcessIdentity leader;
  private final Watching watching;
  private final CompletableFuture<Ending> ending = new CompletableFuture<>();
  private final List<SupervisionTimer.Cancellation> pending = new ArrayList<>();
  private Optional<Intent> intent = Optional.empty();
  private boolean reaping;

  WatchedProcess(
      AttemptRecords records, LaunchRecord launch, ProcessIdentity leader, Watching watching) {
    this.records = records;
    this.launch = launch;
    this.leader = leader;
    this.watching = watching;
  }

  /** Waits for a child of this very process. */
  void watch(Process child) {
    onTimer(
        () -> {
          limit(Duration.ZERO);
          CompletableFuture<Void> exit = child.onExit().thenRun(() -> onTimer(this::leaderEnded));
          pending.add(() -> exit.cancel(false));
        });
  }

  /** Takes over a process that an earlier agent started: nobody tells of its end, so look. */
  void adopt(Optional<Intent> begun) {
    onTimer(
        () -> {
          pending.add(watching.timer().every(watching.settings().pollInterval(), this::look));
          intent = begun;
          if (begun.isPresent()) {
            terminate();
          } else {
            limit(watching.table().age(leader));
          }
        });
  }

  @Override
  public AttemptId id() {
    return records.directory().id();
  }

  @Override
  public OptionalLong pid() {
    return OptionalLong.of(leader.pid());
  }

  @Override
  public Instant startedAt() {
    return launch.startedAt();
  }

  @Override
  public CompletableFuture<Ending> ending() {
    return ending;
  }

  @Override
  public void stop(StopReason reason) {
    onTimer(() -> end(new Intent(Ending.Kind.STOPPED, "stopped: " + reason.text())));
  }

  private void limit(Duration age) {
    Duration timeout = launch.timeout();
    if (timeout.isZero() || ending.isDone()) {
      return;
    }
    after(
        timeout.minus(age),
        () ->
            end(new Intent(Ending.Kind.TIMED_OUT, "timed out after " + Durations.format(timeout))));
  }

  private void end(Intent wanted) {
    // Once the leader is gone its end is already on the way and must not be told as ours.
    if (intent.isPresent() || reaping || ending.isDone() || !watching.table().isAlive(leader)) {
      return;
    }
    LOGGER.info("ending attempt {} (process group {}): {}", id(), leader.pid(), wanted.reason());
    intent = Optional.of(wanted);
    try {
      records.writeIntent(wanted);
    } catch (IOException e) {
      LOGGER.warn("cannot record why attempt {} is being ended; it is ended anyway", id(), e);
    }
    terminate();
  }

  private void terminate() {
    after(launch.grace(), this::reap);
    if (watching.table().isAlive(leader)) {
      watching.signals().terminate(List.of(leader.pid()));
    }
  }

  private void look() {
    if (!watching.table().isAlive(leader)) {
      leaderEnded();
    }
  }

  private void leaderEnded() {
    if (reaping || ending.isDone()) {
      return;
    }
    Optional<Ending> recorded = recorded();
    if (recorded.isPresent() && intent.isEmpty()) {
      // The supervising shell has killed its group after it wrote the record: nothing to look for.
      finish(recorded.get());
    } else {
      reap();
    }
  }

  private void reap() {
    if (reaping || ending.isDone()) {
      return;
    }
    reaping = true;
    watching
        .reaping()
        .reap(
            () -> watching.table().family(leader),
            survivors -> finish(Endings.unlessSurvived(forced(), survivors)));
  }

  private Ending forced() {
    Instant now = watching.clock().now();
    return recorded()
        .or(() -> intent.map(why -> Endings.killed(why, now)))
        .orElseGet(() -> Endings.lost(watching.words().withoutRecord(records), now));
  }

  private Optional<Ending> recorded() {
    try {
      return watching.words().recorded(records, intent);
    } catch (IOException e) {
      LOGGER.warn("cannot read how attempt {} ended", id(), e);
      return Optional.empty();
    }
  }

  private void finish(Ending how) {
    pending.forEach(SupervisionTimer.Cancellation::cancel);
    LOGGER.debug("attempt {} ended: {}", id(), how);
    watching.onEnding().accept(id());
    ending.complete(how);
  }

  private void after(Duration delay, Runnable step) {
    pending.add(watching.timer().after(delay, step));
  }

  private void onTimer(Runnable step) {
    watching.timer().soon(step);
  }
}
