package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.ArrayProgress;
import io.millrace.api.job.Outcome;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is done to an array costs the same, however many elements it has. */
class MillionElementsTest {
  private static final int MILLION = 1_000_000;

  private final ArrayBench bench = new ArrayBench(4);

  @BeforeEach
  void countStatements() {
    for (String setting :
        List.of("set query_statistics true", "set query_statistics_max_entries 10000")) {
      bench.jobs.database.read(handle -> handle.execute(setting));
    }
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aMillionElementsAreSubmittedShownAndCancelledWithBoundedWork() {
    long before = statements();
    long array = bench.submit("1-1000000");
    assertThat(bench.progress(array)).isEqualTo(new ArrayProgress(MILLION, MILLION, 0, 0, 0, 0));
    assertThat(statements() - before).isLessThan(50);
    assertThat(rows("job")).isEqualTo(1);

    bench.jobs.place();
    bench.startPlaced(array);
    bench.tend();
    long known = rows("job");
    assertThat(known).isLessThanOrEqualTo(1 + ExpansionPolicy.LOOK_AHEAD);

    before = statements();
    bench.act(Verb.CANCEL, array);
    bench.endLive(array, Outcome.STOPPED);
    bench.tend();
    assertThat(bench.view(array).state()).isEqualTo(JobState.CANCELLED);
    assertThat(bench.progress(array)).isEqualTo(new ArrayProgress(MILLION, 0, 0, 0, 0, MILLION));
    // A few for each element that is a job by now, each of a batch counted for itself.
    assertThat(statements() - before).isLessThan(10 * known + 500);
    assertThat(rows("job")).isEqualTo(known);
  }

  @Test
  void elementsThatSucceededAreShownAndListedWithBoundedWork() {
    long array = bench.submit("1-3000");
    for (int round = 0; bench.progress(array).succeeded() < 3000 && round < 1000; round++) {
      bench.jobs.place();
      for (UUID node : List.of(JobBench.E1, JobBench.E2)) {
        bench.jobs.reports.take(
            node, bench.jobs.recorded(node).stream().map(ArrayBench::success).toList());
      }
    }
    assertThat(bench.progress(array).succeeded()).isEqualTo(3000);
    assertThat(rows("job")).isEqualTo(1);
    assertThat(rows("ended_elements")).isEqualTo(12);
    assertThat(rows("element_ids")).isEqualTo(1);

    long before = statements();
    List<JobView> page = bench.elements(array);
    assertThat(page).hasSize(1000);
    assertThat(statements() - before).isLessThan(40);
    before = statements();
    assertThat(bench.view(page.get(999).id()).state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(statements() - before).isLessThan(15);
    before = statements();
    assertThat(bench.progress(array).succeeded()).isEqualTo(3000);
    assertThat(statements() - before).isLessThan(10);
  }

  private long rows(String table) {
    return number("select count(*) from " + table);
  }

  private long statements() {
    return number("select sum(execution_count) from information_schema.query_statistics");
  }

  private long number(String query) {
    return bench.jobs.database.read(handle -> handle.createQuery(query).mapTo(Long.class).one());
  }
}
