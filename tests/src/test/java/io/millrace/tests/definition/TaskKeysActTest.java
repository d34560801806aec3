package io.millrace.tests.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunConduct;
import io.millrace.api.task.RunState;
import io.millrace.api.task.RunStep.StepState;
import io.millrace.api.task.TaskDefinition;
import io.millrace.api.task.TaskRunView;
import io.millrace.manager.partition.PartitionedRun;
import io.millrace.manager.partition.Ring;
import io.millrace.manager.schedule.DueDecision.NextStart;
import io.millrace.manager.schedule.DueRule;
import io.millrace.manager.schedule.DueRule.ScheduleSnapshot;
import io.millrace.manager.schedule.SchedulePlan;
import io.millrace.manager.task.RunRule;
import io.millrace.manager.task.TaskSpecs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every key of a task. Those of {@code job} reach its jobs; {@link JobKeysActTest} follows them.
 */
class TaskKeysActTest {
  private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant PLANNED = Instant.parse("2026-03-01T02:00:00Z");
  private static final String CHUNKS = "chunks: {range: 1-20}, instances: 4";
  private static final String RANGE = "chunks: {range: 1-20}";
  private static final String COMMAND = "chunks: {command: [list]}";
  private static final String PARTITION = "schedule: {every: 1h}, partition: {discover: [list]}";
  private static final String DAILY = "schedule: {cron: '30 2 * * *', zone: Europe/Amsterdam}";
  private static final String HOURLY = "schedule: {every: 1h}";
  private static final String ALL = "schedule: {every: 1h, catchUp: all}";
  private static final String PERPETUAL = "schedule: {perpetual: {}}";
  private static final String WINDOW = HOURLY + ", window: {from: '02:00', to: '06:00'}";
  private static final String ABOUT_A_TASK =
      "manager:notification/NotificationOutboxTest"
          + "#aNoticeAboutATaskIsPostedOnceAndRunsItsCommandAsTheUserOfTheTask";
  private static final String NOT_IN_TASKS = "are not allowed in tasks";

  private static final KeyProofs<TaskDefinition> PROOFS =
      ofJobs(
              new KeyProofs<>(
                  "{kind: task, name: nightly, job: {command: [work]}}",
                  AppliedText.as(TaskDefinition.class)))
          .acts("name", "other", TaskKeysActTest::jobs)
          .shown("description", "submit-cli:task/TaskCommandsTest#aTaskIsShownWithItsDescription")
          .acts("schedule.cron", DAILY, "30 3 * * *", TaskKeysActTest::times)
          .acts("schedule.every", HOURLY, "2h", TaskKeysActTest::times)
          .acts("schedule.zone", DAILY, "Asia/Tokyo", TaskKeysActTest::times)
          .acts("schedule.skipped", DAILY, "never", TaskKeysActTest::times)
          .acts("schedule.repeated", DAILY, "second", TaskKeysActTest::times)
          .refused("schedule.skipped", HOURLY, "never", "are only for cron")
          .acts("schedule.jitter", HOURLY, "7m", TaskKeysActTest::times)
          .refused("schedule.jitter", PERPETUAL, "7m", "perpetual does not have")
          .acts("schedule.overlap", HOURLY, "queue", TaskKeysActTest::times)
          .refused("schedule.overlap", PARTITION, "queue", "replaces the rest")
          .acts("schedule.catchUp", HOURLY, "all", TaskKeysActTest::times)
          .refused("schedule.catchUp", PERPETUAL, "all", "perpetual does not have")
          .acts("schedule.catchUpLimit", ALL, "2", TaskKeysActTest::times)
          .refused("schedule.catchUpLimit", HOURLY, "2", "applies to catchUp: all only")
          .acts("schedule.catchUpPauses", HOURLY, "true", TaskKeysActTest::times)
          .refused("schedule.catchUpPauses", PERPETUAL, "true", "perpetual does not have")
          .acts("schedule.perpetual.afterWork", PERPETUAL, "7s", TaskKeysActTest::times)
          .acts("schedule.perpetual.afterNothing", PERPETUAL, "7s", TaskKeysActTest::times)
          .acts("window.from", WINDOW, "01:00", TaskKeysActTest::times)
          .acts("window.to", WINDOW, "07:00", TaskKeysActTest::times)
          .shown(
              "window.atEnd",
              "manager:task/RunServiceTest#workLeftAtTheEndOfAWindowIsDoneByTheNextRun")
          .refused("window", "", "{from: '02:00', to: '06:00'}", "this task has no schedule")
          .shown(
              "workflow",
              "manager:task/WorkflowRunsTest#aRunSubmitsItsWorkflowWithThePlannedTimeAsRunKey")
          .refused("workflow", "", "{templates: {a: {job: {command: [a]}}}}", "exclude one another")
          .acts("instances", CHUNKS, "7", TaskKeysActTest::steps)
          .acts("exclusive", "false", TaskKeysActTest::jobs)
          .refused("exclusive", CHUNKS, "true", "requires one instance")
          .acts("chunks.list", "chunks: {list: [a, b]}", "[a, c]", TaskKeysActTest::chunks)
          .acts("chunks.range", RANGE, "1-20:3", TaskKeysActTest::chunks)
          .refused("chunks.range", RANGE, "1-20%5", "set instances")
          .acts("chunks.command", COMMAND, "[other]", TaskKeysActTest::jobs)
          .acts("untilDone", "true", TaskKeysActTest::steps)
          .acts("idleExitCodes", "[7]", TaskKeysActTest::jobs)
          .refused("idleExitCodes", "", "[0]", "contains 0")
          .acts("verify", "[check]", TaskKeysActTest::steps)
          .acts("verify", "verify: [check]", "[other]", TaskKeysActTest::jobs)
          .acts("endBy", CHUNKS, "'04:00'", TaskKeysActTest::steps)
          .refused("endBy", RANGE, "'04:00'", "raise instances")
          .acts("partition.discover", PARTITION, "[other]", TaskKeysActTest::jobs)
          .acts("partition.batch", PARTITION, "7", TaskKeysActTest::batches)
          .shown("notify.command", ABOUT_A_TASK)
          .shown("notify.webhook", ABOUT_A_TASK)
          .shown("notify.on", "manager:task/RunNoticesTest#missedTimesAreOneNoticeWithTheirNumber")
          .shown(
              "notify.lateAfter",
              "manager:task/RunNoticesTest#aRunThatWaitsTooLongIsLateUnlessItsTaskIsPaused")
          .shown(
              "notify.hungAfter", "manager:task/RunNoticesTest#aRunThatTakesTooLongIsNotifiedOnce")
          .refused("notify.lateAfter", "notify: {command: [mail]}", "7m", "notify.on contains late")
          .refused("notify.hungAfter", "notify: {command: [mail]}", "7m", "notify.on contains hung")
          .shown("timeout", "manager:task/RunServiceTest#aRunThatExceedsItsTimeoutFails");

  private static KeyProofs<TaskDefinition> ofJobs(KeyProofs<TaskDefinition> proofs) {
    String program = "job: {command: null, program: noop}";
    return proofs
        .acts("job.name", "other", TaskKeysActTest::jobs)
        .acts("job.command", "[other]", TaskKeysActTest::jobs)
        .acts("job.program", program, "other", TaskKeysActTest::jobs)
        .acts("job.arguments", program, "[one]", TaskKeysActTest::jobs)
        .acts("job.env", "{COLOR: red}", TaskKeysActTest::jobs)
        .acts("job.cwd", "/srv", TaskKeysActTest::jobs)
        .acts("job.slots", "7", TaskKeysActTest::jobs)
        .acts("job.priority", "7", TaskKeysActTest::jobs)
        .acts("job.pool", "other", TaskKeysActTest::jobs)
        .acts("job.timeout", "7s", TaskKeysActTest::jobs)
        .acts("job.grace", "7s", TaskKeysActTest::jobs)
        .acts("job.retry.max", "7", TaskKeysActTest::jobs)
        .acts("job.retry.backoff", "job: {retry: {max: 1}}", "7s", TaskKeysActTest::jobs)
        .acts("job.retry.maxBackoff", "job: {retry: {max: 1}}", "7s", TaskKeysActTest::jobs)
        .acts("job.retry.on", "[exit]", TaskKeysActTest::jobs)
        .acts("job.retry.exitCodes", "job: {retry: {max: 1}}", "[7]", TaskKeysActTest::jobs)
        .acts("job.retry.scale", "job: {retry: {max: 1}}", "2", TaskKeysActTest::jobs)
        .acts(
            "job.retry.fallback",
            "job: {retry: {max: 1, scale: 2}}",
            "[large]",
            TaskKeysActTest::jobs)
        .acts("job.retry.finalExitCodes", "job: {retry: {max: 1}}", "[7]", TaskKeysActTest::jobs)
        .acts("job.preferredNode", "q1", TaskKeysActTest::jobs)
        .acts("job.cpu", "0.7", TaskKeysActTest::jobs)
        .acts("job.memory", "700MB", TaskKeysActTest::jobs)
        .acts("job.resources", "{gpu: 1}", TaskKeysActTest::jobs)
        .acts("job.licences", "{solver: 1}", TaskKeysActTest::jobs)
        .acts("job.requires", "cpus > 1", TaskKeysActTest::jobs)
        .acts("job.rank", "cpus", TaskKeysActTest::jobs)
        .acts("job.share", "other", TaskKeysActTest::jobs)
        .acts("job.tags", "[nightly]", TaskKeysActTest::jobs)
        .acts("job.hold", "true", TaskKeysActTest::jobs)
        .acts("job.notBefore", "'2030-01-01T00:00:00Z'", TaskKeysActTest::jobs)
        .acts("job.lane", "other", TaskKeysActTest::jobs)
        .acts("job.failover", "7m", TaskKeysActTest::jobs)
        .acts("job.runAs", "alice", TaskKeysActTest::jobs)
        .acts("job.envFile", "/etc/nightly.env", TaskKeysActTest::jobs)
        .acts("job.secrets", "{KEY: key}", TaskKeysActTest::jobs)
        .acts("job.stdin", "text", TaskKeysActTest::jobs)
        .acts("job.notify.command", "[mail]", TaskKeysActTest::jobs)
        .acts("job.notify.webhook", "'https://example.org/'", TaskKeysActTest::jobs)
        .acts("job.notify.on", "job: {notify: {command: [mail]}}", "[late]", TaskKeysActTest::jobs)
        .acts(
            "job.notify.lateAfter",
            "job: {notify: {command: [mail], on: [late]}}",
            "7m",
            TaskKeysActTest::jobs)
        .refused(
            "job.notify.hungAfter",
            "job: {notify: {command: [mail]}}",
            "7m",
            "does not apply to a job")
        .refused("job.stdin", PARTITION, "text", "replaced by the resources")
        .refused("job.idleExitCodes", "", "[7]", "idleExitCodes of the task")
        .refused("job.deadline", "", "'2030-01-01T00:00:00Z'", "use timeout")
        .refused("job.failover", CHUNKS, "7m", "only for jobs with single or lane")
        .refused("job.single", "", "one", NOT_IN_TASKS)
        .refused("job.array", "", "1-3", NOT_IN_TASKS)
        .refused("job.after", "", "[{job: 1}]", NOT_IN_TASKS)
        .refused("job.input", "", "{queue: alert, node: q1}", NOT_IN_TASKS)
        .refused("job.restart", "", "true", NOT_IN_TASKS);
  }

  @Test
  void everyKeyHasAProof() {
    List<String> keys = DefinitionKeys.of(TaskDefinition.class);
    assertThat(PROOFS.lacking(keys)).as("keys without a proof that they act").isEmpty();
    assertThat(PROOFS.superfluous(keys)).as("proofs of keys that do not exist").isEmpty();
  }

  @TestFactory
  Stream<DynamicTest> everyKeyActsOrIsRefused() {
    return PROOFS.all();
  }

  /** The jobs of a run: its workers, the commands that list and verify, and its manager. */
  private static List<JobSpec> jobs(TaskDefinition task) {
    List<JobSpec> jobs = new ArrayList<>();
    jobs.add(TaskSpecs.worker(task, 7, PLANNED, null));
    jobs.add(TaskSpecs.worker(task, 7, PLANNED, "one"));
    if (task.chunks() != null && task.chunks().command() != null) {
      jobs.add(TaskSpecs.step(task, 7, PLANNED, "list", task.chunks().command()));
    }
    if (task.partition() != null) {
      jobs.add(TaskSpecs.step(task, 7, PLANNED, "list", task.partition().discover()));
    }
    if (task.verify() != null) {
      jobs.add(TaskSpecs.step(task, 7, PLANNED, "verify", task.verify()));
    }
    jobs.add(TaskSpecs.manager(task, 7, ""));
    return jobs;
  }

  private static List<String> chunks(TaskDefinition task) {
    return task.chunks().listed(0, 100);
  }

  private static List<String> batches(TaskDefinition task) {
    List<String> resources = List.of("a", "b", "c", "d", "e", "f", "g", "h");
    return PartitionedRun.batches(resources, Ring.of(List.of()), task.partition().batch());
  }

  /** What is started, and when, through changes of the clocks, outages, pauses and long runs. */
  private static List<Object> times(TaskDefinition task) {
    SchedulePlan plan = SchedulePlan.of(task.name(), task.schedule(), task.window(), FIRST);
    DueRule rule = new DueRule(Duration.ofMinutes(1));
    List<Object> seen = new ArrayList<>();
    for (String from : List.of("2026-03-28T00:00:00Z", "2026-10-24T00:00:00Z")) {
      Instant now = Instant.parse(from);
      for (int time = 0; time < 5 && now != null; time++) {
        now = plan.next(now).orElse(null);
        seen.add(now);
      }
    }
    NextStart first = rule.begin(plan, PLANNED, null);
    seen.add(first);
    seen.add(rule.afterRun(plan, first, PLANNED, true));
    seen.add(rule.afterRun(plan, first, PLANNED, false));
    seen.add(plan.catchesUpPauses());
    Instant outage = first.plannedAt().plus(Duration.ofHours(5));
    seen.add(
        rule.decide(plan, new ScheduleSnapshot(first.plannedAt(), outage, false, 0)).launches());
    seen.add(rule.decide(plan, new ScheduleSnapshot(first.plannedAt(), first.dueAt(), true, 0)));
    return seen;
  }

  /** What is started at the beginning of a run, in its middle, and at its end. */
  private static List<Object> steps(TaskDefinition task) {
    List<Object> seen = new ArrayList<>();
    seen.add(RunRule.next(new AttemptId(1, 1), view(task, 20, 0, 0)));
    seen.add(RunRule.next(new AttemptId(1, 1), view(task, 20, 20, 0)));
    seen.add(RunRule.next(new AttemptId(1, 1), view(task, 0, 0, 0)));
    return seen;
  }

  private static RunConduct view(TaskDefinition task, long total, long next, int running) {
    TaskRunView run =
        new TaskRunView(
            7,
            task.name(),
            1,
            RunCause.SCHEDULE,
            PLANNED,
            PLANNED,
            null,
            RunState.RUNNING,
            null,
            null,
            total,
            next,
            0,
            running,
            1L,
            null,
            1);
    return new RunConduct(
        run,
        task,
        0,
        next,
        true,
        StepState.NONE,
        StepState.NONE,
        0,
        0,
        0,
        600,
        task.endsBy(PLANNED),
        false,
        PLANNED);
  }
}
