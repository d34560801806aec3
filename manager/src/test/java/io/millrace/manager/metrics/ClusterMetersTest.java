package io.millrace.manager.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.api.insight.Overview;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView.JobCounts;
import io.millrace.manager.metrics.ClusterMeters.ClusterSources;
import io.millrace.platform.clock.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClusterMetersTest {
  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private List<Alert> alerts = List.of();
  private RuntimeException failure;
  private int reads;

  private final ClusterMeters meters =
      new ClusterMeters(
          registry,
          new ClusterSources(
              this::overview,
              () -> Map.of(JobKind.WORKER, Map.of(JobState.RUNNING, 3L)),
              () -> 2,
              () -> Map.of("dispatch", 4L)),
          clock);

  private Overview overview() {
    reads++;
    if (failure != null) {
      throw failure;
    }
    JobCounts none = new JobCounts(0, 0, 0, 0, 0);
    return new Overview(
        Instant.EPOCH, "1", List.of(), List.of(), List.of(), List.of(), none, none, alerts);
  }

  @Test
  void jobsOfEveryKindAndStateAreShownThoseThatAreZeroToo() {
    meters.refresh();

    assertThat(value("millrace.jobs", "kind", "worker", "state", "running")).isEqualTo(3);
    assertThat(value("millrace.jobs", "kind", "submitted", "state", "failed")).isZero();
    assertThat(value("millrace.tasks.late")).isEqualTo(2);
    assertThat(value("millrace.claims.held", "duty", "dispatch")).isEqualTo(4);
  }

  @Test
  void aProblemThatIsGoneIsShownAsZero() {
    alerts = List.of(new Alert("TASK_LATE", "a", "late"), new Alert("TASK_LATE", "b", "late"));
    meters.refresh();
    assertThat(value("millrace.problems", "code", "TASK_LATE")).isEqualTo(2);

    alerts = List.of();
    meters.refresh();

    assertThat(value("millrace.problems", "code", "TASK_LATE")).isZero();
  }

  @Test
  void figuresThatCannotBeReadAnyMoreAreWithdrawnAndTheirAgeIsShown() {
    meters.refresh();
    failure = new IllegalStateException("no database");
    clock.advance(Duration.ofSeconds(20));
    assertThatThrownBy(meters::refresh).isEqualTo(failure);
    assertThat(registry.find("millrace.tasks.late").gauge()).isNotNull();

    clock.advance(Duration.ofSeconds(20));
    assertThatThrownBy(meters::refresh).isEqualTo(failure);

    assertThat(registry.find("millrace.tasks.late").gauge()).isNull();
    assertThat(age()).isEqualTo(40);

    failure = null;
    meters.refresh();
    assertThat(value("millrace.tasks.late")).isEqualTo(2);
    assertThat(age()).isZero();
  }

  @Test
  void nothingIsReadAndNothingOldIsShownWhileNobodyScrapes() {
    meters.refresh();
    clock.advance(Duration.ofMinutes(11));
    meters.refresh();
    assertThat(reads).isEqualTo(1);
    assertThat(registry.find("millrace.tasks.late").gauge()).isNull();

    age();
    meters.refresh();

    assertThat(reads).isEqualTo(2);
    assertThat(value("millrace.tasks.late")).isEqualTo(2);
  }

  @Test
  void aScrapeReadsNothingFromTheDatabase() {
    meters.refresh();

    registry.getMeters().forEach(meter -> meter.measure().forEach(one -> one.getValue()));

    assertThat(reads).isEqualTo(1);
  }

  private double age() {
    return value("millrace.cluster.figures.age.seconds");
  }

  private double value(String name, String... labels) {
    Gauge gauge = registry.get(name).tags(labels).gauge();
    return gauge.value();
  }
}
