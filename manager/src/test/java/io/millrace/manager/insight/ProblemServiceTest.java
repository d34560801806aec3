package io.millrace.manager.insight;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.node.ExecutionNodeView.DenylistEntry;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.notification.Notification;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.manager.definition.DefinitionDao;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.dispatch.LicenceService;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.node.ClockSteps;
import io.millrace.manager.node.ExecutionNodeViews;
import io.millrace.manager.node.ExecutionNodeViews.NodeDenylist;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.notification.NoticeFailureDao;
import io.millrace.manager.notification.NoticeFailureDao.FailingTarget;
import io.millrace.manager.notification.NotificationOutbox;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProblemServiceTest {
  private final JobBench bench = new JobBench(Heartbeat.defaults());
  private final ProblemService problems =
      new ProblemService(
          bench.database,
          new ExecutionNodeViews(bench.database, NodeDenylist.NONE)::list,
          new ClockSteps(bench.database),
          bench.claims,
          bench.stepElements);

  @BeforeEach
  void nothingIsWrong() {
    bench.employ(JobBench.E1, "e1", 1);
    assertThat(problems.all()).isEmpty();
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void queueManagersAndSingleInstancesThatDoNotRunAreProblems() {
    bench.submit(JobKind.MANAGER, JobBench.manager(new SegmentKey("alert", "q1")));
    bench.submit(JobBench.command().draft().single("nightly").spec());
    bench.submit(JobBench.command());
    assertThat(problems.all()).isEmpty();
    sql("update job_ready set ready_at = dateadd(minute, -2, ready_at)");
    assertThat(problems.all())
        .extracting(Alert::code)
        .containsExactlyInAnyOrder("QUEUE_MANAGER_NOT_RUNNING", "SINGLE_INSTANCE_NOT_RUNNING");
    assertThat(problems.all().get(0).message()).contains("2m").contains("millrace job explain");
  }

  @Test
  void aSingleInstanceHasWaitedSinceItsLastAttemptEnded() {
    long id = bench.submit(JobBench.command().draft().single("nightly").spec());
    bench.place();
    bench.start(new AttemptId(id, 1));
    sql("update job set submitted_at = dateadd(minute, -50, submitted_at)");
    bench.end(new AttemptId(id, 1), Outcome.LOST, null);
    assertThat(bench.state(id)).isEqualTo(JobState.WAITING);
    assertThat(problems.all()).as("it has just been lost").isEmpty();

    sql("update attempt set ended_at = dateadd(second, -40, ended_at)");
    assertThat(only().code()).isEqualTo("SINGLE_INSTANCE_NOT_RUNNING");
    assertThat(only().message()).contains("has not been running for 40s");
  }

  @Test
  void aPoolWithWaitingJobsAndNoNodeIsAProblem() {
    bench.submit(JobDraft.command("/bin/true").pool("gpu").spec());
    assertThat(only())
        .satisfies(alert -> assertThat(alert.code()).isEqualTo("POOL_WITHOUT_NODE"))
        .satisfies(alert -> assertThat(alert.subject()).isEqualTo("gpu"))
        .satisfies(alert -> assertThat(alert.message()).contains("serve default."));
  }

  @Test
  void aLostNodeServesNoPoolThoughItWasDrainedBefore() {
    bench.submit(JobDraft.command("/bin/true").pool("default").spec());
    sql("update node set duty = 'DRAINING'");
    assertThat(problems.all()).as("it may return to service").isEmpty();

    sql("update node set standing = 'RETIRED', retired_at = heard_at");
    assertThat(problems.all()).extracting(Alert::code).containsExactly("POOL_WITHOUT_NODE");
  }

  @Test
  void aNearDeadlineOfAJobThatHasNotStartedIsAProblem() {
    bench.submit(
        JobBench.command()
            .draft()
            .deadline(bench.database.now().plus(Duration.ofMinutes(3)))
            .spec());
    assertThat(only().code()).isEqualTo("DEADLINE_NEAR");
  }

  @Test
  void aTaskManagerThatDoesNotRunIsAProblem() {
    bench.submit(
        JobKind.MANAGER,
        JobDraft.program("task-manager", "7").name("run:often#7").single("run:often#7").spec());
    sql("update job_ready set ready_at = dateadd(minute, -2, ready_at)");
    assertThat(only().code()).isEqualTo("TASK_MANAGER_NOT_RUNNING");
    assertThat(only().subject()).isEqualTo("run:often#7");
  }

  @Test
  void aJobThatWaitsLongerThanItsNotificationAllowsIsAProblemUntilItStarts() {
    bench.ledger.watch(new NotificationOutbox(bench.database.dialect()));
    long id =
        bench.submit(
            JobBench.command()
                .draft()
                .notification(
                    new Notification(
                        Set.of(Occasion.LATE), List.of("tell"), null, Duration.ofMinutes(5)))
                .spec());
    assertThat(problems.all()).isEmpty();
    sql("update notice set due_at = dateadd(minute, -6, due_at)");
    assertThat(only().code()).isEqualTo("JOB_LATE");
    assertThat(only().message()).contains("job " + id, "is late");
    bench.place();
    bench.start(new AttemptId(id, 1));
    assertThat(problems.all()).isEmpty();
  }

  @Test
  void aNodeThatIsOnADenylistIsAProblemThatNamesTheEvidence() {
    DenylistEntry entry =
        new DenylistEntry(
            "queue:alert", 3, bench.database.now(), "a, b and c failed there and succeeded on e2");
    ProblemService denied =
        new ProblemService(
            bench.database,
            new ExecutionNodeViews(bench.database, handle -> Map.of(JobBench.E1, List.of(entry)))
                ::list,
            new ClockSteps(bench.database),
            bench.claims,
            bench.stepElements);
    assertThat(denied.all())
        .singleElement()
        .satisfies(alert -> assertThat(alert.code()).isEqualTo("NODE_CLOSED"))
        .satisfies(alert -> assertThat(alert.subject()).isEqualTo("e1"))
        .satisfies(alert -> assertThat(alert.message()).contains("queue:alert", entry.reason()));
  }

  @Test
  void notificationsThatFailAreAProblemUntilOneIsDelivered() {
    FailingTarget mail = new FailingTarget("hash", "command mail");
    for (int i = 0; i < 2; i++) {
      bench.database.transaction(
          handle -> {
            NoticeFailureDao.failed(
                handle, mail, "job 7", "exited with code 127", bench.database.now());
            return null;
          });
    }
    assertThat(only().code()).isEqualTo("NOTIFICATIONS_FAILING");
    assertThat(only().message()).contains("command mail", "last of 2", "job 7", "code 127");
    bench.database.transaction(
        handle -> {
          NoticeFailureDao.delivered(handle, "hash");
          return null;
        });
    assertThat(problems.all()).isEmpty();
  }

  @Test
  void whatToDoAboutFailingNotificationsDependsOnWhatNamesTheirTarget() {
    define(1, "[mail, ann]");
    FailingTarget mail =
        FailingTarget.named(new Notification(null, List.of("mail", "ann"), null, null))
            .map(hash -> new FailingTarget(hash, "command mail"))
            .findFirst()
            .orElseThrow();
    assertThat(failing(mail, "queue alert, dead"))
        .contains("Correct the notify of the definition", "once no definition names it");
    assertThat(failing(mail, "problem e1, began"))
        .contains("'problems' in the settings of all central managers")
        .doesNotContain("definition");
    assertThat(failing(mail, "job 7 (report), failed"))
        .contains("notify of a submitted job cannot be changed", "silence this problem")
        .doesNotContain("definition");
  }

  /** The message about a target of which the last notification failed; it says when it ends. */
  private String failing(FailingTarget target, String toldOf) {
    Instant failedAt = bench.database.now().truncatedTo(ChronoUnit.SECONDS);
    bench.database.transaction(
        handle -> {
          NoticeFailureDao.failed(handle, target, toldOf, "exited with code 127", failedAt);
          return null;
        });
    String message = only().message();
    assertThat(message)
        .endsWith("at " + failedAt.plus(Duration.ofDays(1)) + " unless a further one fails");
    return message;
  }

  @Test
  void aCommandThatNoDefinitionInForceNamesIsNoProblemAnyMore() {
    FailingTarget mail =
        FailingTarget.named(new Notification(null, List.of("mail", "ann"), null, null))
            .map(hash -> new FailingTarget(hash, "command mail"))
            .findFirst()
            .orElseThrow();
    bench.database.transaction(
        handle -> {
          NoticeFailureDao.failed(
              handle, mail, "queue alert, dead", "exited with code 127", bench.database.now());
          return null;
        });
    assertThat(problems.all()).as("the queue has been deleted").isEmpty();

    define(1, "[mail, ann]");
    assertThat(only().code()).isEqualTo("NOTIFICATIONS_FAILING");
    define(2, "[mail, bob]");
    assertThat(problems.all()).as("the command was corrected").isEmpty();
    define(3, "[mail, ann]");
    assertThat(only().code()).isEqualTo("NOTIFICATIONS_FAILING");
    sql(
        """
        insert into definition_deletion (kind, name, version, mode, state, said_by, said_at,
            ended_at, dropped)
        select kind, name, version, 'NONE', 'DELETED', author, applied_at, applied_at, 0
        from definition
        where version = 3
        """);
    assertThat(problems.all()).as("the queue was deleted").isEmpty();
  }

  private void define(int version, String command) {
    String body =
        "{\"name\":\"alert\",\"notify\":{\"on\":[\"DEAD\"],\"command\":%s}}"
            .formatted(command.replace("[", "[\"").replace(", ", "\",\"").replace("]", "\"]"));
    bench.database.transaction(
        handle -> {
          DefinitionDao.add(
              handle,
              new DefinitionRow("queue", "alert", version, body, "ann", bench.database.now()));
          return null;
        });
  }

  @Test
  void fullDisksWrongClocksAndSilentNodesAreProblems() {
    sql("update node set accepting = false, clock_offset_millis = -90000");
    assertThat(problems.all()).extracting(Alert::code).containsExactly("DISK_FULL", "CLOCK_OFFSET");
    assertThat(problems.all().get(1).message()).contains("1m30s behind");
    sql("update node set standing = 'RETIRED'");
    assertThat(only().code()).isEqualTo("EXECUTION_NODE_LOST");
    sql("update node set duty = 'DRAINING'");
    assertThat(problems.all()).isEmpty();
  }

  @Test
  void aSilentNodeWhoseAttemptsMayStillRunIsAProblem() {
    bench.submit(JobBench.command());
    bench.place();
    sql("update node set standing = 'RETIRED'");
    assertThat(only().code()).isEqualTo("EXECUTION_NODE_SILENT");
  }

  @Test
  void aDutyWithoutAHolderIsAProblem() {
    bench.claims.acquireOrRenew("expire-nodes", "c1", Duration.ofSeconds(5));
    bench.claims.acquireOrRenew("dispatch:gpu", "c1", Duration.ofSeconds(5));
    assertThat(problems.all()).isEmpty();
    sql("update claim set expires_at = dateadd(minute, -2, expires_at)");
    assertThat(only())
        .satisfies(alert -> assertThat(alert.code()).isEqualTo("CLAIM_UNHELD"))
        .satisfies(alert -> assertThat(alert.subject()).isEqualTo("expire-nodes"));
  }

  @Test
  void aJobThatNoNodeOfItsPoolCouldEverRunIsAProblem() {
    try (WaitBench waits = new WaitBench()) {
      ProblemService service =
          new ProblemService(
              waits.jobs.database,
              new ExecutionNodeViews(waits.jobs.database, NodeDenylist.NONE)::list,
              new ClockSteps(waits.jobs.database),
              waits.jobs.claims,
              waits.jobs.stepElements);
      waits.employ(JobBench.E1, "e1", 4);
      waits.employ(JobBench.E2, "e2", 999);
      waits.jobs.database.transaction(
          handle ->
              handle.execute(
                  "update node set standing = 'RETIRED', duty = 'MAINTENANCE' where name = 'e2'"));
      long large = waits.submit(JobDraft.command("/bin/true").slots(1000).spec());
      waits.submit(JobDraft.command("/bin/true").slots(999).spec());
      assertThat(waits.place()).isZero();

      assertThat(service.all())
          .as("the lost node could run the other one")
          .singleElement()
          .satisfies(alert -> assertThat(alert.code()).isEqualTo("JOB_CANNOT_RUN"))
          .satisfies(alert -> assertThat(alert.subject()).isEqualTo("job " + large))
          .satisfies(alert -> assertThat(alert.message()).contains("needs 1000 slots"));
    }
  }

  @Test
  void aJobThatNoNodeOfItsPoolMatchesForAMinuteIsAProblem() {
    try (WaitBench waits = new WaitBench()) {
      ProblemService service =
          new ProblemService(
              waits.jobs.database,
              new ExecutionNodeViews(waits.jobs.database, NodeDenylist.NONE)::list,
              new ClockSteps(waits.jobs.database),
              waits.jobs.claims,
              waits.jobs.stepElements);
      waits.employ(JobBench.E1, "e1", 4);
      long unmatched =
          waits.submit(JobDraft.command("/bin/true").requires("memory >= 64TB").spec());
      assertThat(waits.place()).isZero();
      assertThat(service.all()).as("a node that matches may be about to join").isEmpty();

      waits.jobs.database.transaction(
          handle ->
              handle.execute("update shape_wait set began_at = dateadd(minute, -2, began_at)"));
      assertThat(service.all())
          .singleElement()
          .satisfies(alert -> assertThat(alert.code()).isEqualTo("JOB_CANNOT_RUN"))
          .satisfies(alert -> assertThat(alert.subject()).isEqualTo("job " + unmatched))
          .satisfies(
              alert ->
                  assertThat(alert.message())
                      .contains("for 2m", "memory >= 64TB", "millrace job explain " + unmatched));

      waits.jobs.database.transaction(handle -> handle.execute("delete from job_ready"));
      assertThat(service.all()).as("none waits any more").isEmpty();
    }
  }

  @Test
  void aJobThatAsksForAResourceThatNoNodeHasIsAProblem() {
    try (WaitBench waits = new WaitBench()) {
      ProblemService service =
          new ProblemService(
              waits.jobs.database,
              new ExecutionNodeViews(waits.jobs.database, NodeDenylist.NONE)::list,
              new ClockSteps(waits.jobs.database),
              waits.jobs.claims,
              waits.jobs.stepElements);
      waits.employ(JobBench.E1, "e1", 4);
      waits.submit(JobDraft.command("/bin/true").resources(Map.of("gpu", 1)).spec());
      assertThat(waits.place()).isZero();
      assertThat(service.all())
          .singleElement()
          .satisfies(alert -> assertThat(alert.code()).isEqualTo("JOB_CANNOT_RUN"))
          .satisfies(alert -> assertThat(alert.message()).contains("gpu"));
    }
  }

  @Test
  void oneProblemSaysThatAllNodesOfAPoolWereTakenOutOfServiceInsteadOfOneForEachManager() {
    try (WaitBench waits = new WaitBench()) {
      ProblemService service = problemsOf(waits);
      waits.employ(JobBench.E1, "e1", 4);
      waits.employ(JobBench.E2, "e2", 4);
      for (String node : List.of("q1", "q2")) {
        waits.age(
            waits
                .jobs
                .submit(JobKind.MANAGER, JobBench.manager(new SegmentKey("alert", node)))
                .get(0),
            Duration.ofMinutes(1));
      }
      waits.drain("e1");
      waits.drain("e2");
      assertThat(waits.place()).isZero();
      assertThat(service.all())
          .as("until the pool's own problem is shown")
          .extracting(Alert::code)
          .containsOnly("QUEUE_MANAGER_NOT_RUNNING");

      earlier(waits, Duration.ofMinutes(3));
      assertThat(service.all())
          .singleElement()
          .satisfies(alert -> assertThat(alert.code()).isEqualTo("POOL_WITHOUT_NODE"))
          .satisfies(alert -> assertThat(alert.subject()).isEqualTo("default"))
          .satisfies(
              alert ->
                  assertThat(alert.message())
                      .contains(
                          "for 3m", "e1 is drained; e2 is drained", "'millrace node undrain e1'"));

      waits.undrain("e2");
      assertThat(service.all())
          .as("it may be placed on a node")
          .extracting(Alert::code)
          .containsOnly("QUEUE_MANAGER_NOT_RUNNING");
    }
  }

  @Test
  void aManagerThatWaitsForAnotherReasonThanADrainIsStillNamed() {
    try (WaitBench waits = new WaitBench()) {
      NodeCapacity onlyAsked = new NodeCapacity(2, 0, 0, Map.of(), true);
      waits.employ(JobBench.E1, "e1", onlyAsked, Map.of());
      long id =
          waits
              .jobs
              .submit(JobKind.MANAGER, JobBench.manager(new SegmentKey("alert", "q1")))
              .get(0);
      waits.drain("e1");
      assertThat(waits.place()).isZero();
      waits.age(id, Duration.ofMinutes(5));
      earlier(waits, Duration.ofMinutes(5));

      assertThat(problemsOf(waits).all())
          .extracting(Alert::code)
          .containsExactly("QUEUE_MANAGER_NOT_RUNNING");
    }
  }

  @Test
  void aManagerThatDoesNotRunHasThePresentReasonNotThatOfItsLastAttempt() {
    try (WaitBench waits = new WaitBench()) {
      waits.employ(JobBench.E1, "e1", 4);
      long id =
          waits
              .jobs
              .submit(JobKind.MANAGER, JobBench.manager(new SegmentKey("alert", "q1")))
              .get(0);
      assertThat(waits.place()).isEqualTo(1);
      waits.employ(JobBench.E1, "e1", 4);
      waits.jobs.database.transaction(
          handle -> {
            handle.execute("update job set reason = 'node e1 registered without this attempt'");
            handle.execute("update attempt set ended_at = dateadd(minute, -2, ended_at)");
            return handle.execute("update node set accepting = false");
          });
      waits.age(id, Duration.ofMinutes(2));
      assertThat(waits.place()).isZero();
      assertThat(problemsOf(waits).all())
          .filteredOn(alert -> alert.code().equals("QUEUE_MANAGER_NOT_RUNNING"))
          .singleElement()
          .satisfies(
              alert ->
                  assertThat(alert.message())
                      .contains("e1 takes no new jobs")
                      .doesNotContain("registered without"));
      assertThat(waits.jobs.queries.view(id).reason())
          .as("the remark of lists")
          .startsWith("e1 takes no new jobs");
    }
  }

  @Test
  void aJobThatMayNotStartYetKeepsItsOwnReasonWhileItsNodesAreDrained() {
    try (WaitBench waits = new WaitBench()) {
      waits.employ(JobBench.E1, "e1", 4);
      JobSpec retried =
          JobDraft.command("/bin/true")
              .retry(RetryPolicy.upTo(3, Duration.ofHours(1), Duration.ofHours(1)))
              .spec();
      long failed = waits.submit(retried);
      assertThat(waits.place()).isEqualTo(1);
      waits.jobs.start(new AttemptId(failed, 1));
      waits.end(failed, Outcome.FAILED);
      String own = waits.jobs.queries.view(failed).reason();
      Instant tomorrow = waits.jobs.database.now().plus(Duration.ofDays(1));
      long planned = waits.submit(JobDraft.command("/bin/true").notBefore(tomorrow).spec());
      long ready = waits.submit("ready");
      waits.drain("e1");
      assertThat(waits.place()).isZero();

      assertThat(waits.jobs.queries.view(ready).reason()).startsWith("e1 is draining");
      assertThat(own).isNotBlank();
      assertThat(waits.jobs.queries.view(failed).reason()).as("in back-off").isEqualTo(own);
      assertThat(waits.jobs.queries.view(planned).reason()).as("not before tomorrow").isNull();

      waits.age(failed, Duration.ofSeconds(1));
      assertThat(waits.jobs.queries.view(failed).reason()).startsWith("e1 is draining");
    }
  }

  @Test
  void aJobThatAsksForMoreOfALicenceThanThereIsIsAProblem() {
    try (WaitBench waits = new WaitBench()) {
      ProblemService service = problemsOf(waits);
      waits.employ(JobBench.E1, "e1", 4);
      LicenceService licences = new LicenceService(waits.jobs.database, waits.jobs.wakeUps);
      licences.set("m", 2);
      waits.submit(JobDraft.command("/bin/true").licences(Map.of("m", 2)).spec());
      long large = waits.submit(JobDraft.command("/bin/true").licences(Map.of("m", 3)).spec());
      waits.submit(JobDraft.command("/bin/true").licences(Map.of("m", 1)).spec());
      assertThat(waits.place()).isEqualTo(1);
      assertThat(service.all())
          .as("one of the others waits for those in use")
          .singleElement()
          .satisfies(alert -> assertThat(alert.code()).isEqualTo("JOB_CANNOT_RUN"))
          .satisfies(alert -> assertThat(alert.subject()).isEqualTo("job " + large))
          .satisfies(
              alert ->
                  assertThat(alert.message())
                      .contains(
                          "needs 3 of licence m, of which there are 2",
                          "'millrace licence set m --total 3'"));

      licences.set("m", 3);
      assertThat(service.all()).as("there are enough now").isEmpty();
    }
  }

  private static ProblemService problemsOf(WaitBench waits) {
    return new ProblemService(
        waits.jobs.database,
        new ExecutionNodeViews(waits.jobs.database, NodeDenylist.NONE)::list,
        new ClockSteps(waits.jobs.database),
        waits.jobs.claims,
        waits.jobs.stepElements);
  }

  /** Lets the waits so far have begun that much earlier. */
  private static void earlier(WaitBench waits, Duration time) {
    waits.jobs.database.transaction(
        handle ->
            handle.execute(
                "update shape_wait set began_at = dateadd(second, ?, began_at)",
                -time.toSeconds()));
  }

  private Alert only() {
    List<Alert> all = problems.all();
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  private void sql(String statement) {
    bench.database.transaction(handle -> handle.execute(statement));
  }
}
