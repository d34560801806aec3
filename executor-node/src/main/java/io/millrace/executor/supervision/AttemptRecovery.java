package io.millrace.executor.supervision;

import io.millrace.api.execution.CommandEnd;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.Usage;
import io.millrace.executor.supervision.AttemptRecords.Intent;
import io.millrace.executor.supervision.AttemptRecords.LaunchRecord;
import io.millrace.executor.supervision.ProcessTable.ProcessEntry;
import io.millrace.executor.supervision.ProcessTable.ProcessIdentity;
import io.millrace.executor.supervision.WatchedProcess.Watching;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Determines the state of the attempts of an earlier agent. */
final class AttemptRecovery {

  private static final Logger LOGGER = LoggerFactory.getLogger(AttemptRecovery.class);
  private static final Duration DEFAULT_GRACE = Duration.ofSeconds(10);

  private final Watching watching;
  private final Strays strays;

  AttemptRecovery(Watching watching, Strays strays) {
    this.watching = watching;
    this.strays = strays;
  }

  /**
   * Re-attaches to running attempts and kills the remaining processes of lost ones; blocks for the
   * latter.
   *
   * @param attempts the directories to examine
   */
  List<Recovered> recover(List<AttemptDirectory> attempts) {
    List<Recovered> found = new ArrayList<>();
    Map<AttemptId, AttemptRecords> missing = new HashMap<>();
    for (AttemptDirectory directory : attempts) {
      AttemptRecords records = new AttemptRecords(directory);
      try {
        known(records).ifPresentOrElse(found::add, () -> missing.put(directory.id(), records));
      } catch (IOException e) {
        LOGGER.warn("cannot read the records of attempt {}", directory.id(), e);
        missing.put(directory.id(), records);
      }
    }
    found.addAll(lost(missing));
    return found;
  }

  private Optional<Recovered> known(AttemptRecords records) throws IOException {
    Optional<Recovered> ended = ended(records);
    return ended.isPresent() ? ended : reattached(records);
  }

  private Optional<Recovered> ended(AttemptRecords records) throws IOException {
    AttemptId id = records.directory().id();
    if (!records.wasLaunched()) {
      // Certainly nothing of it ran: the job runs again, whatever its retries are.
      return Optional.of(
          new Recovered.Lost(
              id,
              ExitClassifier.neverBegan(
                  "the execution node's agent ended before the command was started",
                  watching.clock().now())));
    }
    Optional<Intent> intent = intent(records);
    Optional<Usage> usage = records.usage();
    return watching
        .words()
        .recorded(records, intent)
        .map(ending -> new Recovered.Ended(id, ending.withUsage(usage)));
  }

  /** Why Millrace or the kernel ended it, if recorded. */
  private Optional<Intent> intent(AttemptRecords records) throws IOException {
    Optional<Intent> intent = records.intent();
    if (intent.isPresent()) {
      return intent;
    }
    long limit = records.launch().map(LaunchRecord::memoryLimit).orElse(0L);
    return new MemoryLimit(records, limit, watching.groups())
        .group()
        .flatMap(group -> MemoryLimit.verdict(group, limit));
  }

  private Optional<Recovered> reattached(AttemptRecords records) throws IOException {
    Optional<ProcessIdentity> leader = records.supervisor().filter(watching.table()::isAlive);
    if (leader.isEmpty()) {
      return Optional.empty();
    }
    LaunchRecord launch =
        records
            .launch()
            .orElseGet(
                () ->
                    new LaunchRecord(
                        watching.clock().now(), Duration.ZERO, DEFAULT_GRACE, 0, Optional.empty()));
    WatchedProcess process = new WatchedProcess(records, launch, leader.get(), watching);
    process.adopt(records.intent(), records.usage());
    return Optional.of(new Recovered.Alive(process));
  }

  private List<Recovered> lost(Map<AttemptId, AttemptRecords> attempts) {
    if (attempts.isEmpty()) {
      return List.of();
    }
    Predicate<AttemptId> theirs = attempts::containsKey;
    Strays.Sweep sweep = strays.kill(theirs);
    List<Recovered> found = new ArrayList<>();
    attempts.forEach((id, records) -> found.add(lost(id, records, sweep)));
    return found;
  }

  private Recovered lost(AttemptId id, AttemptRecords records, Strays.Sweep sweep) {
    Instant now = watching.clock().now();
    List<ProcessEntry> survivors =
        sweep.survivors().stream().filter(e -> id.equals(sweep.found().get(e.pid()))).toList();
    try {
      // It may have ended, with a record, since the first check.
      Optional<Intent> intent = intent(records);
      Optional<Usage> usage = records.usage();
      Optional<CommandEnd> known =
          watching
              .words()
              .recorded(records, intent)
              .or(() -> intent.map(why -> ExitClassifier.killed(why, now)))
              .map(ending -> ending.withUsage(usage));
      if (known.isPresent()) {
        return new Recovered.Ended(id, ExitClassifier.unlessSurvived(known.get(), survivors));
      }
      CommandEnd lost = ExitClassifier.lost(lostMessage(records), now).withUsage(usage);
      return new Recovered.Lost(id, ExitClassifier.unlessSurvived(lost, survivors));
    } catch (IOException e) {
      String reason = "its records cannot be read (" + e + "); check this node's disk";
      return new Recovered.Lost(
          id, ExitClassifier.unlessSurvived(ExitClassifier.lost(reason, now), survivors));
    }
  }

  private String lostMessage(AttemptRecords records) throws IOException {
    boolean rebooted =
        records
            .supervisor()
            .filter(leader -> !leader.bootId().equals(watching.table().bootId()))
            .isPresent();
    return rebooted
        ? "the machine was restarted while it ran"
        : watching.words().withoutRecord(records);
  }
}
