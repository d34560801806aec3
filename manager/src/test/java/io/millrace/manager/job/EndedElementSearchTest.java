package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.AttemptReport;
import io.millrace.manager.job.JobSearch.JobFilter;
import io.millrace.manager.job.JobSearch.TextPattern;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;

/** A search finds an element whether it has rows or not. */
class EndedElementSearchTest {
  private static final JobDraft FRAME =
      JobDraft.command("/bin/true").name("frames_1").tags(List.of("film", "night"));

  private static final List<String> SEARCHES =
      List.of(
          "",
          "kind:all",
          "kind:worker",
          "kind:submitted",
          "state:succeeded",
          "-state:succeeded",
          "state:failed,succeeded",
          "name:frames_1",
          "name:frames*",
          "name:FRAMES*",
          "name:frames?1",
          "-name:frames*",
          "frames",
          "other",
          "owner:ann",
          "-owner:ann",
          "owner:bob",
          "pool:default",
          "pool:other",
          "queue:q1",
          "-queue:q1",
          "lane:db",
          "-lane:db",
          "share:ann",
          "tag:film",
          "tag:film tag:night",
          "tag:*i*",
          "-tag:film",
          "-tag:day",
          "tag:day,night",
          "exit:0",
          "-exit:0",
          "exit:1",
          "since:1h",
          "ended:1h",
          "ended:>1h",
          "node:e1,e2",
          "-node:e1,e2",
          "node:e*",
          "run:1",
          "state:succeeded tag:film owner:ann exit:0 since:1h");

  @Example
  void aSearchFindsTheSameElementsWithAndWithoutRows() {
    try (ArrayBench bench = new ArrayBench(20)) {
      long compact = bench.submit("1-12", FRAME);
      bench.jobs.place();
      bench.elements(compact).forEach(one -> bench.succeed(new AttemptId(one.id(), 1)));
      long rows = bench.submit("1-12", FRAME);
      bench.jobs.place();
      bench.elements(rows).forEach(one -> succeedWithWarning(bench, one));
      assertThat(count(bench, compact)).isZero();
      assertThat(count(bench, rows)).isEqualTo(12);

      for (String text : SEARCHES) {
        for (String search :
            text.contains("kind:") ? Set.of(text) : Set.of(text, text + " kind:all")) {
          assertThat(indexes(bench, search, compact))
              .as(search)
              .isEqualTo(indexes(bench, search, rows));
          assertThat(indexes(bench, search + " array:" + compact, compact))
              .as(search)
              .isEqualTo(indexes(bench, search + " array:" + rows, rows));
        }
      }
    }
  }

  private static void succeedWithWarning(ArrayBench bench, JobView element) {
    AttemptId attempt = new AttemptId(element.id(), 1);
    AttemptReport success = ArrayBench.success(attempt);
    bench.jobs.reports.take(
        bench.jobs.nodeOf(attempt),
        List.of(
            AttemptReport.ended(
                attempt,
                success.result().with(copy -> copy.stderrTail("warning")),
                success.startedAgoMillis(),
                success.endedAgoMillis())));
  }

  private static long count(ArrayBench bench, long array) {
    return bench.jobs.database.read(
        handle ->
            handle
                .createQuery("select count(*) from job where array_id = " + array)
                .mapTo(Long.class)
                .one());
  }

  private static Set<Long> indexes(ArrayBench bench, String search, long array) {
    return bench
        .jobs
        .queries
        .list(new JobFilter(SearchParser.parse(search), null, JobFilter.MAX))
        .jobs()
        .stream()
        .filter(job -> job.array() != null && job.array() == array)
        .map(JobView::index)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Example
  void elementsAreFoundByTheirNodeAndByTheirIds() {
    try (ArrayBench bench = new ArrayBench(20)) {
      long array = bench.submit("1-30", FRAME);
      bench.jobs.place();
      List<JobView> placed = bench.elements(array, JobState.PLACED);
      placed.forEach(one -> bench.succeed(new AttemptId(one.id(), 1)));
      for (String node : List.of("e1", "e2")) {
        assertThat(found(bench, "kind:all state:succeeded node:" + node))
            .isEqualTo(
                placed.stream().filter(one -> one.node().equals(node)).map(JobView::id).toList());
      }
      long some = placed.get(3).id();
      assertThat(found(bench, "id:" + some + "," + array)).containsExactly(some, array);
      assertThat(found(bench, "id:" + some + " state:failed")).isEmpty();
    }
  }

  @Example
  void pagesCoverTheElementsOfSeveralArraysOnce() {
    try (ArrayBench bench = new ArrayBench(50)) {
      long first = bench.submit("1-90", FRAME);
      long second = bench.submit("0-890:10", FRAME);
      for (int round = 0; round < 10; round++) {
        bench.jobs.place();
        bench.endLive(first, Outcome.SUCCEEDED);
        bench.endLive(second, Outcome.SUCCEEDED);
      }
      for (String search : List.of("kind:all", "array:" + first + "," + second)) {
        Set<Long> all = new TreeSet<>();
        long elements = 0;
        Long before = null;
        do {
          JobView.JobPage page =
              bench.jobs.queries.list(new JobFilter(SearchParser.parse(search), before, 37));
          assertThat(page.jobs())
              .extracting(JobView::id)
              .isSortedAccordingTo((one, other) -> Long.compare(other, one))
              .allMatch(all::add);
          elements += page.jobs().stream().filter(job -> job.array() != null).count();
          before = page.next();
        } while (before != null);
        assertThat(elements).isEqualTo(180);
      }
    }
  }

  private static List<Long> found(ArrayBench bench, String search) {
    return bench
        .jobs
        .queries
        .list(new JobFilter(SearchParser.parse(search), null, JobFilter.MAX))
        .jobs()
        .stream()
        .map(JobView::id)
        .toList();
  }

  @Property(tries = 500)
  void aPatternMatchesAsARegularExpressionWould(
      @ForAll @StringLength(max = 6) @Chars('*') @CharRange(from = 'a', to = 'b') String pattern,
      @ForAll @StringLength(max = 8) @CharRange(from = 'a', to = 'b') String text) {
    assertThat(TextPattern.of(pattern).matches(text))
        .isEqualTo(text.matches(pattern.replace("*", ".*")));
  }
}
