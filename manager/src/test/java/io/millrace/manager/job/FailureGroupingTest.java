package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.insight.FailureGroups;
import io.millrace.api.insight.FailureGroups.FailureGroup;
import io.millrace.api.insight.FailureGroups.FailureSample;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.AttemptReport;
import io.millrace.manager.job.FailureText.Cause;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailureGroupingTest {
  private static final String TRACEBACK =
      """
      Traceback (most recent call last):
        File "/srv/load.py", line %d, in <module>
      ValueError: bad row %d in batch 7f3a9c2e1b

      """;
  private static final String STACK =
      """
      Exception in thread "main" java.lang.IllegalStateException: no disk 3
      \tat org.example.Main.run(Main.java:7)
      \tat org.example.Main.main(Main.java:3)
      \t... 12 common frames omitted, and more
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "row 17 of 20,000 is bad | row # of # is bad",
        "2026-11-25 14:03:02,117 ERROR no route to 10.0.0.7:7700 | # ERROR no route to #",
        "14:03:02.117 timeout | # timeout",
        "request 1b4e28ba-2fa1-11d2-883f-0016d3cca427 lost | request # lost",
        "segfault at 0xdeadBEEF | segfault at #",
        "commit 7f3a9c2e1b | commit #",
        "the facade is added | the facade is added",
        "tab\tand   blanks | tab and blanks",
      })
  void whatDiffersBetweenFailuresOfOneCauseIsLeftOut(String line, String common) {
    assertThat(FailureText.common(line)).isEqualTo(common);
  }

  @Test
  void coloursAreLeftOutAndLongLinesAreCut() {
    assertThat(FailureText.common("\u001b[1;31mno paper\u001b[0m")).isEqualTo("no paper");
    assertThat(FailureText.common("x".repeat(100_000))).hasSize(200);
  }

  @Test
  void theLastLineThatSaysSomethingIsCompared() {
    assertThat(FailureText.of(Outcome.FAILED, 1, null, null, TRACEBACK.formatted(3, 17)))
        .isEqualTo(new Cause("exit code 1", "ValueError: bad row # in batch #"))
        .isEqualTo(FailureText.of(Outcome.FAILED, 1, null, null, TRACEBACK.formatted(4, 18)));
    assertThat(FailureText.of(Outcome.FAILED, 1, null, null, STACK).line())
        .isEqualTo("Exception in thread \"main\" java.lang.IllegalStateException: no disk #");
  }

  @Test
  void howItEndedIsPartOfTheCause() {
    assertThat(FailureText.of(Outcome.SIGNALLED, null, 9, null, null))
        .isEqualTo(new Cause("signal 9 (KILL)", ""));
    assertThat(FailureText.of(Outcome.MEMORY_EXCEEDED, null, 9, "killed: memory 64MB", "step 3"))
        .isEqualTo(new Cause("memory limit", "step #"));
    assertThat(FailureText.of(Outcome.TIMED_OUT, null, 15, null, null).cause())
        .isEqualTo("time limit");
    assertThat(FailureText.of(null, null, null, "its deadline passed", null))
        .isEqualTo(new Cause("not started", "its deadline passed"));
  }

  @Test
  void theReasonOfADeadLetterHasItsCause() {
    assertThat(FailureText.ofReason("exited with code 3: one\ntwo\nno paper in tray 4"))
        .isEqualTo(new Cause("exit code 3", "no paper in tray #"));
    assertThat(FailureText.ofReason("ended by signal 11 (SEGV): last words"))
        .isEqualTo(new Cause("signal 11 (SEGV)", "last words"));
    assertThat(FailureText.ofReason("killed: ran 61s, limit 1m: step 4"))
        .isEqualTo(new Cause("time limit", "step #"));
    assertThat(FailureText.ofReason("too large")).isEqualTo(new Cause("refused", "too large"));
    assertThat(FailureText.ofReason(null)).isEqualTo(new Cause("no reason", ""));
  }

  @Test
  void groupsAreOrderedByTheirSizeAndNameTheirNewestFailures() {
    FailureGrouping grouping = new FailureGrouping();
    grouping.add(new Cause("exit code 2", ""), sample("9"));
    for (int i = 30; i > 0; i--) {
      grouping.add(new Cause("exit code 1", "bad"), sample("17[" + i + "]"));
    }
    FailureGroups groups = grouping.answer(false, List.of());
    assertThat(groups.failures()).isEqualTo(31);
    assertThat(groups.groups()).extracting(FailureGroup::count).containsExactly(30L, 1L);
    FailureGroup first = groups.groups().get(0);
    assertThat(first.items()).hasSize(FailureGrouping.MAX_ITEMS).startsWith("17[30]", "17[29]");
    assertThat(first.sample().item()).isEqualTo("17[30]");
  }

  @Test
  void memoryDoesNotGrowWithCausesOrOutput() {
    FailureGrouping grouping = new FailureGrouping();
    IntStream.range(0, 5_000)
        .forEach(i -> grouping.add(new Cause("exit code 1", "cause " + i), sample("" + i)));
    FailureGroups groups = grouping.answer(true, List.of());
    assertThat(groups.groups())
        .hasSize(FailureGrouping.MAX_GROUPS)
        .allSatisfy(group -> assertThat(group.sample().text()).hasSize(2_000).endsWith("the end"));
    assertThat(groups.ungrouped()).isEqualTo(5_000 - FailureGrouping.MAX_GROUPS);
    assertThat(groups.more()).isTrue();
  }

  @Test
  void failedElementsOfAnArrayAreGroupedByTheirLastAttempt() {
    try (JobBench bench = JobBench.withTwoNodes(1)) {
      List<Long> ids =
          bench.submit(
              JobKind.SUBMITTED, JobBench.command(), JobBench.command(), JobBench.command());
      bench.place();
      fail(bench, ids.get(0), 3, "bad row 1");
      fail(bench, ids.get(1), 3, "bad row 2");
      bench.place();
      bench.end(new AttemptId(ids.get(2), 1), Outcome.SUCCEEDED, 0);

      FailureGroups groups = bench.queries.failures(SearchParser.parse("owner:*"));

      assertThat(groups.failures()).isEqualTo(2);
      assertThat(groups.more()).isFalse();
      FailureGroup group = groups.groups().get(0);
      assertThat(group.cause()).isEqualTo("exit code 3");
      assertThat(group.line()).isEqualTo("bad row #");
      assertThat(group.items()).containsExactly("" + ids.get(1), "" + ids.get(0));
      assertThat(group.sample().text()).isEqualTo("bad row 2");
      assertThat(group.sample().attempt()).isEqualTo(1);
    }
  }

  private static void fail(JobBench bench, long id, int code, String errors) {
    AttemptId attempt = new AttemptId(id, 1);
    AttemptResult result =
        new AttemptResult(Outcome.FAILED, code, null, null, errors, 0, 1000, null, null, null);
    bench.reports.take(
        bench.nodeOf(attempt), List.of(AttemptReport.ended(attempt, result, 1000, 0)));
  }

  private static FailureSample sample(String item) {
    return new FailureSample(item, 1L, 1, "e1", Instant.EPOCH, "x".repeat(4_000) + "the end");
  }
}
