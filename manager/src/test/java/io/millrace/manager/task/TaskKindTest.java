package io.millrace.manager.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.task.ScheduleDefinition.RepeatedTime;
import io.millrace.api.task.ScheduleDefinition.SkippedTime;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.app.KnownKinds;
import io.millrace.manager.definition.DefinitionParser;
import io.millrace.manager.definition.DefinitionParser.DefinitionReading;
import io.millrace.platform.clock.SystemClock;
import java.time.LocalTime;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskKindTest {
  @Test
  void timesOfDayNeedNoQuotes() {
    TaskDefinition task =
        task(
            """
            kind: task
            name: integrity
            schedule: {cron: 0 2 * * *, zone: Europe/Amsterdam}
            window:
              from: 02:00
              to: 06:00
              atEnd: STOP
            instances: 5
            job: {command: [check, '{chunk}']}
            chunks: {range: 1-500}
            endBy: 05:30
            """);

    assertThat(task.window().from()).isEqualTo(LocalTime.of(2, 0));
    assertThat(task.window().to()).isEqualTo(LocalTime.of(6, 0));
    assertThat(task.endBy()).isEqualTo(LocalTime.of(5, 30));
    assertThat(task.chunks().range().size()).isEqualTo(500);
  }

  @Test
  void allThatIsWrongWithAWorkflowIsToldTogether() {
    assertThat(
            read("""
                    kind: task
                    name: nightly
                    workflow:
                      arguments: {night: '{planned.day}'}
                      templates:
                        fetch: {job: {command: [fetch, '{nowhere}']}}
                        sum: {job: {command: [sum], env: {"A=B": x}}, needs: [fetsh]}
                      steps:
                        - {template: copy}
                    """)
                .problems())
        .anyMatch(one -> one.contains("{nowhere}"))
        .anyMatch(one -> one.contains("templates.sum.job") && one.contains("env"))
        .anyMatch(one -> one.contains("fetsh"))
        .anyMatch(one -> one.contains("there is no template 'copy'"))
        .anyMatch(one -> one.contains("of the planned time there are {planned}"));
  }

  @Test
  void aCycleOfListedStepsIsFoundWhenTheTaskIsApplied() {
    assertThat(
            read("""
                    kind: task
                    name: nightly
                    workflow:
                      templates: {copy: {job: {command: [copy, '{x}']}}}
                      steps:
                        - {name: a, template: copy, arguments: {x: 1}, needs: [b]}
                        - {name: b, template: copy, arguments: {x: 2}, needs: [a]}
                    """)
                .problems())
        .singleElement()
        .asString()
        .contains("workflow.steps")
        .contains("step 0 (a) needs step 1 (b) needs step 0 (a)");
  }

  @Test
  void aWorkflowThatCouldNeverStartIsRefusedWhenTheTaskIsApplied() {
    assertThat(
            read("""
                    kind: task
                    name: nightly
                    workflow:
                      templates:
                        many: {job: {command: [many, '{i}']}, each: {i: 1-3}}
                        use: {job: {command: [echo, '{many.path}']}, needs: [many]}
                    """)
                .problems())
        .singleElement()
        .asString()
        .contains("workflow.templates.use.job (line 6): '{many.path}' is a value of a step of")
        .contains("each step must need exactly one step of it");
    assertThat(
            read("""
                    kind: task
                    name: nightly
                    workflow:
                      templates: {copy: {job: {command: [copy, '{x}']}}}
                      steps:
                        - {template: copy, arguments: {x: 1}}
                        - {template: copy, arguments: {x: %s}}
                    """
                    .formatted("y".repeat(70_000)))
                .problems())
        .singleElement()
        .asString()
        .contains("workflow.steps[1].arguments (line 7): its arguments are longer than 65536");
  }

  @Test
  void aTaskHasEitherAJobOrAWorkflow() {
    String workflow = "workflow: {templates: {a: {job: {command: [a]}}}}\n";
    assertThat(read("kind: task\nname: both\njob: {command: [a]}\n" + workflow).problems())
        .singleElement()
        .asString()
        .contains("workflow and job exclude one another");
    for (String key :
        List.of(
            "instances: 2",
            "chunks: {range: 1-3}",
            "untilDone: true",
            "verify: [check]",
            "exclusive: true",
            "idleExitCodes: [3]",
            "schedule: {perpetual: {afterWork: 1s}}")) {
      assertThat(read("kind: task\nname: one\n" + workflow + key + "\n").problems())
          .describedAs(key)
          .isNotEmpty();
    }
    assertThat(read("kind: task\nname: one\n" + workflow).problems()).isEmpty();
  }

  @Test
  void errorsNameTheFieldAndLine() {
    assertThat(
            read("""
                    kind: task
                    name: integrity
                    schedule: {cron: 0 2 * * *}
                    window:
                      from: two
                      to: 06:00
                    job:
                      command: [check]
                      memory: much
                      slot: 3
                    chunks: {range: all}
                    """)
                .problems())
        .satisfiesExactlyInAnyOrder(
            words ->
                assertThat(words)
                    .contains("window.from (line 5)", "expected a time of day", "02:00"),
            words -> assertThat(words).contains("job.memory (line 9)", "much"),
            words -> assertThat(words).contains("job.slot (line 10)", "did you mean 'slots'"),
            words -> assertThat(words).contains("chunks.range (line 11)", "'all' is not an array"));
  }

  @Test
  void anUnknownChoiceNamesTheChoices() {
    assertThat(
            read("{kind: task, name: a, job: {command: [x]}, schedule: {every: 5m, overlap: maybe}}")
                .problems())
        .singleElement()
        .asString()
        .contains(
            "schedule.overlap", "expected one of", "found \"maybe\"", "skip", "queue", "replace");
  }

  @Test
  void choicesMayBeWrittenInSmallLetters() {
    TaskDefinition task =
        task("{kind: task, name: a, job: {command: [x]}, schedule: {every: 5m, overlap: queue}}");

    assertThat(task.schedule().overlap()).hasToString("QUEUE");
  }

  @Test
  void whatBecomesOfTimesThatTheClocksSkipOrRepeatIsChosenForEachTask() {
    TaskDefinition task =
        task(
            """
            kind: task
            name: a
            job: {command: [x]}
            schedule: {cron: 30 2 * * *, zone: Europe/London, skipped: never, repeated: both}
            """);

    assertThat(task.schedule().skipped()).isEqualTo(SkippedTime.NEVER);
    assertThat(task.schedule().repeated()).isEqualTo(RepeatedTime.BOTH);
    assertThat(schedule("cron: 30 2 * * *, skipped: after_gap")).isEmpty();
    assertThat(schedule("cron: 30 2 * * *, skipped: after-gap")).isEmpty();
    assertThat(schedule("cron: 30 2 * * *, repeated: twice"))
        .singleElement()
        .asString()
        .contains(
            "schedule.repeated", "expected one of", "found \"twice\"", "first", "second", "both");
    assertThat(schedule("every: 5m, skipped: never"))
        .singleElement()
        .asString()
        .contains("skipped and repeated are only for cron");
  }

  @Test
  void pausesAreCaughtUpOnlyWithACatchUpRule() {
    assertThat(schedule("every: 5m, catchUpPauses: true")).isEmpty();
    assertThat(schedule("every: 5m, catchUp: none, catchUpPauses: true"))
        .singleElement()
        .asString()
        .contains("catchUpPauses requires catchUp: last or all");
  }

  private static List<String> schedule(String settings) {
    return read("{kind: task, name: a, job: {command: [x]}, schedule: {" + settings + "}}")
        .problems();
  }

  @Test
  void aTaskWithOneInstanceIsExclusiveUnlessItSaysOtherwise() {
    assertThat(task("{kind: task, name: a, job: {command: [x]}}").exclusive()).isTrue();
    assertThat(task("{kind: task, name: a, job: {command: [x]}, exclusive: false}").exclusive())
        .isFalse();
    assertThat(task("{kind: task, name: a, job: {command: [x]}, instances: 2}").exclusive())
        .isFalse();
    assertThat(read("{kind: task, name: a, job: {command: [x], failover: 1h}}").problems())
        .isEmpty();
    assertThat(
            read("{kind: task, name: a, job: {command: [x]}, instances: 2, exclusive: true}")
                .problems())
        .singleElement()
        .asString()
        .contains("exclusive requires one instance");
    assertThat(
            read("{kind: task, name: a, job: {command: [x], failover: 1h}, exclusive: false}")
                .problems())
        .singleElement()
        .asString()
        .contains("job.failover");
  }

  @Test
  void aJobThatCouldNeverBeSubmittedIsRefusedOnApply() {
    assertThat(read("{kind: task, name: a, job: {command: [x], timeout: 0s}}").problems())
        .singleElement()
        .asString()
        .contains("job.timeout", "more than 0");
  }

  @Test
  void anInvalidCronExpressionIsRefusedOnApply() {
    assertThat(
            read("{kind: task, name: a, job: {command: [x]}, schedule: {cron: 0 25 * * *}}")
                .problems())
        .singleElement()
        .asString()
        .contains("schedule");
  }

  private static TaskDefinition task(String yaml) {
    DefinitionReading reading = read(yaml);
    assertThat(reading.problems()).isEmpty();
    return Json.read(reading.definitions().get(0).json(), TaskDefinition.class);
  }

  private static DefinitionReading read(String yaml) {
    return new DefinitionParser(KnownKinds.all(new SystemClock()))
        .read(List.of(new SourceFile("task.yaml", yaml)));
  }
}
