package io.millrace.executor.supervision;

import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.RunningCommand.StopReason;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.Usage;
import io.millrace.executor.supervision.AttemptRecords.Intent;
import io.millrace.executor.supervision.AttemptRecords.LaunchRecord;
import io.millrace.executor.supervision.ControlGroups.ControlGroup;
import io.millrace.executor.supervision.ExitClassifier.EndingMessages;
import io.millrace.executor.supervision.LogTrim.HolePunch;
import io.millrace.executor.supervision.ProcessTable.ProcessEntry;
import io.millrace.executor.supervision.ProcessTable.ProcessIdentity;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt from its start, or its re-attachment, to its ending.
 *
 * <p>All state is used by the timer's thread only, so that events (the end, the time limit, a stop)
 * take effect in the order in which they are processed.
 */
final class WatchedProcess implements SupervisedProcess {

  private static final Logger LOGGER = LoggerFactory.getLogger(WatchedProcess.class);
  private static final int SAMPLES_PER_RECORD = 10;

  private final AttemptRecords records;
  private final LaunchRecord launch;
  private final ProcessIdentity leader;
  private final Watching watching;
  private final Optional<ControlGroup> group;
  private final CompletableFuture<CommandEnd> ending = new CompletableFuture<>();
  private final List<SupervisionTimer.Cancellation> pending = new ArrayList<>();
  private Optional<Intent> intent = Optional.empty();
  private boolean killing;
  // Set once before it is published.
  private OutputStream input;
  private volatile Sampled sampled;

  WatchedProcess(
      AttemptRecords records, LaunchRecord launch, ProcessIdentity leader, Watching watching) {
    this.records = records;
    this.launch = launch;
    this.leader = leader;
    this.watching = watching;
    this.group = new MemoryLimit(records, launch.memoryLimit(), watching.groups()).group();
  }

  /**
   * Waits for a child of this very process.
   *
   * @param piped whether its input is a pipe from this process
   */
  void watch(Process child, boolean piped) {
    input = piped ? child.getOutputStream() : null;
    beginSampling(Optional.empty());
    onTimer(
        () -> {
          limit(Duration.ZERO);
          CompletableFuture<Void> exit = child.onExit().thenRun(() -> onTimer(this::leaderEnded));
          pending.add(() -> exit.cancel(false));
        });
  }

  /**
   * Takes over a process that an earlier agent started: its end is not signalled, so it is polled.
   */
  void adopt(Optional<Intent> recovered, Optional<Usage> before) {
    beginSampling(before);
    onTimer(
        () -> {
          pending.add(watching.timer().every(watching.settings().pollInterval(), this::poll));
          intent = recovered;
          if (recovered.isPresent()) {
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
  public CompletableFuture<Instant> started() {
    return CompletableFuture.completedFuture(launch.startedAt());
  }

  @Override
  public CompletableFuture<CommandEnd> ending() {
    return ending;
  }

  @Override
  public void stop(StopReason reason) {
    onTimer(
        () ->
            end(new Intent(CommandEnd.Kind.STOPPED, "stopped: " + reason.text()), this::terminate));
  }

  @Override
  public void timeOut(StopReason reason) {
    onTimer(
        () ->
            end(
                new Intent(CommandEnd.Kind.TIMED_OUT, "killed: " + reason.text()),
                this::terminate));
  }

  @Override
  public Optional<OutputStream> input() {
    return Optional.ofNullable(input);
  }

  private void limit(Duration age) {
    Duration timeout = launch.timeout();
    if (timeout.isZero() || ending.isDone()) {
      return;
    }
    after(
        timeout.minus(age),
        () -> end(Intent.timedOut(watching.table().age(leader), timeout), this::terminate));
  }

  private void beginSampling(Optional<Usage> before) {
    sampled =
        new Sampled(
            records,
            leader,
            group.isPresent() ? 0 : launch.memoryLimit(),
            used -> onTimer(() -> exceeded(used)),
            new LogTrim(records.directory(), watching.settings().logs(), watching.punch()),
            before,
            watching.settings().sampleInterval().multipliedBy(SAMPLES_PER_RECORD));
    watching.sampler().add(id(), sampled);
    launch.exclusion().ifPresent(one -> watching.leases().add(records, one, leader));
  }

  // Not asked first: until it had answered the machine might be out of memory.
  private void exceeded(long used) {
    end(Intent.memoryExceeded(launch.memoryLimit(), used), this::kill);
  }

  private void end(Intent requested, Runnable how) {
    // Once the leader has ended, its own end is about to be processed and must not be reported as
    // ours.
    if (intent.isPresent() || killing || ending.isDone() || !watching.table().isAlive(leader)) {
      return;
    }
    LOGGER.info("ending attempt {} (process group {}): {}", id(), leader.pid(), requested.reason());
    intend(requested);
    how.run();
  }

  private void intend(Intent requested) {
    intent = Optional.of(requested);
    try {
      records.writeIntent(requested);
    } catch (IOException e) {
      LOGGER.warn("cannot record why attempt {} is being ended; it is ended nevertheless", id(), e);
    }
  }

  private void terminate() {
    after(launch.grace(), this::kill);
    if (watching.table().isAlive(leader)) {
      watching.signals().terminate(List.of(leader.pid()));
    }
  }

  private void poll() {
    if (!watching.table().isAlive(leader)) {
      leaderEnded();
    }
  }

  private void leaderEnded() {
    if (killing || ending.isDone()) {
      return;
    }
    if (intent.isEmpty()) {
      group.flatMap(one -> MemoryLimit.verdict(one, launch.memoryLimit())).ifPresent(this::intend);
    }
    Optional<CommandEnd> recorded = recorded();
    if (recorded.isPresent() && intent.isEmpty() && group.isEmpty()) {
      // The supervising shell has killed its group after it wrote the record: there is nothing to
      // find.
      finish(recorded.get());
    } else {
      kill();
    }
  }

  private void kill() {
    if (killing || ending.isDone()) {
      return;
    }
    killing = true;
    watching
        .killer()
        .kill(
            this::remaining,
            survivors -> finish(ExitClassifier.unlessSurvived(forced(), survivors)));
  }

  private List<ProcessEntry> remaining() {
    List<ProcessEntry> remaining = new ArrayList<>(watching.table().family(leader));
    group.ifPresent(one -> addMembers(one, remaining));
    return remaining;
  }

  // The kernel kills them all at once; a process of theirs that is in another group goes as well.
  private void addMembers(ControlGroup one, List<ProcessEntry> remaining) {
    List<ProcessEntry> members =
        one.processes().stream()
            .flatMap(pid -> watching.table().find(pid).stream())
            .filter(entry -> entry.isAlive() && !remaining.contains(entry))
            .toList();
    if (!members.isEmpty()) {
      one.kill();
      remaining.addAll(members);
    }
  }

  private CommandEnd forced() {
    Instant now = watching.clock().now();
    intent = intent.or(this::recordedIntent);
    return recorded()
        .or(() -> intent.map(why -> ExitClassifier.killed(why, now)))
        .orElseGet(() -> ExitClassifier.lost(watching.words().withoutRecord(records), now));
  }

  private Optional<CommandEnd> recorded() {
    try {
      return watching.words().recorded(records, intent);
    } catch (IOException e) {
      LOGGER.warn("cannot read how attempt {} ended", id(), e);
      return Optional.empty();
    }
  }

  // The watchdog leaves a record before it kills.
  private Optional<Intent> recordedIntent() {
    try {
      return records.intent();
    } catch (IOException e) {
      LOGGER.warn("cannot read why attempt {} was ended", id(), e);
      return Optional.empty();
    }
  }

  private void finish(CommandEnd how) {
    pending.forEach(SupervisionTimer.Cancellation::cancel);
    watching.sampler().remove(id());
    watching.leases().remove(id());
    sampled.trim();
    CommandEnd exit = how.withUsage(sampled.usage()).withUsage(group.flatMap(MemoryLimit::peak));
    group.ifPresent(this::removeGroup);
    LOGGER.debug("attempt {} ended: {}", id(), exit);
    watching.onEnding().accept(id());
    ending.complete(exit);
  }

  // What was killed a moment ago is still leaving it; the next agent removes what stays.
  private void removeGroup(ControlGroup one) {
    if (!one.remove()) {
      watching.timer().after(watching.settings().pollInterval(), one::remove);
    }
  }

  private void after(Duration delay, Runnable step) {
    pending.add(watching.timer().after(delay, step));
  }

  private void onTimer(Runnable step) {
    watching.timer().execute(step);
  }

  /**
   * What all watched processes of a supervisor share.
   *
   * @param timer the one thread on which they change
   * @param sampler samples what they use
   * @param leases of single instances
   * @param groups limit memory where the machine has them
   * @param punch shortens outputs
   * @param onEnding called with each attempt just before its end is completed
   */
  record Watching(
      ProcessTable table,
      GroupSignals signals,
      SupervisionTimer timer,
      Clock clock,
      SupervisionSettings settings,
      EndingMessages words,
      Sampler sampler,
      ExclusionLeases leases,
      Optional<ControlGroups> groups,
      HolePunch punch,
      Consumer<AttemptId> onEnding) {

    GroupKiller killer() {
      return new GroupKiller(signals, timer, clock, settings);
    }
  }
}
