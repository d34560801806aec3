package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView.ArrayProgress;
import io.millrace.api.job.Outcome;
import java.util.List;
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
