package io.millrace.manager.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.Outcome;
import io.millrace.manager.job.JobBench;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JobMetersTest {
  private final JobBench bench = JobBench.withTwoNodes(4);
  private final MeterRegistry registry = new SimpleMeterRegistry();

  @BeforeEach
  void measure() {
    bench.ledger.watch(new JobMeters(registry));
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void eachStepOfAJobIsCountedOnce() {
    long id = bench.submit(JobBench.command());
    bench.place();
    AttemptId attempt = new AttemptId(id, 1);
    bench.start(attempt);
    bench.end(attempt, Outcome.FAILED, 3);
    bench.ledger.retry(id, "ann");

    assertThat(count("millrace.jobs.submitted")).isEqualTo(1);
    assertThat(count("millrace.attempts.started")).isEqualTo(1);
    assertThat(count("millrace.attempts.ended", "outcome", "failed")).isEqualTo(1);
    assertThat(count("millrace.attempts.ended", "outcome", "succeeded")).isZero();
    assertThat(count("millrace.jobs.ended", "state", "failed")).isEqualTo(1);
    assertThat(count("millrace.jobs.retried")).isEqualTo(1);
    assertThat(registry.get("millrace.job.wait").tags("kind", "submitted").timer().count())
        .isEqualTo(1);
  }

  @Test
  void aRunTooShortForAReportOfItsStartHasWaitedToo() {
    long id = bench.submit(JobBench.command());
    bench.place();
    bench.end(new AttemptId(id, 1), Outcome.SUCCEEDED, 0);

    assertThat(count("millrace.attempts.started")).isEqualTo(1);
    assertThat(registry.get("millrace.job.wait").tags("kind", "submitted").timer().count())
        .isEqualTo(1);
    assertThat(
            registry
                .get("millrace.job.run")
                .tags("kind", "submitted")
                .timer()
                .totalTime(TimeUnit.SECONDS))
        .isEqualTo(1);
  }

  @Test
  void aTransactionThatIsRolledBackCountsNothing() {
    assertThatThrownBy(
            () ->
                bench.database.transaction(
                    handle -> {
                      bench.ledger.submit(
                          handle, JobKind.SUBMITTED, "ann", List.of(JobBench.command()));
                      throw new IllegalStateException("planned");
                    }))
        .hasMessage("planned");

    assertThat(count("millrace.jobs.submitted")).isZero();
  }

  private double count(String name, String... labels) {
    return registry.get(name).tags("kind", "submitted").tags(labels).counter().count();
  }
}
