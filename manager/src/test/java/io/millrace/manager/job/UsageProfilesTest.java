package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.Usage;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.manager.insight.WaitBench;
import io.millrace.manager.job.UsageProfile.Estimate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UsageProfilesTest {
  private static final long MB = 1L << 20;

  private final WaitBench bench = new WaitBench();

  @AfterEach
  void close() {
    bench.close();
  }

  private void run(String name, int times, Duration run, Usage usage) {
    for (int i = 0; i < times; i++) {
      long job = bench.submit(name);
      assertThat(bench.place()).isOne();
      bench.end(job, 1, Outcome.SUCCEEDED, run, usage);
    }
  }

  private Map<String, Long> booked(long job) {
    return bench.jobs.database.read(
        handle ->
            handle
                .createQuery("select cpu_millis, memory_bytes from job where id = :id")
                .bind("id", job)
                .map(
                    (row, context) ->
                        Map.of(
                            "cpu",
                            row.getLong("cpu_millis"),
                            "memory",
                            row.getLong("memory_bytes")))
                .one());
  }

  @Test
  void whatWasLearnedOnALargerNodeIsLimitedToTheLargestNodeThereIs() {
    bench.employ(JobBench.E1, "e1", new NodeCapacity(8, 4, 1024 * MB, null, false), Map.of());
    run("render", 3, Duration.ofSeconds(10), new Usage(35_000, 600 * MB, 0, 0));
    bench.employ(JobBench.E1, "e1", new NodeCapacity(8, 1.5, 512 * MB, null, false), Map.of());
    bench.clock.advance(Duration.ofSeconds(6));

    long job = bench.submit("render");

    assertThat(booked(job)).containsEntry("cpu", 1500L).containsEntry("memory", 512 * MB);
    assertThat(bench.place()).isOne();
  }

  @Test
  void what_earlier_runs_used_is_booked_for_a_job_that_states_nothing() {
    bench.employ(JobBench.E1, "e1", new NodeCapacity(8, 4, 1024 * MB, null, false), Map.of());
    run("render", 3, Duration.ofSeconds(10), new Usage(15_000, 400 * MB, 0, 0));
    bench.clock.advance(Duration.ofSeconds(6));

    long estimated = bench.submit("render");
    long stated =
        bench.submit(JobDraft.command("/bin/true").name("render").cpu(0.5).memory("64MB").spec());

    assertThat(booked(estimated)).isEqualTo(Map.of("cpu", 1500L, "memory", 512 * MB));
    assertThat(booked(stated)).isEqualTo(Map.of("cpu", 500L, "memory", 64 * MB));
  }

  @Test
  void workersOfATaskAreOneDefinitionWhateverTheirChunks() {
    assertThat(
            Stream.of("north", "south")
                .map(
                    chunk ->
                        bench
                            .jobs
                            .submit(
                                "task:count",
                                JobKind.SUBMITTED,
                                JobDraft.command("/bin/true")
                                    .name("count " + chunk)
                                    .env(Map.of("MILLRACE_CHUNK", chunk))
                                    .spec())
                            .get(0))
                .map(this::definition))
        .containsOnly("task:count/count worker");
  }

  private String definition(long job) {
    return bench.jobs.database.read(
        handle ->
            handle
                .createQuery("select definition from job where id = :id")
                .bind("id", job)
                .mapTo(String.class)
                .one());
  }

  @Test
  void a_node_takes_no_more_than_its_memory_holds_by_the_profiles() {
    bench.employ(JobBench.E1, "e1", new NodeCapacity(8, 0, 1200 * MB, null, false), Map.of());
    run("render", 3, Duration.ofSeconds(10), new Usage(0, 400 * MB, 0, 0));
    bench.clock.advance(Duration.ofSeconds(6));
    for (int i = 0; i < 4; i++) {
      bench.submit("render");
    }

    assertThat(bench.place()).isEqualTo(2);
  }

  @Test
  void runs_of_less_than_a_second_say_nothing_of_processors() {
    bench.employ(JobBench.E1, "e1", 8);
    run("short", 5, Duration.ofMillis(20), new Usage(20, 2 * MB, 0, 0));
    bench.clock.advance(Duration.ofSeconds(6));

    assertThat(booked(bench.submit("short"))).isEqualTo(Map.of("cpu", 0L, "memory", 16 * MB));
  }

  @Test
  void estimates_are_read_again_after_a_few_seconds() {
    bench.employ(JobBench.E1, "e1", 8);
    run("job", 3, Duration.ofSeconds(5), new Usage(5_000, 0, 0, 0));
    bench.clock.advance(Duration.ofSeconds(6));
    assertThat(estimate("ann/job").cpuMillis()).isEqualTo(1000);

    run("job", 40, Duration.ofSeconds(5), new Usage(10_000, 0, 0, 0));
    assertThat(estimate("ann/job").cpuMillis()).isLessThan(2000);

    bench.clock.advance(Duration.ofSeconds(6));
    assertThat(estimate("ann/job").cpuMillis()).isEqualTo(2000);
  }

  private Estimate estimate(String definition) {
    return bench
        .jobs
        .database
        .read(handle -> bench.profiles.of(handle, List.of(definition)))
        .get(definition);
  }

  @Test
  void profiles_of_definitions_that_run_no_more_are_deleted() {
    bench.employ(JobBench.E1, "e1", 8);
    run("job", 1, Duration.ofSeconds(5), null);
    UsageProfileDao store = new UsageProfileDao();

    int kept =
        bench.jobs.database.transaction(
            handle -> store.deleteUnused(handle, bench.jobs.database.now().minusSeconds(60), 10));
    int gone =
        bench.jobs.database.transaction(
            handle -> store.deleteUnused(handle, bench.jobs.database.now().plusSeconds(60), 10));

    assertThat(kept).isZero();
    assertThat(gone).isOne();
  }
}
