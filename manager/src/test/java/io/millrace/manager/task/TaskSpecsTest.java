package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.notification.Notification;
import io.millrace.api.task.TaskDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TaskSpecsTest {
  private static final Instant PLANNED = Instant.parse("2026-03-01T02:00:00Z");

  @Test
  void theCommandOfAStepRunsAsTheWorkersDo() {
    JobSpec job =
        JobDraft.command("work")
            .env(Map.of("REGION", "eu"))
            .envFile("/etc/app.env")
            .secrets(Map.of("KEY", "key"))
            .cwd("/srv")
            .runAs("alice")
            .slots(2)
            .memory("512MB")
            .cpu(1.5)
            .resources(Map.of("gpu", 1))
            .licences(Map.of("solver", 2))
            .requires("cpus > 1")
            .rank("cpus")
            .pool("gpu")
            .priority(7)
            .timeout(Duration.ofMinutes(4))
            .grace(Duration.ofSeconds(20))
            .retry(RetryPolicy.upTo(3))
            .share("nightly")
            .tags(List.of("nightly"))
            .lane("nightly")
            .failover(Duration.ofMinutes(1))
            .notification(new Notification(Set.of(), List.of("mail"), null, null))
            .stdin("the workers' text")
            .idleExitCodes(List.of(3))
            .spec();

    JobSpec step = step(job);

    assertThat(step)
        .isEqualTo(
            job.draft()
                .argv(List.of("list"))
                .name("nightly list")
                .env(step.env())
                .stdin(null)
                .idleExitCodes(List.of())
                .spec());
    assertThat(step.env())
        .containsEntry("REGION", "eu")
        .containsEntry("MILLRACE_TASK", "nightly")
        .containsEntry("MILLRACE_TASK_RUN", "7");
  }

  @Test
  void aTaskWithABuiltinProgramMayHaveSteps() {
    JobSpec step = step(JobDraft.program("noop", "1s").priority(3).spec());

    assertThat(step.command()).containsExactly("list");
    assertThat(step.program()).isNull();
    assertThat(step.arguments()).isEmpty();
    assertThat(step.slots()).isEqualTo(1);
    assertThat(step.priority()).isEqualTo(3);
  }

  private static JobSpec step(JobSpec job) {
    TaskDefinition task =
        new TaskDefinition(
            "nightly", null, null, null, job, null, 1, null, null, false, null, null, null, null,
            null, null);
    return TaskSpecs.step(task, 7, PLANNED, "list", List.of("list"));
  }
}
