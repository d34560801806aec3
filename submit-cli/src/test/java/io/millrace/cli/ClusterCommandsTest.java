package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.insight.EndedProblem;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.ProblemSeverity;
import io.millrace.api.insight.ProblemSilence;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.Licence;
import io.millrace.api.job.Share;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Shares, licences and problems. */
class ClusterCommandsTest {
  private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void sharesAreListed() {
    cluster.answering("GET /v1/shares", List.of(new Share("queue:alert", 3, 1200, 4, 90_000)));
    assertThat(run.run("share", "list")).isZero();
    assertThat(run.output())
        .isEqualTo(
            """
            NAME         WEIGHT  WAITING  RUNNING  STARTED
            queue:alert    3.00    1,200        4   90,000
            """);
  }

  @Test
  void weightOfAShareIsSet() {
    cluster.answering("PUT /v1/shares/queue", new Share("queue:alert", 3, 0, 0, 0));
    assertThat(run.run("share", "set", "queue:alert", "--weight", "3")).isZero();
    assertThat(cluster.last().uri().getRawPath()).isEqualTo("/v1/shares/queue%3Aalert");
    assertThat(new String(cluster.last().body(), UTF_8)).isEqualTo("{\"weight\":3.0}");
    assertThat(run.output()).isEqualTo("share queue:alert has weight 3.00\n");
  }

  @Test
  void licencesAreListedWithTheirUsers() {
    cluster.answering(
        "GET /v1/licences",
        List.of(new Licence("solver", 5, 2, List.of(new AttemptId(17, 1), new AttemptId(18, 3)))));
    assertThat(run.run("licence", "list")).isZero();
    assertThat(run.output())
        .isEqualTo(
            """
            NAME    TOTAL  USED  HELD BY
            solver      5     2  17.1 18.3
            """);
  }

  @Test
  void totalOfALicenceIsSet() {
    cluster.answering("PUT /v1/licences/solver", new Licence("solver", 5, 2, List.of()));
    assertThat(run.run("licence", "set", "solver", "--total", "5")).isZero();
    assertThat(new String(cluster.last().body(), UTF_8)).isEqualTo("{\"total\":5}");
    assertThat(run.output()).isEqualTo("licence solver: total 5, in use 2\n");
  }

  @Test
  void problemsSetTheExitCodeOnRequestOnly() {
    cluster.answering(
        "GET /v1/problems", List.of(new Alert("DISK_FULL", "e1", "its disk is \u001b[31mfull")));
    assertThat(run.run("problems")).isZero();
    assertThat(run.run("problems", "--exit-code")).isEqualTo(1);
    assertThat(run.output()).contains("DISK_FULL  e1         -  its disk is \\x1b[31mfull");
  }

  @Test
  void silencedProblemsAreListedAndNotCounted() {
    ProblemSilence silence =
        new ProblemSilence(3, "DISK_FULL", "e1", NOW.plusSeconds(60), "disks come", "ann", NOW);
    cluster.answering(
        "GET /v1/problems",
        List.of(new Alert("DISK_FULL", "e1", "its disk is full").with(NOW, silence)));
    assertThat(run.run("problems", "--exit-code")).isZero();
    assertThat(run.output()).contains("[silenced by ann until ", ": disks come] its disk is full");
  }

  @Test
  void problemsAreSilencedAndASilenceIsLifted() {
    ProblemSilence silence =
        new ProblemSilence(3, "DISK_FULL", "e1", NOW.plusSeconds(7200), "disks come", "ann", NOW);
    List<String> requests = new ArrayList<>();
    cluster
        .answering("GET /v1/problems", List.of(new Alert("DISK_FULL", "e2", "its disk is full")))
        .when(
            "POST /v1/problems/silences",
            call -> {
              requests.add(new String(call.body(), UTF_8));
              return FakeCluster.answer(200, "application/json", Json.writeBytes(silence));
            });
    assertThat(
            run.run(
                "problems", "silence", "disk_full", "e1", "--for", "2h", "--reason", "disks come"))
        .isZero();
    assertThat(requests)
        .containsExactly(
            "{\"code\":\"DISK_FULL\",\"subject\":\"e1\",\"duration\":\"2h\",\"reason\":\"disks come\"}");
    assertThat(run.messages())
        .contains("there is no such problem now; those of this code are of: e2");

    cluster
        .answering("GET /v1/problems/silences", List.of(silence))
        .answering("DELETE /v1/problems/silences/3", silence);
    assertThat(run.run("problems", "silences")).isZero();
    assertThat(run.output()).contains("DISK_FULL  e1       2026-", "disks come");
    assertThat(run.run("problems", "lift", "DISK_FULL", "e1")).isZero();
    assertThat(cluster.last().uri().getPath()).isEqualTo("/v1/problems/silences/3");
    assertThat(run.run("problems", "lift", "DISK_FULL")).isNotZero();
    assertThat(run.messages())
        .contains(
            "DISK_FULL is silenced only of some subjects; lift a silence of it with"
                + " 'millrace problems lift DISK_FULL e1'");
    assertThat(run.run("problems", "lift", "DISK_FULL", "e2")).isNotZero();
    assertThat(run.messages()).contains("DISK_FULL of e2 is not silenced; lift a silence of it");
    assertThat(run.run("problems", "lift", "QUEUE_PAUSED")).isNotZero();
    assertThat(run.messages()).contains("QUEUE_PAUSED is not silenced; 'millrace problems sil");
  }

  @Test
  void endedProblemsAreListedWithTheirTimes() {
    cluster.answering(
        "GET /v1/problems/ended",
        List.of(
            new EndedProblem(
                7,
                "DISK_FULL",
                "e1",
                ProblemSeverity.CRITICAL,
                "its disk is full",
                NOW.minusSeconds(90),
                NOW)));
    assertThat(run.run("problems", "--ended")).isZero();
    assertThat(run.output()).contains("1m30s  its disk is full");
  }

  @Test
  void theAbsenceOfProblemsIsReported() {
    cluster.answering("GET /v1/problems", List.of());
    assertThat(run.run("problems", "--exit-code")).isZero();
    assertThat(run.messages()).isEqualTo("no problems\n");
  }

  @Test
  void everyListCanBeJson() {
    cluster
        .answering("GET /v1/shares", List.of())
        .answering("GET /v1/licences", List.of())
        .answering("GET /v1/problems", List.of());
    run.run("share", "list", "--json");
    run.run("licence", "list", "--json");
    run.run("problems", "--json");
    assertThat(run.output()).isEqualTo("[]\n[]\n[]\n");
  }
}
