package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.manager.job.JobSearch.JobFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Searches on a database. */
class JobSearchTest {
  private final JobBench bench = JobBench.withTwoNodes(1);
  private long foo;
  private long bar;
  private long array;

  @AfterEach
  void close() {
    bench.close();
  }

  @BeforeEach
  void submitSome() {
    foo =
        bench.submit(
            JobDraft.command("/bin/true")
                .name("foo_one")
                .tags(List.of("nightly", "eu"))
                .lane("l1")
                .priority(9)
                .spec());
    bar =
        bench.submit(
            JobDraft.command("/bin/true").name("bar 50%").tags(List.of("eu")).share("s").spec());
    array =
        bench.submit(
            JobDraft.command("/bin/true")
                .name("many")
                .priority(8)
                .array(ArrayRange.parse("1-5"))
                .spec());
    bench.submit(JobKind.WORKER, JobBench.worker("alert", "q1"));
    bench.place();
    bench.end(new AttemptId(foo, 1), Outcome.FAILED, 3);
  }

  private List<Long> ids(String search) {
    return bench.queries.list(new JobFilter(SearchParser.parse(search), null, 100)).jobs().stream()
        .map(JobView::id)
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "'', array bar foo",
    "state:failed, foo",
    "'state:failed,waiting', array bar foo",
    "tag:eu, bar foo",
    "tag:eu tag:nightly, foo",
    "tag:night*, foo",
    "lane:l1, foo",
    "share:s, bar",
    "name:foo*, foo",
    "name:foo_one, foo",
    "name:*_*, foo",
    "name:*%, bar",
    "ar, bar",
    "\"bar 50\", bar",
    "owner:ann state:waiting, array bar",
    "owner:nobody, ''",
    "tag:eu state:failed, foo",
    "pool:default name:many, array",
    "node:e* state:failed, foo",
    "exit:3, foo",
    "exit:4, ''",
    "-exit:3, array bar",
    "-state:waiting, foo",
    "-tag:eu, array",
    "-name:b* -lane:l1, array",
    "since:1h, array bar foo",
    "since:2030-01-01, ''",
    "ended:>1h, foo",
    "ended:<1h, ''",
    "since:1h ended:>1h -state:succeeded, foo",
    "task:nothing, ''",
  })
  void findsJobsThatMatchAllTerms(String search, String expected) {
    List<Long> wanted = new ArrayList<>();
    for (String name : expected.split(" ", -1)) {
      if (!name.isEmpty()) {
        wanted.add(name.equals("foo") ? foo : name.equals("bar") ? bar : array);
      }
    }
    assertThat(ids(search)).isEqualTo(wanted);
  }

  @Test
  void theExitCodeOfAnAttemptIsNotThatOfAJobThatHasNotEnded() {
    long id =
        bench.submit(JobBench.command(1, 20, RetryPolicy.upTo(1, Duration.ZERO, Duration.ZERO)));
    bench.place();
    bench.end(new AttemptId(id, 1), Outcome.FAILED, 7);
    String others = "id:" + id + " -exit:7";
    assertThat(ids("exit:7")).as("it waits for its retry").isEmpty();
    assertThat(bench.queries.view(id).exitCode()).isNull();
    assertThat(ids(others)).containsExactly(id);

    bench.place();
    assertThat(ids("exit:7")).as("its second attempt runs").isEmpty();
    assertThat(bench.queries.view(id))
        .extracting(JobView::state, JobView::outcome, JobView::exitCode)
        .containsExactly(JobState.PLACED, null, null);
    assertThat(bench.queries.details(id).attempts())
        .as("the results of attempts are kept")
        .extracting(AttemptView::exitCode)
        .contains(7);
    assertThat(ids(others)).containsExactly(id);

    bench.end(new AttemptId(id, 2), Outcome.FAILED, 7);
    assertThat(ids("exit:7")).as("it has ended").containsExactly(id);
    assertThat(bench.queries.view(id).exitCode()).isEqualTo(7);
    assertThat(ids(others)).isEmpty();
  }

  @Test
  void elementsAreFoundByTheirArray() {
    assertThat(ids("array:" + array)).hasSize(5).isSortedAccordingTo(Collections.reverseOrder());
    assertThat(ids("array:" + array + " state:failed")).isEmpty();
    assertThat(ids("array:" + array + "," + foo + " state:waiting,placed")).hasSize(5);
    assertThat(ids("kind:all")).hasSize(9);
    assertThat(ids("kind:worker queue:alert")).hasSize(1);
    assertThat(ids("id:" + foo + "," + array)).containsExactly(array, foo);
  }

  @Test
  void jobsOfARunAreFoundByItsNumber() {
    bench.database.transaction(
        handle -> {
          JobRunDao.insert(handle, 7, List.of(foo, array));
          JobRunDao.insert(handle, 8, List.of(bar));
          return null;
        });
    assertThat(ids("run:7")).containsExactly(array, foo);
    assertThat(ids("run:7,8 -state:failed")).containsExactly(array, bar);
    assertThat(ids("run:7,8 tag:eu")).containsExactly(bar, foo);
    assertThat(ids("run:9")).isEmpty();
  }

  @Test
  void pagesFollowOneAnother() {
    List<Long> all = new ArrayList<>();
    Long before = null;
    do {
      JobPage page = bench.queries.list(new JobFilter(SearchParser.parse("kind:all"), before, 2));
      page.jobs().forEach(job -> all.add(job.id()));
      before = page.next();
    } while (before != null);
    assertThat(all)
        .hasSize(9)
        .isSortedAccordingTo(Collections.reverseOrder())
        .doesNotHaveDuplicates();
  }
}
