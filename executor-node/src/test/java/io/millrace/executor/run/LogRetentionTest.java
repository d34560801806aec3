package io.millrace.executor.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.Outcome;
import io.millrace.executor.run.LogRetention.LogRetentionSettings;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.platform.clock.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogRetentionTest {
  private static final Instant NOW = new SystemClock().now();

  @TempDir private Path root;

  @Test
  void deletesDirectoriesOfEarlierAgentsExceptUnreportedAttempts() throws IOException {
    Path oldWorker = ended(1, JobKind.WORKER, NOW.minusSeconds(20), true);
    Path lastWorker = ended(2, JobKind.WORKER, NOW.minusSeconds(10), true);
    Path oldJob = ended(3, JobKind.SUBMITTED, NOW.minus(Duration.ofDays(8)), true);
    Path unreported = ended(4, JobKind.SUBMITTED, NOW.minus(Duration.ofDays(8)), false);
    Path stranger = Files.createDirectory(root.resolve("not-an-attempt"));
    LogRetention retention =
        new LogRetention(
            "e1",
            root,
            new LogRetentionSettings(1, 100, 100, Duration.ofDays(7)),
            new SystemClock());

    retention.start();
    try {
      await().until(() -> !Files.exists(oldWorker) && !Files.exists(oldJob));
    } finally {
      retention.stop();
    }

    assertThat(lastWorker).exists();
    assertThat(unreported).exists();
    assertThat(stranger).exists();
  }

  private Path ended(int job, JobKind kind, Instant at, boolean reported) throws IOException {
    AttemptId attempt = new AttemptId(job, 1);
    AttemptDirectory directory = new AttemptDirectory(root, attempt);
    directory.create();
    KeptFile.RESULT.write(
        directory,
        new CompletedRun(
            attempt,
            kind,
            AttemptResult.of(Outcome.SUCCEEDED, null),
            at.minusSeconds(1),
            at,
            null,
            null));
    if (reported) {
      directory.markReported();
    }
    return directory.path();
  }
}
