package io.millrace.tests.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.definition.DefinitionView.DefinitionSummary;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.insight.QueueView;
import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.ArrayProgress;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskRunView;
import io.millrace.cli.server.EmbeddedCluster;
import io.millrace.cli.server.EmbeddedCluster.UpSettings;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * This version continues with the data of earlier ones: nothing that they had accepted is missing,
 * and all of it goes on. The servers were killed with work in every state.
 */
class UpgradeTest {
  private static final Duration LONG = Duration.ofMinutes(2);
  // Delays are stored as times of the queue node's clock, and a year is the longest one.
  private static final Duration DELAY_OF_LATER = Duration.ofDays(365);

  @TempDir private Path folder;
  private EmbeddedCluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.stop();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = "f909ab97")
  void nothingIsMissingAndEverythingGoesOn(String name) throws Exception {
    RecordedVersion version = RecordedVersion.unpack(name, folder);
    version.bringForward();
    Instant nightly = version.plannedNext("nightly");
    cluster =
        new EmbeddedCluster(
            new UpSettings(folder, 0, 2, 2, 8, false, Optional.empty()),
            new JdkTransport(),
            new SystemClock());
    cluster.start();

    definitionsAndIdentitiesAreThere();
    eventsAreThere(version.recordedAt());
    jobsAreThere();
    jobsGoOn();
    eventsAreDelivered();
    schedulesFire();

    cluster.stop();
    cluster = null;
    assertThat(version.plannedNext("nightly")).as("the next time of a schedule").isEqualTo(nightly);
  }

  private void definitionsAndIdentitiesAreThere() {
    assertThat(central().definitions())
        .extracting(DefinitionSummary::name)
        .containsExactlyInAnyOrder("waiting", "poison", "slow", "often", "chunked", "nightly");
    assertThat(central().definitionHistory("task", "nightly")).hasSize(2);
    assertThat(central().definition("task", "nightly", 1).text()).contains("0 1 * * *");
    assertThat(central().definition("task", "nightly", 0).text()).contains("0 2 * * *");
    assertThat(central().allIdentities())
        .filteredOn(identity -> identity.withdrawnAt() != null)
        .extracting(identity -> identity.name())
        .containsExactly("gone");
  }

  private void eventsAreThere(Instant recordedAt) {
    boolean delayed = Instant.now().isBefore(recordedAt.plus(DELAY_OF_LATER));
    await("queue nodes show the events of the paused queue")
        .atMost(LONG)
        .until(() -> ids("waiting", "ready").size() == (delayed ? 40 : 41));
    assertThat(ids("waiting", "delayed")).isEqualTo(delayed ? List.of("later") : List.of());
    assertThat(ids("waiting", "ready")).contains("forty-0-0", "forty-0-39");
    await("the figures of queues are reported")
        .atMost(LONG)
        .until(() -> queue("waiting").waiting() >= 40 && queue("poison").dead() == 3);
    assertThat(queue("waiting").control().reason()).isEqualTo("recorded with events");
    assertThat(central().deadLetters().list("poison", 10, null).found())
        .extracting(DeadEvent::id)
        .containsExactlyInAnyOrder("dead-0-0", "dead-0-1", "dead-0-2");
    noneOfThoseLeasedIsMissing();
  }

  private void jobsAreThere() {
    Map<String, JobState> states =
        central().jobs("limit=100&search=" + ApiClient.encode("owner:admin")).jobs().stream()
            .filter(job -> job.index() == null)
            .filter(job -> !List.of("running", "alone", "first").contains(job.name()))
            .collect(Collectors.toMap(JobView::name, JobView::state));
    assertThat(states)
        .containsOnly(
            entry("ended", JobState.SUCCEEDED),
            entry("failed", JobState.FAILED),
            entry("held", JobState.HELD),
            entry("second", JobState.BLOCKED),
            entry("after", JobState.BLOCKED),
            entry("array", JobState.SUCCEEDED),
            entry("held-array", JobState.HELD));
    assertThat(job("failed").exitCode()).isEqualTo(3);
    assertThat(job("array").progress()).isEqualTo(new ArrayProgress(3, 0, 0, 3, 0, 0));
    assertThat(job("held-array").progress()).isEqualTo(new ArrayProgress(4, 4, 0, 0, 0, 0));
  }

  /**
   * Those that ran do so again, one at a time where promised; the others wait for what they did.
   */
  private void jobsGoOn() {
    for (String name : List.of("running", "alone", "first")) {
      await(name + " runs")
          .atMost(LONG)
          .until(() -> job(name).state() == JobState.RUNNING && job(name).attempt() >= 2);
    }
    assertThat(job("second").state()).isEqualTo(JobState.BLOCKED);
    assertThat(job("after").state()).isEqualTo(JobState.BLOCKED);
    central().cancel(job("first").id());
    central().cancel(job("running").id());
    central()
        .act(
            JobAction.on(
                List.of(job("held").id(), job("held-array").id()), Verb.RELEASE, "upgraded"));
    ended("second", JobState.SUCCEEDED);
    ended("after", JobState.CANCELLED);
    ended("held", JobState.SUCCEEDED);
    ended("held-array", JobState.SUCCEEDED);
    assertThat(job("held-array").progress().succeeded()).isEqualTo(4);
  }

  /** Those that waited, and those that a killed worker had leased as well. */
  private void eventsAreDelivered() {
    // The node that restarts may return them only with a token younger than two hours; otherwise
    // their lease has to end first, and the one worker that the queue may have takes others.
    await("leased events are returned")
        .atMost(LONG)
        .until(() -> delivered("slow", "ready", 1) || delivered("slow", "leased", 2));
    await("leased events are delivered again")
        .atMost(LONG)
        .until(
            () -> {
              if (delivered("slow", "leased", 2)) {
                return true;
              }
              central().queue("slow").workers().forEach(worker -> central().cancel(worker.id()));
              return false;
            });
    noneOfThoseLeasedIsMissing();
    central().resume("waiting", new PauseRequest(false, true, null));
    await("waiting events are delivered")
        .atMost(LONG)
        .until(() -> ids("waiting", "ready").isEmpty() && ids("waiting", "leased").isEmpty());
    assertThat(central().deadLetters().list("waiting", 10, null).found()).isEmpty();
    assertThat(central().deadLetters().list("poison", 10, null).found()).hasSize(3);
  }

  private void schedulesFire() {
    long newest = newestRun("often").id();
    await("a schedule fires and its run succeeds")
        .atMost(LONG)
        .until(
            () ->
                central().tasks().runs("often", null, 10).stream()
                    .anyMatch(run -> run.id() > newest && run.state() == RunState.SUCCEEDED));
    assertThat(newestRun("chunked").state()).isEqualTo(RunState.RUNNING);
    assertThat(newestRun("chunked").total()).isEqualTo(6);
  }

  private TaskRunView newestRun(String task) {
    return central().tasks().runs(task, null, 1).get(0);
  }

  private void ended(String job, JobState state) {
    await(job + " ends").atMost(LONG).until(() -> job(job).state().ended());
    assertThat(job(job).state()).as(job).isEqualTo(state);
  }

  /** Repeated, since an event may change its state between the calls. */
  private void noneOfThoseLeasedIsMissing() {
    await("all events of the busy queue are there")
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(Stream.of("ready", "delayed", "leased").flatMap(this::idsOfSlow))
                    .containsExactlyInAnyOrder(
                        "leased-0-0", "leased-0-1", "leased-0-2", "leased-0-3"));
  }

  private Stream<String> idsOfSlow(String state) {
    return ids("slow", state).stream();
  }

  private List<String> ids(String queue, String state) {
    return peek(queue, state).stream().map(PeekedEvent::id).toList();
  }

  private List<PeekedEvent> peek(String queue, String state) {
    return central().peek(queue, 100, state).found();
  }

  private boolean delivered(String queue, String state, int deliveries) {
    return peek(queue, state).stream().anyMatch(event -> event.deliveries() >= deliveries);
  }

  private QueueView queue(String name) {
    return central().queue(name).queue();
  }

  private JobView job(String name) {
    return central().jobs("search=" + ApiClient.encode("name:" + name)).jobs().stream()
        .filter(job -> name.equals(job.name()) && job.index() == null)
        .findFirst()
        .orElseThrow();
  }

  private CentralClient central() {
    String token = TokenFiles.read(cluster.tokenFile(Role.ADMIN));
    return new CentralClient(
        new ApiClient(new JdkTransport(), new Endpoints(List.of(cluster.address())), () -> token));
  }
}
