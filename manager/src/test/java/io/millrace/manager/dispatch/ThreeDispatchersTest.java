package io.millrace.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.Licence;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.Share;
import io.millrace.api.node.AttemptReport;
import io.millrace.manager.app.CentralTables;
import io.millrace.manager.dispatch.Dispatcher.RoundWatch;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.node.Heartbeat;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three central managers on one database: shares and licences hold whoever places. */
class ThreeDispatchersTest {
  private static final int SLOTS = 10;

  @TempDir private Path folder;
  private final List<JobBench> benches = new ArrayList<>();
  private final List<Dispatcher> dispatchers = new ArrayList<>();
  private Database database;
  private ShareService shares;
  private LicenceService licences;
  private int ended;

  @BeforeEach
  void start() {
    database = CentralTables.in(folder);
    for (int i = 0; i < 3; i++) {
      JobBench bench =
          new JobBench(database, new Heartbeat(Duration.ofSeconds(2), Duration.ofMinutes(10)));
      benches.add(bench);
      dispatchers.add(
          new Dispatcher(
              bench.dispatch,
              bench.claims,
              "c" + i,
              new SystemClock(),
              bench.wakeUps,
              RoundWatch.NONE));
    }
    relayHints();
    JobBench one = benches.get(0);
    shares = new ShareService(database, one.shapes, one.wakeUps);
    licences = new LicenceService(database, one.wakeUps);
  }

  @AfterEach
  void stop() {
    dispatchers.forEach(Dispatcher::stop);
    database.close();
  }

  /** As between central managers, so that whoever holds the claim hears of ends at the others. */
  private void relayHints() {
    for (JobBench from : benches) {
      from.wakeUps.relayTo(
          wakeUp ->
              benches.stream().filter(to -> to != from).forEach(to -> to.wakeUps.receive(wakeUp)));
    }
  }

  private void employ() {
    benches.get(0).employ(JobBench.E1, "e1", SLOTS);
    benches.get(0).employ(JobBench.E2, "e2", SLOTS);
    dispatchers.forEach(Dispatcher::start);
  }

  @Test
  void startsFollowTheWeightsOfTheShares() {
    shares.setWeight("a", 3.0);
    submit(1200, JobDraft.command("/bin/true").share("a"));
    submit(1200, JobDraft.command("/bin/true").share("b"));
    employ();
    endUntil(1200);
    dispatchers.forEach(Dispatcher::stop);
    List<Share> seen = shares.list();
    long a = started(seen, "a");
    long b = started(seen, "b");
    assertThat((double) a / b).isCloseTo(3, Percentage.withPercentage(5));
    assertThat(a + b).isGreaterThanOrEqualTo(1200);
    Share first = seen.stream().filter(share -> share.name().equals("a")).findFirst().orElseThrow();
    assertThat(first.weight()).isEqualTo(3);
    assertThat(first.waiting()).isEqualTo(1200 - a);
  }

  @Test
  void aLicenceIsNeverExceeded() {
    licences.set("matlab", 5);
    submit(300, JobDraft.command("/bin/true").licences(Map.of("matlab", 2)));
    submit(300, JobDraft.command("/bin/true").licences(Map.of("matlab", 1)));
    employ();
    endUntil(600);
    assertThat(licences.list()).containsExactly(new Licence("matlab", 5, 0, List.of()));
  }

  private void submit(int count, JobDraft draft) {
    benches
        .get(1)
        .submit(
            JobKind.SUBMITTED, Collections.nCopies(count, draft.spec()).toArray(new JobSpec[0]));
  }

  /** Ends what is recorded, through any manager, until so many have ended. */
  private void endUntil(int count) {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              licences
                  .list()
                  .forEach(one -> assertThat(one.used()).isLessThanOrEqualTo(one.total()));
              for (UUID node : List.of(JobBench.E1, JobBench.E2)) {
                List<AttemptId> recorded = benches.get(0).recorded(node);
                assertThat(recorded).hasSizeLessThanOrEqualTo(SLOTS);
                ended += recorded.size();
                assertThat(benches.get(ended % 3).reports.take(node, ends(recorded))).isEmpty();
              }
              return ended >= count;
            });
  }

  private static List<AttemptReport> ends(List<AttemptId> attempts) {
    return attempts.stream()
        .map(attempt -> JobBench.ended(attempt, Outcome.SUCCEEDED, 0, 5))
        .toList();
  }

  private static long started(List<Share> shares, String name) {
    return shares.stream()
        .filter(share -> share.name().equals(name))
        .mapToLong(Share::started)
        .sum();
  }
}
