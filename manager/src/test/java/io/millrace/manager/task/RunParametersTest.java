package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.Json;
import io.millrace.api.job.JobSpec;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.TaskRunView;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunParametersTest {
  private static final RunParameters PARAMETERS =
      new RunParameters(
          Map.of("DAY", "2026-03-01", "DB_PASSWORD", "s3cret"), List.of("--full", "--token=abc"));

  @TempDir Path folder;
  private TaskWorld world;

  @BeforeEach
  void open() {
    world = new TaskWorld(folder);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void everyJobOfTheRunHasTheVariablesAndItsWorkersTheArguments() {
    world.apply(
        "{kind: task, name: t, job: {command: [work], env: {DAY: never, SIZE: '1'}},"
            + " chunks: {command: [list]}}");
    long run = world.service.run("t", PARAMETERS, "ann").id();
    world.tick(run);
    JobSpec list = spec(run);
    assertThat(list.command()).containsExactly("list");
    assertThat(list.env()).containsEntry("DAY", "2026-03-01").containsEntry("SIZE", "1");
    world.printed.add("a");
    world.succeed(world.live(run).get(0));
    world.tick(run);
    world.tick(run);
    JobSpec work = spec(run);
    assertThat(work.command()).containsExactly("work", "--full", "--token=abc");
    assertThat(work.env())
        .containsEntry("DB_PASSWORD", "s3cret")
        .containsEntry("DAY", "2026-03-01");
  }

  @Test
  void theRunShowsThemWithoutWhatLooksLikeASecretAndTheNextRunHasNone() {
    world.apply("{kind: task, name: t, job: {command: [work]}}");
    TaskRunView run = world.service.run("t", PARAMETERS, "ann");
    assertThat(run.parameters().env())
        .containsEntry("DAY", "2026-03-01")
        .containsEntry("DB_PASSWORD", "********");
    assertThat(run.parameters().arguments()).containsExactly("--full", "--token=********");
    assertThat(world.views.runs("t", null, 1).get(0).parameters()).isEqualTo(run.parameters());
    world.tick(run.id());
    world.succeed(world.live(run.id()).get(0));
    world.tick(run.id());
    TaskRunView next = world.service.run("t", RunParameters.NONE, "ann");
    assertThat(next.parameters()).isNull();
    world.tick(next.id());
    assertThat(spec(next.id()).command()).containsExactly("work");
  }

  @Test
  void aRerunOfFailedWorkHasTheParametersOfItsRun() {
    world.apply("{kind: task, name: t, job: {command: [work]}}");
    long run = world.service.run("t", PARAMETERS, "ann").id();
    world.tick(run);
    world.fail(world.live(run).get(0));
    world.tick(run);
    world.service.retry(run);
    world.tick(run);
    assertThat(spec(run).command()).endsWith("--token=abc");
  }

  @Test
  void whatTheDefinitionDoesNotAdmitIsRefusedAndNothingRuns() {
    world.apply("{kind: task, name: t, job: {command: [work], secrets: {PIN: pin}}}");
    world.apply("{kind: task, name: p, job: {program: noop}}");
    RunParameters pin = new RunParameters(Map.of("PIN", "1"), null);
    assertThatThrownBy(() -> world.service.run("t", pin, "ann"))
        .hasMessageContaining("PIN is one of the secrets of task t");
    RunParameters argument = new RunParameters(null, List.of("x"));
    assertThatThrownBy(() -> world.service.run("p", argument, "ann"))
        .hasMessageContaining("built-in program");
    assertThat(world.views.runs("t", null, 10)).isEmpty();
  }

  @Test
  void theyAreBoundedAndTheRefusalIsShort() {
    for (Map<String, String> wrong :
        List.of(
            Map.of("MILLRACE_TASK", "x"),
            Map.of("a b", "x"),
            Map.of("A".repeat(100_000), "x"),
            Map.of("A", "x".repeat(8_001)),
            Map.of("A", "x\0y"))) {
      assertThatThrownBy(() -> new RunParameters(wrong, null))
          .satisfies(refusal -> assertThat(refusal.getMessage().length()).isLessThan(400));
    }
    assertThatThrownBy(() -> new RunParameters(null, Collections.nCopies(51, "x")))
        .hasMessageContaining("at most 50");
    assertThatThrownBy(() -> new RunParameters(null, Collections.nCopies(50, "x".repeat(2_000))))
        .hasMessageContaining("together");
  }

  @Test
  void passwordsInAddressesAndAfterOptionsAreMasked() {
    RunParameters shown =
        new RunParameters(
                Map.of("SOURCE", "https://ann:pw@example.org/x"),
                List.of("--password", "pw", "--dry-run", "x=y"))
            .masked();
    assertThat(shown.env()).containsEntry("SOURCE", "https://********@example.org/x");
    assertThat(shown.arguments()).containsExactly("--password", "********", "--dry-run", "x=y");
  }

  private JobSpec spec(long run) {
    return Json.read(world.spec(world.live(run).get(0)), JobSpec.class);
  }
}
