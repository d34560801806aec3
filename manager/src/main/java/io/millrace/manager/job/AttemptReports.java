package io.millrace.manager.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.AttemptReport;
import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobWatcher.StartedAttempt;
import io.millrace.manager.job.ProgressDao.Started;
import io.millrace.manager.job.WorkerDao.WorkerProgress;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;

/**
 * Records a node's reports of starts and ends (M-11). Only reports about the job's current attempt
 * on that node count; any other is refused and changes nothing. Thread-safe; blocks on the
 * database.
 */
public final class AttemptReports {
  /** Most reports in one request. */
  public static final int MAX = 1000;

  // As nodes take them from the file, whose bytes are at least as many.
  private static final int LONGEST_OUTPUTS = 64 * 1024;
  private static final Pattern OUTPUT_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,59}");

  private static final Set<Outcome> NEVER_STARTED =
      EnumSet.of(Outcome.START_FAILED, Outcome.LOST, Outcome.STOPPED);

  private final Database database;
  private final DatabaseTime time;
  private final JobDao jobs = new JobDao();
  private final ProgressDao progress = new ProgressDao();
  private final HistoryDao history = new HistoryDao();
  private final WorkerDao workers = new WorkerDao();
  private final AttemptDao attempts = new AttemptDao();
  private final EndedElements endedElements = new EndedElements();
  private final StopReasons stopReasons = new StopReasons();
  private final Lanes lanes;
  private final AttemptCompletion ends;
  private final JobWatcher watcher;

  AttemptReports(Database database, Lanes lanes, AttemptCompletion ends, JobWatcher watcher) {
    this.database = database;
    this.lanes = lanes;
    this.time = new DatabaseTime(database.dialect());
    this.ends = ends;
    this.watcher = watcher;
  }

  /**
   * Records current reports in one transaction; returns the attempts whose reports were refused.
   *
   * @throws MillraceException INVALID_REQUEST for too many reports, or values of a step that no
   *     node reads: 64 KB together, names of up to 60 letters, digits, dashes and underscores
   */
  public List<AttemptId> take(UUID node, List<AttemptReport> reports) {
    if (reports.size() > MAX) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "reports: %d in one request; send at most %d".formatted(reports.size(), MAX));
    }
    reports.forEach(AttemptReports::requireOutputs);
    Map<AttemptId, AttemptReport> latest = latest(reports);
    return database.transaction(handle -> record(handle, node, latest));
  }

  private static void requireOutputs(AttemptReport report) {
    if (report.outputs() == null) {
      return;
    }
    long length = 0;
    for (Map.Entry<String, String> output : report.outputs().entrySet()) {
      if (!OUTPUT_NAME.matcher(output.getKey()).matches()) {
        throw refuseOutputs(
            report, "'%s' is not the name of a value".formatted(ShownText.of(output.getKey())));
      }
      length += output.getKey().length() + output.getValue().length();
    }
    if (length > LONGEST_OUTPUTS) {
      throw refuseOutputs(
          report, "%d characters; at most %d are allowed".formatted(length, LONGEST_OUTPUTS));
    }
  }

  private static MillraceException refuseOutputs(AttemptReport report, String rule) {
    return new MillraceException(
        ErrorCode.INVALID_REQUEST,
        "outputs of attempt %d of job %d: %s"
            .formatted(report.attempt().number(), report.attempt().job(), rule));
  }

  // The report of an end contains all that the report of the start before it contained.
  private static Map<AttemptId, AttemptReport> latest(List<AttemptReport> reports) {
    Map<AttemptId, AttemptReport> latest = new LinkedHashMap<>();
    for (AttemptReport report : reports) {
      latest.merge(report.attempt(), report, (old, next) -> old.ended() ? old : next);
    }
    return latest;
  }

  private List<AttemptId> record(Handle handle, UUID node, Map<AttemptId, AttemptReport> reports) {
    List<Long> ids = reports.keySet().stream().map(AttemptId::job).distinct().toList();
    lanes.lockOf(handle, ids);
    List<JobFacts> locked = jobs.lock(handle, ids);
    List<Accepted> accepted = new ArrayList<>(reports.size());
    Set<AttemptId> refused = new LinkedHashSet<>(reports.keySet());
    Instant now = time.now(handle);
    for (JobFacts job : locked) {
      if (job.live() && node.toString().equals(job.nodeId())) {
        AttemptId attempt = new AttemptId(job.id(), job.attempt());
        AttemptReport report = reports.get(attempt);
        if (report != null) {
          refused.remove(attempt);
          accepted.add(new Accepted(job, report, startedAt(job, report, now)));
        }
      }
    }
    List<AttemptReport> repeated =
        refused.stream().map(reports::get).filter(AttemptReport::ended).toList();
    refused.removeAll(attempts.alreadyReported(handle, node, repeated));
    refused.removeAll(
        endedElements.alreadyReported(
            handle,
            node,
            repeated.stream().filter(report -> refused.contains(report.attempt())).toList()));
    recordStarts(handle, accepted, now);
    watcher.outputsReported(handle, outputs(accepted));
    List<EndedAttempt> ended =
        accepted.stream().filter(Accepted::ends).map(one -> one.end(now)).toList();
    ends.end(handle, stopReasons.explain(handle, ended), now);
    accepted.stream()
        .filter(Accepted::ends)
        .forEach(one -> ProgressReports.ended(handle, one.job(), one.report(), now));
    return List.copyOf(refused);
  }

  private static Map<JobFacts, Map<String, String>> outputs(List<Accepted> accepted) {
    Map<JobFacts, Map<String, String>> outputs = new LinkedHashMap<>();
    for (Accepted one : accepted) {
      Map<String, String> values = one.report().outputs();
      if (one.ends()
          && values != null
          && one.job().array() != null
          && one.report().result().outcome().success()) {
        outputs.put(one.job(), values);
      }
    }
    return outputs;
  }

  private void recordStarts(Handle handle, List<Accepted> accepted, Instant now) {
    WorkerProgress worker = new WorkerProgress();
    List<StartedAttempt> all = new ArrayList<>();
    List<Started> starts = new ArrayList<>();
    List<Line> lines = new ArrayList<>();
    for (Accepted one : accepted) {
      JobFacts job = one.job();
      if (job.state() == JobState.PLACED && one.startedAt() != null) {
        worker.started(job, one.startedAt());
        all.add(new StartedAttempt(job, one.startedAt()));
        if (!one.ends()) {
          starts.add(new Started(job, one.startedAt()));
          // The line of an element of an array is derived from its attempt, see ElementHistory.
          if (job.array() == null) {
            lines.add(
                new Line(
                    job.id(),
                    JobState.RUNNING,
                    job.attempt(),
                    JobMessages.startedOn(job.nodeName())));
          }
        }
      }
    }
    progress.start(handle, starts);
    history.write(handle, lines, now);
    workers.add(handle, worker.bySegment());
    watcher.attemptsStarted(handle, all);
  }

  private static Instant startedAt(JobFacts job, AttemptReport report, Instant now) {
    if (job.state() == JobState.RUNNING) {
      return job.startedAt();
    }
    AttemptResult result = report.result();
    if (report.ended() && NEVER_STARTED.contains(result.outcome()) && result.runMillis() == 0) {
      return null;
    }
    return now.minusMillis(report.startedAgoMillis());
  }

  /** A report of a current attempt. */
  private record Accepted(JobFacts job, AttemptReport report, Instant startedAt) {
    boolean ends() {
      return report.ended();
    }

    EndedAttempt end(Instant now) {
      return new EndedAttempt(job, report.result(), startedAt, endedAt(now), true);
    }

    // How long the start's own report took to arrive is unknown: by it, a short attempt may have
    // started after its end.
    private Instant endedAt(Instant now) {
      Instant ended = now.minusMillis(report.endedAgoMillis());
      if (startedAt == null || !ended.isBefore(startedAt)) {
        return ended;
      }
      Instant lasted = startedAt.plusMillis(report.result().runMillis());
      return lasted.isAfter(now) ? startedAt : lasted;
    }
  }

  /** Adds the reason for a stop to the end of an attempt; its node does not know it. */
  private static final class StopReasons {
    private final BookingDao bookings = new BookingDao();

    List<EndedAttempt> explain(Handle handle, List<EndedAttempt> ends) {
      List<Long> stopped =
          ends.stream().filter(StopReasons::stopped).map(end -> end.job().id()).toList();
      Map<Long, String> reasons = bookings.stopReasons(handle, stopped);
      if (reasons.isEmpty()) {
        return ends;
      }
      return ends.stream()
          .map(end -> stopped(end) ? explained(end, reasons.get(end.job().id())) : end)
          .toList();
    }

    private static boolean stopped(EndedAttempt end) {
      return end.result().outcome() == Outcome.STOPPED;
    }

    private static EndedAttempt explained(EndedAttempt end, String reason) {
      return reason == null ? end : end.withResult(end.result().withReason(reason));
    }
  }
}
