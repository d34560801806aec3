package io.millrace.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobState;
import io.millrace.bench.job.RecordedJobDao.RecordedJob;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.LogStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks that every ended job has all of its records in the database and on its node. */
final class RecordCheck {
  private static final Set<JobState> ALL_STATES =
      EnumSet.of(JobState.WAITING, JobState.PLACED, JobState.SUCCEEDED);
  private static final String EXIT_RECORD = "exit";

  private final JobsCluster cluster;
  private final boolean commands;

  /**
   * A check.
   *
   * @param commands whether the jobs are commands, which leave files on their node
   */
  RecordCheck(JobsCluster cluster, boolean commands) {
    this.cluster = cluster;
    this.commands = commands;
  }

  /**
   * Checks each of the jobs.
   *
   * @throws MillraceException INTERNAL with the first job that lacks a record
   */
  void require(List<Long> ids) {
    List<RecordedJob> found = cluster.records().read(ids);
    if (found.size() != ids.size()) {
      throw missing((ids.size() - found.size()) + " jobs are not in the database");
    }
    for (RecordedJob job : found) {
      problem(job)
          .ifPresent(
              text -> {
                throw missing("job " + job.id() + " " + text);
              });
    }
  }

  private Optional<String> problem(RecordedJob job) {
    if (job.state() != JobState.SUCCEEDED) {
      return Optional.of("is " + MessageText.of(job.state()));
    }
    if (job.attemptState() != JobState.SUCCEEDED) {
      return Optional.of("has attempt %d in state %s".formatted(job.attempt(), job.attemptState()));
    }
    if (!job.history().containsAll(ALL_STATES)) {
      return Optional.of("has only the states %s in its history".formatted(job.history()));
    }
    return commands ? missingFile(job) : Optional.empty();
  }

  private Optional<String> missingFile(RecordedJob job) {
    AttemptDirectory files = cluster.nodes().files(job.node(), job.attemptId());
    List<Path> required =
        List.of(
            files.output(LogStream.STDOUT),
            files.output(LogStream.STDERR),
            files.path().resolve(EXIT_RECORD));
    return required.stream()
        .filter(file -> !Files.exists(file))
        .findFirst()
        .map(file -> "has no " + file);
  }

  private static MillraceException missing(String what) {
    return new MillraceException(ErrorCode.INTERNAL, what + "; the benchmark is invalid");
  }
}
