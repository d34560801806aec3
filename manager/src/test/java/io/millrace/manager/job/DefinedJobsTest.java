package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyChange;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.definition.DefinitionView.RollbackRequest;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.manager.app.KnownKinds;
import io.millrace.manager.definition.Definitions;
import io.millrace.platform.clock.SystemClock;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code kind: job} in definition files. */
class DefinedJobsTest {
  private static final String REPORT =
      "{kind: job, name: report, command: [report, --all], retry: {max: 1, on: [signal, exit]}}";
  private static final String TASK =
      "{kind: task, name: nightly, job: {command: [work], retry: {max: 1, on: [signal, exit]}}}";

  private final JobBench bench = JobBench.withTwoNodes(4);
  private final Definitions definitions =
      new Definitions(
          bench.database,
          KnownKinds.all(new SystemClock()),
          () -> {},
          new DefinedJobs(bench.ledger));

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aVersionIsSubmittedOnceHoweverOftenItIsApplied() {
    ApplyChange first = apply(REPORT);
    ApplyChange again = apply(REPORT);

    assertThat(first.action()).isEqualTo(ApplyAction.CREATED);
    JobView job = bench.queries.view(first.job());
    assertThat(job.name()).isEqualTo("report");
    assertThat(job.owner()).isEqualTo("ann");
    assertThat(job.state()).isEqualTo(JobState.WAITING);
    assertThat(again.action()).isEqualTo(ApplyAction.UNCHANGED);
    assertThat(again.job()).isNull();
    assertThat(bench.totals().submitted().waiting()).isEqualTo(1);
  }

  @Test
  void aChangedDefinitionAndARollbackAreSubmittedAgain() {
    apply(REPORT);

    ApplyChange changed = apply(REPORT.replace("--all", "--some"));
    ApplyChange back =
        definitions.rollBack("job", "report", new RollbackRequest(null, false), "ann");

    assertThat(changed.version()).isEqualTo(2);
    assertThat(bench.queries.details(changed.job()).spec().command()).contains("--some");
    assertThat(back.version()).isEqualTo(3);
    assertThat(bench.queries.details(back.job()).spec().command()).contains("--all");
    assertThat(bench.totals().submitted().waiting()).isEqualTo(3);
  }

  @Test
  void aDryRunSubmitsNothing() {
    ApplyChange would = definitions.apply(request(true, REPORT), "ann").changes().get(0);

    assertThat(would.action()).isEqualTo(ApplyAction.CREATED);
    assertThat(would.job()).isNull();
    assertThat(bench.totals().submitted().waiting()).isZero();
  }

  @Test
  void nothingIsSubmittedUnlessAllFilesAreValid() {
    assertThatThrownBy(() -> definitions.apply(request(false, REPORT, "{kind: queue}"), "ann"))
        .hasMessageContaining("none of the definitions is accepted until these errors are fixed");
    assertThat(bench.totals().submitted().waiting()).isZero();
  }

  @Test
  void aRefusalNamesThePlaceAndTheKey() {
    String file =
        """
        kind: job
        command: [report]
        memory: 10KB
        deadline: 2020-01-01T00:00:00Z
        """;

    assertThatThrownBy(() -> definitions.apply(request(false, file), "ann"))
        .hasMessageContaining("0.yaml, document 1 (line 1): name is missing; kind job needs it")
        .hasMessageContaining("memory (line 3): use at least 1MB")
        .hasMessageContaining("deadline (line 4): 2020-01-01T00:00:00Z has passed");
    assertThatThrownBy(() -> apply("{kind: job, name: a b, command: [report]}"))
        .hasMessageContaining("name must be 1 to 60 letters");
  }

  @Test
  void equalDefinitionsAreEqualWhateverTheOrderOfTheirSets() {
    apply(TASK);

    assertThat(apply(TASK.replace("[signal, exit]", "[exit, signal]")).action())
        .isEqualTo(ApplyAction.UNCHANGED);
  }

  private ApplyChange apply(String file) {
    return definitions.apply(request(false, file), "ann").changes().get(0);
  }

  private static ApplyRequest request(boolean dryRun, String... files) {
    List<SourceFile> sources =
        IntStream.range(0, files.length)
            .mapToObj(i -> new SourceFile(i + ".yaml", files[i]))
            .toList();
    return new ApplyRequest(sources, dryRun);
  }
}
