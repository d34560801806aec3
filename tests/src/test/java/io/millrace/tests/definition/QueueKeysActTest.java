package io.millrace.tests.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobSpec;
import io.millrace.api.queue.PacingDefinition.BreakerDefinition;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.manager.pacing.Breaker;
import io.millrace.manager.pacing.Breaker.RunEnd;
import io.millrace.manager.pacing.PacingInputs;
import io.millrace.manager.pacing.QueueManagerSpecs;
import io.millrace.manager.queue.WorkerSpecs;
import io.millrace.manager.weight.PointAllocation;
import io.millrace.manager.weight.WeightCandidate;
import io.millrace.queuenode.store.PutOrder.PutLimits;
import io.millrace.queuenode.store.SegmentStore.QueueRules;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every key of a queue. */
class QueueKeysActTest {
  private static final Instant NOW = Instant.parse("2026-03-01T02:00:00Z");
  private static final String THRESHOLD = "pacing: {policy: threshold}";
  private static final String LINGER = "worker: {input: pull, model: linger}";
  private static final String SOURCE = "source: {waiting: [count]}";
  private static final String SESSIONS = "sessions: {key: order}";
  private static final String NOTIFY = "notify: {command: [mail], on: [dead]}";
  private static final String ABOUT_A_QUEUE =
      "manager:notification/NotificationOutboxTest"
          + "#aNoticeAboutAQueueThatIsRefusedIsTriedThreeTimesAndThenAProblem";
  private static final String SESSION_SCENARIOS = "queue-node:session/store/SessionScenariosTest#";
  private static final String SESSION_INTAKE = "queue-node:session/store/SessionIntakeTest#";
  private static final String SESSION_POLLS = "queue-node:session/store/SessionPollsTest#";
  private static final String OF_SESSIONS = "this queue has sessions";
  private static final String NO_EVENTS_HERE = "this queue has a source";

  private static final KeyProofs<QueueDefinition> PROOFS =
      new KeyProofs<>(
              "{kind: queue, name: alert, worker: {command: [work]}}",
              AppliedText.as(QueueDefinition.class))
          .acts("name", "other", QueueKeysActTest::worker)
          .acts("batch", "7", PacingInputs::settings)
          .acts("batch", "7", QueueKeysActTest::worker)
          .acts("maxAttempts", "7", QueueRules::of)
          .acts("maxReturns", "7", QueueRules::of)
          .acts("lease", "7s", QueueKeysActTest::worker)
          .acts("maxEvents", "7", QueueKeysActTest::admission)
          .acts("maxBytes", "7MB", QueueKeysActTest::admission)
          .acts("maxRate", "7", QueueKeysActTest::admission)
          .acts("retention", "7d", QueueRules::of)
          .acts("deadRetention", "7d", QueueRules::of)
          .acts("minSegments", "3", QueueKeysActTest::segments)
          .acts("pacing.policy", "threshold", PacingInputs::settings)
          .acts("pacing.tick", "1s", QueueDefinition::decidedEvery)
          .acts("pacing.waitTarget", "1s", PacingInputs::settings)
          .acts("pacing.maxWorkers", "7", PacingInputs::settings)
          .acts("pacing.maxStarting", "7", PacingInputs::settings)
          .acts("pacing.upperLimit", THRESHOLD, "70", PacingInputs::settings)
          .acts("pacing.lowerLimit", THRESHOLD, "7", PacingInputs::settings)
          .acts("pacing.backlog", THRESHOLD, "70", PacingInputs::settings)
          .refused("pacing.upperLimit", "", "70", "applies to policy threshold only")
          .refused("pacing.lowerLimit", "", "7", "applies to policy threshold only")
          .refused("pacing.backlog", "", "70", "applies to policy threshold only")
          .acts("pacing.maxPerNode", "7", QueueKeysActTest::worker)
          .shown(
              "pacing.maxEventsPerSecond",
              "tests:pacing/LimitsEndToEndTest#workersAreStartedAtNoMoreThanTheAllowedEventRate")
          .acts("pacing.breaker.runs", "4", QueueKeysActTest::breaker)
          .acts("pacing.breaker.share", "0.2", QueueKeysActTest::breaker)
          .acts("pacing.breaker.probeEvery", "7s", QueueKeysActTest::breaker)
          .acts("pacing.breaker.probes", "1", QueueKeysActTest::breaker)
          .acts("pacing.breaker.off", "true", QueueKeysActTest::breaker)
          .acts("pacing.threshold.raise", THRESHOLD, "0.7", PacingInputs::settings)
          .acts("pacing.threshold.lower", THRESHOLD, "0.7", PacingInputs::settings)
          .acts("pacing.threshold.emptyReadings", THRESHOLD, "1", PacingInputs::settings)
          .acts("pacing.threshold.readEvery", THRESHOLD, "5s", PacingInputs::settings)
          .acts("pacing.threshold.evaluateEvery", THRESHOLD, "70s", PacingInputs::settings)
          .acts("pacing.threshold.initialRate", THRESHOLD, "7", PacingInputs::settings)
          .acts("pacing.threshold.minimumRate", THRESHOLD, "0.5", PacingInputs::settings)
          .refused("pacing.threshold", "", "{raise: 0.7}", "policy threshold only")
          .acts("worker.command", "[other]", QueueKeysActTest::worker)
          .acts("worker.input", "pull", QueueKeysActTest::worker)
          .acts("worker.input", "stream", QueueKeysActTest::worker)
          .refused("worker.input", "", "none", "only for a queue with a source")
          .acts("worker.env", "{COLOR: red}", QueueKeysActTest::worker)
          .acts("worker.envFile", "/etc/alert.env", QueueKeysActTest::worker)
          .acts("worker.secrets", "{KEY: key}", QueueKeysActTest::worker)
          .acts("worker.cwd", "/srv", QueueKeysActTest::worker)
          .acts("worker.runAs", "alice", QueueKeysActTest::worker)
          .acts("worker.timeout", "7s", QueueKeysActTest::worker)
          .acts("worker.grace", "7s", QueueKeysActTest::worker)
          .acts("worker.slots", "7", QueueKeysActTest::worker)
          .acts("worker.cpu", "0.7", QueueKeysActTest::worker)
          .acts("worker.memory", "700MB", QueueKeysActTest::worker)
          .acts("worker.resources", "{gpu: 1}", QueueKeysActTest::worker)
          .acts("worker.licences", "{solver: 1}", QueueKeysActTest::worker)
          .acts("worker.requires", "cpus > 1", QueueKeysActTest::worker)
          .acts("worker.rank", "cpus", QueueKeysActTest::worker)
          .acts("worker.priority", "7", QueueKeysActTest::worker)
          .acts("worker.pool", "other", QueueKeysActTest::worker)
          .acts("worker.model", "worker: {input: pull}", "linger", QueueKeysActTest::worker)
          .acts("worker.model", "worker: {input: stream}", "exit", QueueKeysActTest::worker)
          .refused("worker.model", "", "linger", "requires input pull or stream")
          .acts("worker.linger.maxEvents", LINGER, "700", QueueKeysActTest::worker)
          .acts("worker.linger.maxTime", LINGER, "7s", QueueKeysActTest::worker)
          .acts("worker.linger.idle", LINGER, "7s", QueueKeysActTest::worker)
          .refused("worker.linger", "", "{idle: 7s}", "only for model linger")
          .acts("source.waiting", SOURCE, "[other]", QueueKeysActTest::counting)
          .acts("source.timeout", SOURCE, "7s", QueueKeysActTest::counting)
          .acts("source.every", SOURCE, "7s", QueueDefinition::decidedEvery)
          .shown("notify.command", ABOUT_A_QUEUE)
          .shown("notify.webhook", ABOUT_A_QUEUE)
          .shown("notify.on", "manager:queue/QueueNoticesTest#aPauseIsNotifiedOnceWithItsReason")
          .refused("notify.lateAfter", NOTIFY, "7m", "does not apply to a queue")
          .refused("notify.hungAfter", NOTIFY, "7m", "does not apply to a queue")
          .refused("notify.on", NOTIFY, "[failed]", "never happens to a queue")
          .acts("sessions.key", SESSIONS, "/other", QueueKeysActTest::keyOfAnEvent)
          .shown("sessions.maxPerWorker", SESSION_SCENARIOS + "testAssignJobQueue")
          .shown(
              "sessions.maxUnassigned",
              SESSION_INTAKE
                  + "aboveTheCapOnlyEventsThatWouldOpenASessionAreRefusedUntilAWorkerHasRoom")
          .shown(
              "sessions.maxPerKey",
              SESSION_INTAKE + "afterARefusedEventLaterOnesOfItsKeyAreRefusedToo")
          .acts("sessions.heartbeat", SESSIONS, "7s", QueueKeysActTest::silence)
          .acts("sessions.missed", SESSIONS, "7", QueueKeysActTest::silence)
          .shown("sessions.retiredFor", SESSION_SCENARIOS + "aRetiredWorkerIsForgottenAfterAWhile")
          .shown(
              "sessions.remember",
              SESSION_INTAKE + "keysAreForgottenAfterAWhileAndAboveTheirNumberTheOldestFirst")
          .shown(
              "sessions.rememberMax",
              SESSION_INTAKE + "keysAreForgottenAfterAWhileAndAboveTheirNumberTheOldestFirst")
          .shown(
              "sessions.idle",
              SESSION_INTAKE
                  + "aSessionWithoutEventsForLongEndsUnlessSomethingOfItIsUnacknowledged")
          .shown(
              "sessions.duplicates",
              SESSION_INTAKE + "aCompletedKeyIsRefusedOrDroppedOrOpenedAnewByPolicy")
          .shown("sessions.onDead", SESSION_POLLS + "aSessionWhoseEventFailsTooOftenIsClosed")
          .shown(
              "sessions.ownerLost",
              "queue-node:session/SlotKeeperTest#"
                  + "theSlotOfALostNodeIsAssignedOnlyWhenItsWorkersHaveStoppedAlsoAfterARestart")
          .shown(
              "sessions.order",
              SESSION_POLLS + "strictHasOneBatchOfASessionOutstandingAndSessionsTakeTurns")
          .shown(
              "sessions.schema",
              "queue-node:session/EventSchemasTest#" + "dataThatDoNotMatchAreRefusedWithThePlace")
          .acts("worker.input", SESSIONS, "pull", QueueKeysActTest::worker)
          .refused("worker.input", SESSIONS, "stdin", "is session or pull")
          .refused("worker.input", SESSIONS, "stream", "is session or pull")
          .refused("worker.timeout", SESSIONS, "7s", "a session's worker runs until")
          .refused("worker.linger", SESSIONS, "{idle: 7s}", "only for model linger")
          .refused("lease", SESSIONS, "7s", OF_SESSIONS)
          .refused("maxReturns", SESSIONS, "7", OF_SESSIONS)
          .refused("retention", SESSIONS, "7d", "sessions.idle")
          .refused("deadRetention", SESSIONS, "7d", OF_SESSIONS)
          .refused("pacing.policy", SESSIONS, "threshold", OF_SESSIONS)
          .refused("pacing.waitTarget", SESSIONS, "7s", OF_SESSIONS)
          .refused("pacing.maxEventsPerSecond", SESSIONS, "7", OF_SESSIONS)
          // What the events of a queue with a source do not do is refused, and the command that
          // counts them runs as its workers do.
          .refused("maxAttempts", SOURCE, "7", NO_EVENTS_HERE)
          .refused("maxReturns", SOURCE, "7", NO_EVENTS_HERE)
          .refused("lease", SOURCE, "7s", NO_EVENTS_HERE)
          .refused("maxEvents", SOURCE, "7", NO_EVENTS_HERE)
          .refused("maxBytes", SOURCE, "7MB", NO_EVENTS_HERE)
          .refused("maxRate", SOURCE, "7", NO_EVENTS_HERE)
          .refused("retention", SOURCE, "7d", NO_EVENTS_HERE)
          .refused("deadRetention", SOURCE, "7d", NO_EVENTS_HERE)
          .refused("minSegments", SOURCE, "3", NO_EVENTS_HERE)
          .refused("pacing.tick", SOURCE, "1s", "decide every source.every")
          .acts("worker.runAs", SOURCE, "alice", QueueKeysActTest::counting)
          .acts("worker.env", SOURCE, "{COLOR: red}", QueueKeysActTest::counting)
          .acts("worker.envFile", SOURCE, "/etc/alert.env", QueueKeysActTest::counting)
          .acts("worker.secrets", SOURCE, "{KEY: key}", QueueKeysActTest::counting)
          .acts("worker.cwd", SOURCE, "/srv", QueueKeysActTest::counting)
          .acts("worker.runAs", SOURCE, "alice", QueueKeysActTest::manager)
          .acts("worker.requires", SOURCE, "cpus > 1", QueueKeysActTest::manager)
          .acts("worker.rank", SOURCE, "cpus", QueueKeysActTest::manager)
          .acts("worker.pool", SOURCE, "other", QueueKeysActTest::manager);

  private static final KeyProofs<QueueDefinition> WITHOUT_WORKER =
      new KeyProofs<>("{kind: queue, name: alert}", AppliedText.as(QueueDefinition.class))
          .refused("batch", "", "7", "this queue has none")
          .refused("pacing", "", "{maxWorkers: 7}", "this queue has none");

  @Test
  void everyKeyHasAProof() {
    List<String> keys = DefinitionKeys.of(QueueDefinition.class);
    assertThat(PROOFS.lacking(keys)).as("keys without a proof that they act").isEmpty();
    assertThat(PROOFS.superfluous(keys)).as("proofs of keys that do not exist").isEmpty();
  }

  @TestFactory
  Stream<DynamicTest> everyKeyActsOrIsRefused() {
    return Stream.concat(PROOFS.all(), WITHOUT_WORKER.all());
  }

  private static Object keyOfAnEvent(QueueDefinition queue) {
    byte[] data = "{\"other\":\"b\"}".getBytes(StandardCharsets.UTF_8);
    return queue.sessions().keyPlace().of(Map.of("order", "a"), data);
  }

  private static Object silence(QueueDefinition queue) {
    return queue.sessions().silence();
  }

  private static JobSpec worker(QueueDefinition queue) {
    return WorkerSpecs.worker(new VersionedQueue(queue, 1), "q1");
  }

  private static JobSpec counting(QueueDefinition queue) {
    return QueueManagerSpecs.source(queue, "q1");
  }

  private static JobSpec manager(QueueDefinition queue) {
    return QueueManagerSpecs.manager(new VersionedQueue(queue, 1), "q1");
  }

  private static PutLimits admission(QueueDefinition queue) {
    return PutLimits.of(queue, 1000);
  }

  private static Object segments(QueueDefinition queue) {
    List<WeightCandidate> nodes =
        IntStream.range(0, 5).mapToObj(n -> new WeightCandidate("q" + n, 0, 1, 0)).toList();
    return PointAllocation.place(Map.of(), queue.minSegments(), nodes);
  }

  /** What the breaker does while all runs fail, and then while all probes succeed. */
  private static Object breaker(QueueDefinition queue) {
    BreakerDefinition rule = queue.pacing().breaker();
    List<Object> seen = new ArrayList<>();
    Breaker breaker = Breaker.CLOSED;
    for (int run = 0; run < 30; run++) {
      breaker = breaker.after(new RunEnd(run, true, "event " + run), rule, NOW);
      seen.add(breaker.open());
      seen.add(breaker.nextProbeAt(rule));
    }
    Instant later = NOW.plus(Duration.ofHours(1));
    for (int probe = 100; probe < 110 && breaker.open(); probe++) {
      breaker = breaker.probing(probe, later).after(new RunEnd(probe, false, null), rule, later);
      seen.add(breaker.open());
    }
    return seen;
  }
}
