package io.millrace.tests.definition;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.api.job.Share;
import io.millrace.api.job.WaitCode;
import io.millrace.manager.job.JobRules;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import io.millrace.tests.cluster.Jobs;
import io.millrace.tests.definition.KeyProofs.Observable;
import io.millrace.tests.definition.KeyProofs.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every key of a job, on a cluster: what it prints, how it ends, where it runs and why it waits.
 */
class JobKeysActTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster(2, 2, 8);

  private static final String PROGRAM = "command: null, program: noop";
  private static final String EXITS = "command: [sh, -c, exit 3]";
  private static final String PRINTS = "command: [sh, -c, 'cat; echo $COLOR; pwd']";
  private static final String SLEEPS = "command: [sleep, '1']";

  @TempDir private static Path folder;
  private static Jobs jobs;
  // The job for which another one waits.
  private static long held;

  @BeforeAll
  static void prepare() throws IOException {
    jobs = new Jobs(CLUSTER.central(Role.OPERATOR));
    held = submit(JobDraft.command("true").hold(true).spec());
    Files.writeString(folder.resolve("env"), "COLOR=green\n");
    for (String node : List.of("e1", "e2")) {
      Path secrets = Files.createDirectories(CLUSTER.dataDirectory(node).resolve("secrets"));
      Path secret = Files.writeString(secrets.resolve("color"), "blue\n");
      Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    }
  }

  @AfterAll
  static void release() {
    CLUSTER.central().cancel(held);
  }

  private static KeyProofs<JobSpec> proofs() {
    return new KeyProofs<JobSpec>("{command: ['true']}", JobKeysActTest::read)
        .acts("name", "other", spec -> ended(spec).name())
        .acts("command", PRINTS, "[echo, other]", JobKeysActTest::output)
        .acts("program", PROGRAM, "other", JobKeysActTest::end)
        .acts("arguments", PROGRAM, "['3']", JobKeysActTest::end)
        .refused("arguments", "", "[one]", "only for a built-in program")
        .acts("env", PRINTS, "{COLOR: red}", JobKeysActTest::output)
        .acts("envFile", PRINTS, folder.resolve("env").toString(), JobKeysActTest::output)
        .acts("secrets", PRINTS, "{COLOR: color}", JobKeysActTest::output)
        .acts("stdin", PRINTS, "text", JobKeysActTest::output)
        .acts("cwd", PRINTS, "/", JobKeysActTest::output)
        .refused("cwd", PROGRAM, "/", "has no working directory")
        .acts("runAs", "millrace-nobody", waiting(WaitCode.NO_USER))
        .refused("runAs", PROGRAM, "nobody", "cannot run as another user")
        .acts("timeout", SLEEPS, "100ms", JobKeysActTest::end)
        .acts(
            "grace",
            "timeout: 200ms, command: [sh, -c, \"trap 'sleep 1; echo end; exit' TERM; sleep 9 & wait\"]",
            "0s",
            JobKeysActTest::output)
        .acts("slots", "1000", waiting(WaitCode.TOO_LARGE))
        .acts("cpu", "1000", waiting(WaitCode.TOO_LARGE))
        .acts("memory", "900TB", waiting(WaitCode.TOO_LARGE))
        .acts("resources", "{gpu: 1}", waiting(WaitCode.TOO_LARGE))
        .acts("licences", "{solver: 1}", waiting(WaitCode.LICENCE))
        .acts("requires", "cpus > 1000", waiting(WaitCode.NO_MATCH))
        .acts("pool", "other", waiting(WaitCode.NO_NODE))
        .acts("rank", "rank: 'name == \"e1\"'", "'name == \"e2\"'", JobKeysActTest::node)
        .shown(
            "preferredNode",
            "manager:placement/PlacerTest#aJobRunsOnItsQueueNodesMachineWhileThereIsCapacity")
        .shown(
            "priority",
            "manager:placement/PlacerTest#aHigherPriorityGoesFirstAndAgeDecidesWithinOne")
        .acts("share", "keys-act", JobKeysActTest::shares)
        .acts("tags", "[keys-act]", JobKeysActTest::found)
        .acts("retry.max", EXITS + ", retry: {max: 1, backoff: 0s}", "2", JobKeysActTest::end)
        .acts("retry.backoff", "retry: {max: 3}", "7s", spec -> waits(spec.retry()))
        .acts("retry.maxBackoff", "retry: {max: 3}", "1500ms", spec -> waits(spec.retry()))
        .acts("retry.on", "retry: {max: 3}", "[exit]", spec -> covered(spec.retry()))
        .acts("retry.exitCodes", "retry: {max: 3}", "[7]", spec -> covered(spec.retry()))
        .acts("retry.finalExitCodes", "retry: {max: 3}", "[7]", spec -> covered(spec.retry()))
        .acts(
            "retry.scale",
            "command: [sleep, '2'], timeout: 100ms, retry: {max: 1, backoff: 0s}",
            "2",
            JobKeysActTest::timeout)
        .shown(
            "retry.fallback",
            "manager:job/ResourceRetryTest#whatItsPoolDoesNotHaveIsTakenFromAFallbackPoolAndThereAtMostWhatItHas")
        .refused("retry.scale", "", "2", "have no effect")
        .refused("retry.fallback", "retry: {max: 1}", "[large]", "no effect without retry.scale")
        .refused("retry.backoff", "", "7s", "have no effect")
        .refused("retry.maxBackoff", "", "7s", "have no effect")
        .refused("retry.exitCodes", "", "[7]", "have no effect")
        .refused("retry.finalExitCodes", "", "[7]", "have no effect")
        .acts("idleExitCodes", EXITS, "[3]", JobKeysActTest::end)
        .acts("single", SLEEPS, "keys-act", JobKeysActTest::twice)
        .acts("lane", SLEEPS, "keys-act", JobKeysActTest::twice)
        .shown(
            "failover",
            "executor-node:agent/FailoverTest#itsOwnFailoverCountsUnlessItIsShorterThanTheLease")
        .refused("failover", "", "7m", "only for jobs with single or lane")
        .refused("failover", PROGRAM + ", single: keys-act", "7m", "a built-in program ends")
        .acts("restart", "true", waiting(WaitCode.BACKOFF))
        .acts("hold", "true", waiting(WaitCode.HELD))
        .acts("notBefore", "'2100-01-01T00:00:00Z'", waiting(WaitCode.NOT_BEFORE))
        .shown(
            "deadline",
            "manager:job/DeadlineTest#aRunningJobIsStoppedFailsAsTimedOutAndIsNotTriedAgain")
        .acts("after", "[{job: " + held + "}]", waiting(WaitCode.DEPENDENCY))
        .acts("array", "1-3", spec -> ended(spec).progress())
        .refused("input", "", "{queue: alert, node: q1}", "only queue managers submit workers")
        .shown(
            "notify.command",
            "manager:notification/NotificationOutboxTest#aFailedJobRunsItsNotificationCommandOnceAsAJob")
        .shown(
            "notify.webhook",
            "manager:notification/NotificationOutboxTest#aFailedJobIsPostedToItsWebAddress")
        .shown(
            "notify.on",
            "manager:notification/NotificationOutboxTest#aLateWaitingJobIsNotifiedOnceAndStaysListed")
        .refused("notify.hungAfter", "notify: {command: [mail]}", "7m", "does not apply to a job")
        .shown(
            "notify.lateAfter",
            "manager:notification/NotificationOutboxTest#aLateWaitingJobIsNotifiedOnceAndStaysListed");
  }

  @Test
  void everyKeyHasAProof() {
    List<String> keys = DefinitionKeys.of(JobSpec.class);
    assertThat(proofs().lacking(keys)).as("keys without a proof that they act").isEmpty();
    assertThat(proofs().superfluous(keys)).as("proofs of keys that do not exist").isEmpty();
  }

  @TestFactory
  Stream<DynamicTest> everyKeyActsOrIsRefused() {
    return proofs().all();
  }

  private static JobSpec read(ObjectNode spec) throws Refusal {
    List<String> problems;
    try {
      JobSpec job = Json.mapper().treeToValue(spec, JobSpec.class);
      problems = JobRules.problems(JobKind.SUBMITTED, job);
      if (problems.isEmpty()) {
        return job;
      }
    } catch (JsonProcessingException e) {
      problems = List.of(e.getMessage());
    }
    throw new Refusal(String.join("\n", problems));
  }

  private static long submit(JobSpec spec) {
    return CLUSTER.central(Role.OPERATOR).submit(spec).id();
  }

  private static JobView ended(JobSpec spec) {
    return jobs.ended(submit(spec));
  }

  /** How it ended. */
  private static List<Object> end(JobSpec spec) {
    JobView job = ended(spec);
    return Arrays.asList(job.state(), job.outcome(), job.exitCode(), job.attempt());
  }

  /** What it printed. */
  private static String output(JobSpec spec) throws IOException {
    return jobs.output(ended(spec).id(), 0, "stdout");
  }

  /** Where it ran. */
  private static String node(JobSpec spec) {
    return ended(spec).node();
  }

  /** The shares that have been charged. */
  private static List<String> shares(JobSpec spec) {
    ended(spec);
    return CLUSTER.central().shares().stream().map(Share::name).sorted().toList();
  }

  /** How many jobs are found by its tag. */
  private static int found(JobSpec spec) {
    ended(spec);
    return CLUSTER.central().jobs("search=tag:keys-act").jobs().size();
  }

  /** Why it waits if it waits for that reason; else how it ended. */
  private static Observable<JobSpec> waiting(WaitCode code) {
    return spec -> waiting(submit(spec), code);
  }

  private static Object waiting(long job, WaitCode code) {
    CentralClient central = CLUSTER.central(Role.OPERATOR);
    Object seen =
        Awaitility.await("job " + job + " ends or waits for " + code)
            .atMost(Duration.ofSeconds(30))
            .pollInterval(Duration.ofMillis(20))
            .until(() -> seen(central.explain(job), code), Optional::isPresent)
            .orElseThrow();
    if (seen == code) {
      central.cancel(job);
    }
    return seen;
  }

  private static Optional<Object> seen(JobExplanation explanation, WaitCode code) {
    if (explanation.reasons().stream().anyMatch(reason -> reason.code() == code)) {
      return Optional.of(code);
    }
    JobState state = explanation.job().state();
    return state.ended() ? Optional.of(state) : Optional.empty();
  }

  /** What becomes of a second one while the first runs. */
  private static Object twice(JobSpec spec) {
    long first = submit(spec);
    try {
      return waiting(submit(spec), WaitCode.LANE);
    } catch (MillraceException e) {
      return e.code();
    } finally {
      jobs.ended(first);
    }
  }

  private static Duration timeout(JobSpec spec) {
    return CLUSTER.central(Role.OPERATOR).job(ended(spec).id()).spec().timeout();
  }

  private static List<Duration> waits(RetryPolicy policy) {
    return IntStream.range(1, 5).mapToObj(policy::waitAfter).toList();
  }

  private static List<Boolean> covered(RetryPolicy policy) {
    return Arrays.stream(FailureKind.values())
        .flatMap(kind -> Stream.of(policy.covers(kind, 3), policy.covers(kind, 7)))
        .toList();
  }
}
