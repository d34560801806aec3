package io.millrace.api.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.JobActionAnswer;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobExplanation.WaitSpan;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.ArrayProgress;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.api.job.WaitCode;
import io.millrace.api.notification.Notification;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * How a program uses the batch system; each example is run against a server that answers from a
 * script. A real one is reached with {@code new UrlTransport()}.
 */
class JobExamplesTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private final ScriptedServer server = new ScriptedServer();
  private final CentralClient central =
      new CentralClient(
          new ApiClient(
              server,
              new Endpoints(
                  List.of(URI.create("http://10.0.0.1:7700"), URI.create("http://10.0.0.2:7700"))),
              () -> "the token of a file with mode 0600"));

  @Test
  void submitCommandAndWaitForItsEnd() {
    server.answers("POST /v1/jobs", job(17, JobState.WAITING));
    server.answers("GET /v1/jobs/17/wait", job(17, JobState.SUCCEEDED));

    JobSpec spec =
        JobDraft.command("convert", "in.png", "out.jpg")
            .name("thumbnail")
            .cwd("/srv/pictures")
            .timeout(Duration.ofMinutes(5))
            .memory("512MB")
            .spec();
    JobView job = central.submit(spec);
    while (!job.state().ended()) {
      job = central.await(job.id(), Duration.ofSeconds(30));
    }

    assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
    JobSpec sent = server.received(JobSpec.class, 0);
    assertThat(sent).isEqualTo(spec);
  }

  @Test
  void submitAtMostOnceHoweverOftenItIsTried() {
    server.answers("POST /v1/jobs", job(17, JobState.WAITING));

    JobView job = central.submit(JobDraft.command("book", "order-4711").spec(), "order-4711");

    assertThat(job.id()).isEqualTo(17);
    HttpCall call = server.call(0);
    assertThat(call.headers()).containsEntry("Idempotency-Key", "order-4711");
  }

  @Test
  void submitArrayAndWhatComesAfterIt() {
    server.answers("POST /v1/jobs", array(17, new ArrayProgress(1000, 1000, 0, 0, 0, 0)));

    JobView sweep =
        central.submit(JobDraft.command("./step.sh").array(ArrayRange.parse("1-1000%50")).spec());
    central.submit(
        JobDraft.command("./merge.sh")
            .after(List.of(new Dependency(sweep.id(), Dependency.End.OK)))
            .deadline(NOW.plus(Duration.ofHours(6)))
            .spec());

    assertThat(server.text(0)).contains("\"array\":\"1-1000%50\"");
    assertThat(server.text(1)).contains("\"after\":[{\"job\":17,\"end\":\"OK\"}]");
  }

  @Test
  void submitManyInOneTransaction() {
    server.answers("POST /v1/jobs/batch", List.of(17, 18));

    List<Long> ids =
        central.submitAll(
            List.of(JobDraft.command("a").spec(), JobDraft.command("b").lane("import").spec()));

    assertThat(ids).containsExactly(17L, 18L);
  }

  @Test
  void sayWhatIsNeededAndWhatIsTriedAgain() {
    server.answers("POST /v1/jobs", job(17, JobState.WAITING));

    central.submit(
        JobDraft.command("solve", "case-12")
            .cpu(4.0)
            .memory("8GB")
            .resources(Map.of("gpu", 1))
            .licences(Map.of("solver", 1))
            .requires("os == 'linux'")
            .retry(
                new RetryPolicy(
                    3,
                    Duration.ofSeconds(10),
                    Duration.ofMinutes(10),
                    EnumSet.of(FailureKind.EXIT, FailureKind.NODE_LOST),
                    Set.of(),
                    Set.of(2)))
            .notification(new Notification(null, null, "https://example.org/hook", null))
            .spec());

    assertThat(server.text(0))
        .contains("\"memory\":\"8GB\"")
        .contains("\"finalExitCodes\":[2]")
        .contains("\"notify\":{");
  }

  @Test
  void askWhyJobWaits() {
    server.answers(
        "GET /v1/jobs/17/explanation",
        new JobExplanation(
            job(17, JobState.WAITING),
            List.of(new WaitReason(WaitCode.LICENCE, "licence solver is in use by 12.1")),
            List.of(),
            List.of(new WaitSpan(WaitCode.NO_SLOT, "no slot", NOW, NOW.plusSeconds(60)))));

    JobExplanation why = central.explain(17);

    assertThat(why.reasons().get(0).code()).isEqualTo(WaitCode.LICENCE);
    assertThat(why.waits()).hasSize(1);
  }

  @Test
  void actOnAllThatSearchFinds() {
    server.answers("POST /v1/jobs/actions", new JobActionAnswer(412, 412, List.of()));

    JobAction retry =
        new JobAction(
            JobAction.Verb.RETRY,
            null,
            "state:failed tag:nightly",
            null,
            "the disk is back",
            false,
            false);
    JobActionAnswer answer = central.act(retry);

    assertThat(answer.changed()).isEqualTo(412);
    assertThat(server.received(JobAction.class, 0)).isEqualTo(retry);
  }

  @Test
  void mistakesNameTheFieldAndTheFix() {
    server.refuses("POST /v1/jobs", ErrorCode.INVALID_REQUEST, "pool: 'A B' is no name");

    MillraceException refused = null;
    try {
      central.submit(JobDraft.command("true").pool("A B").spec());
    } catch (MillraceException e) {
      refused = e;
    }

    assertThat(refused).isNotNull();
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(refused).hasMessageStartingWith("pool:");
  }

  @Test
  void anotherCentralManagerIsAskedWhenOneIsUnreachable() {
    server.down("10.0.0.1").answers("POST /v1/jobs", job(17, JobState.WAITING));

    assertThat(central.submit(JobDraft.command("true").spec()).id()).isEqualTo(17);

    assertThat(server.call(server.calls() - 1).uri().getHost()).isEqualTo("10.0.0.2");
  }

  private static JobView job(long id, JobState state) {
    return view(id, state, null);
  }

  private static JobView array(long id, ArrayProgress progress) {
    return view(id, JobState.WAITING, progress);
  }

  private static JobView view(long id, JobState state, ArrayProgress progress) {
    String json =
        Json.write(
            Map.of(
                "id",
                id,
                "name",
                "n",
                "kind",
                JobKind.SUBMITTED,
                "state",
                state,
                "owner",
                "ann",
                "pool",
                "default",
                "submittedAt",
                NOW.toString(),
                "tags",
                List.of()));
    JobView plain = Json.read(json, JobView.class);
    return progress == null ? plain : withProgress(json, progress);
  }

  private static JobView withProgress(String json, ArrayProgress progress) {
    String more = json.substring(0, json.length() - 1) + ",\"progress\":" + Json.write(progress);
    return Json.read(more + "}", JobView.class);
  }
}
