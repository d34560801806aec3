package io.millrace.manager.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.BalancerReport;
import io.millrace.api.node.NodeIdentityView;
import io.millrace.api.node.NodeRegistration.RegistrationAnswer;
import io.millrace.api.node.RequestNumber;
import io.millrace.manager.app.CentralTables;
import io.millrace.manager.backup.CentralRestore.RestoreOptions;
import io.millrace.manager.backup.CentralRestore.Restored;
import io.millrace.manager.backup.Interruptions.InterruptedJob;
import io.millrace.manager.insight.LoadBalancers;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.weight.WeightRows;
import io.millrace.manager.node.ExecutionNodeCommands;
import io.millrace.manager.node.ExecutionNodeViews;
import io.millrace.manager.node.ExecutionNodeViews.NodeDenylist;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.node.NodeIdentities;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CentralRestoreTest {
  @TempDir private Path folder;
  private JobBench before;
  private Path target;

  @BeforeEach
  void open() {
    target = folder.resolve("after");
    before = new JobBench(CentralTables.in(folder.resolve("before")), Heartbeat.defaults());
    before.employ(JobBench.E1, "e1", 4);
    before.employ(JobBench.E2, "e2", 4);
  }

  @AfterEach
  void close() {
    before.close();
  }

  @Test
  void theNextAttemptOfAJobOfTheBackupIsAboveThoseOfTheTimeAfterIt() throws IOException {
    long job = before.submit(JobBench.command());
    byte[] copy = copy();
    assertThat(before.place()).isEqualTo(1);

    restore(copy, Duration.ZERO);
    try (JobBench after = restored()) {
      after.employ(JobBench.E1, "e1", 4);
      assertThat(after.place()).isEqualTo(1);
      AttemptId current = after.recorded(JobBench.E1).get(0);
      assertThat(current.job()).isEqualTo(job);
      assertThat(current.number()).isEqualTo(100_001);
      assertThat(after.reports.take(JobBench.E1, List.of(JobBench.started(new AttemptId(job, 1)))))
          .as("attempts that the node is to end")
          .containsExactly(new AttemptId(job, 1));
    }
  }

  @Test
  void numbersOfJobsThatWereSubmittedAfterTheBackupAreNotGivenOutAgain() throws IOException {
    long last = before.submit(JobBench.command());
    byte[] copy = copy();
    long lost = before.submit(JobBench.command());

    Restored restored = restore(copy, Duration.ZERO);
    try (JobBench after = restored()) {
      after.employ(JobBench.E1, "e1", 4);
      long next = after.submit(JobBench.command());
      assertThat(next).isEqualTo(restored.firstNewJob()).isGreaterThan(lost + 900_000);
      after.place();
      assertThat(after.recorded(JobBench.E1)).contains(new AttemptId(next, 1));
      assertThat(after.state(last)).isEqualTo(JobState.PLACED);
      assertThatThrownBy(() -> after.state(lost)).isInstanceOf(MillraceException.class);
    }
  }

  @Test
  void whatWasGivenOutAfterOneRestorationIsNotGivenOutAgainAfterAnotherOneOfTheSameBackup()
      throws IOException {
    long known = before.submit(JobBench.command());
    byte[] copy = copy();
    List<Long> newJobs = new ArrayList<>();
    List<AttemptId> attempts = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      run(copy, new RestoreOptions("backup", true, Duration.ZERO, false));
      try (JobBench after = restored()) {
        after.employ(JobBench.E1, "e1", 4);
        newJobs.add(after.submit(JobBench.command()));
        after.place();
        after.recorded(JobBench.E1).stream()
            .filter(attempt -> attempt.job() == known)
            .forEach(attempts::add);
        after.claims.release("dispatch:default", "test");
      }
    }
    assertThat(newJobs).doesNotHaveDuplicates().isSorted();
    assertThat(attempts).extracting(AttemptId::number).containsExactly(100_001, 200_001, 300_001);
  }

  @Test
  void whatWasGivenOutAfterTheRestorationOfALaterBackupIsNotGivenOutAgain() throws IOException {
    long known = before.submit(JobBench.command());
    byte[] first = copy();
    List<Long> newJobs = new ArrayList<>();
    List<Integer> attempts = new ArrayList<>();
    byte[] second = null;
    for (byte[] copy : new byte[][] {first, null, first}) {
      run(copy == null ? second : copy, new RestoreOptions("backup", true, Duration.ZERO, false));
      try (JobBench after = restored()) {
        // Taken before the job of the backup has got an attempt of this time.
        second = copy(after.database);
        after.employ(JobBench.E1, "e1", 8);
        newJobs.add(after.submit(JobBench.command()));
        after.place();
        after.recorded(JobBench.E1).stream()
            .filter(attempt -> attempt.job() == known)
            .forEach(attempt -> attempts.add(attempt.number()));
        after.claims.release("dispatch:default", "test");
      }
    }
    assertThat(newJobs).doesNotHaveDuplicates().isSorted();
    assertThat(attempts).hasSize(3).doesNotHaveDuplicates().isSorted();
  }

  @Test
  void aBackupOfARestoredDatabaseBeginsAboveItInANewOneToo() throws IOException {
    long known = before.submit(JobBench.command());
    run(copy(), new RestoreOptions("backup", true, Duration.ZERO, false));
    byte[] later;
    try (JobBench after = restored()) {
      later = copy(after.database);
    }
    target = folder.resolve("new");
    restore(later, Duration.ZERO);
    try (JobBench after = restored()) {
      after.employ(JobBench.E1, "e1", 4);
      after.place();
      assertThat(after.recorded(JobBench.E1)).containsExactly(new AttemptId(known, 200_001));
    }
  }

  @Test
  void eachRestorationOfItsOwnBackupLeavesOutTheSameNumbers() throws IOException {
    byte[] copy = copy();
    List<Long> firstJobs = new ArrayList<>();
    for (int cycle = 0; cycle < 4; cycle++) {
      firstJobs.add(
          run(copy, new RestoreOptions("backup", true, Duration.ZERO, false)).firstNewJob());
      try (JobBench after = restored()) {
        after.submit(JobBench.command());
        copy = copy(after.database);
      }
    }
    assertThat(firstJobs.get(3)).isBetween(4_000_000_000L, 4_000_001_000L);
  }

  @Test
  void termsAndVersionsBeginAboveThoseOfTheReplacedDatabase() throws IOException {
    ordered(before.database, 7);
    byte[] copy = copy();
    restore(copy, Duration.ZERO);
    try (JobBench after = restored()) {
      assertThat(orders(after.database)).containsExactly(1_000_007L, 1_000_007L, 1_000_007L);
      ordered(after.database, 90_000_000);
    }
    run(copy, new RestoreOptions("backup", true, Duration.ZERO, false));
    try (JobBench after = restored()) {
      assertThat(orders(after.database)).allMatch(order -> order == 91_000_000);
    }
  }

  private static void ordered(Database database, long number) {
    database.transaction(
        handle -> {
          handle.execute("delete from claim");
          handle.execute("delete from queue_weight");
          handle.execute("delete from partition_group");
          handle.execute(
              "insert into claim (resource, claimant, term, expires_at) values ('r', 'm', ?, now())",
              number);
          handle.execute(
              "insert into queue_weight (queue, version, points) values ('alert', ?, '{}')",
              number);
          return handle.execute(
              "insert into partition_group (name, revision) values ('g', ?)", number);
        });
  }

  private static List<Long> orders(Database database) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "select term from claim where resource = 'r' union all select version from"
                        + " queue_weight union all select revision from partition_group")
                .mapTo(Long.class)
                .list());
  }

  @Test
  void slotsStayThoseOfTheirWeightsUnderHigherEpochsAndStaleOnesStayStale() throws IOException {
    String slots =
        "[{\"from\":0,\"to\":999,\"owner\":{\"node\":\"q1\",\"epoch\":5,\"undrained\":[\"q2\"]}}]";
    before.database.transaction(
        handle -> {
          for (String queue : List.of("orders", "stale")) {
            handle.execute(
                "insert into queue_weight (queue, version, points) values (?, 9, '{\"q1\":1000}')",
                queue);
            handle.execute(
                "insert into queue_slot (queue, version, slots) values (?, ?, ?)",
                queue,
                queue.equals("stale") ? 7 : 9,
                slots);
          }
          return null;
        });

    restore(copy(), Duration.ZERO);

    try (JobBench after = restored()) {
      QueueWeights row = new WeightRows(after.database).find("orders").orElseThrow();
      assertThat(row.version()).isGreaterThan(1_000_000);
      assertThat(row.slots().owner(3))
          .isEqualTo(new SlotOwner("q1", 1_000_005, List.of("q2")));
      assertThat(new WeightRows(after.database).find("stale").orElseThrow().slots()).isNull();
    }
  }

  /** Receivers of notifications remember their ids, and rows of delivered ones are deleted. */
  @Test
  void noGeneratedIdIsGivenOutAgainWhetherItsRowIsStillThereOrNot() throws IOException {
    Map<String, Long> given = before.database.nextIds(CopiedTables.ALL);
    assertThat(given).containsKeys("job", "task_run", "notice", "subject_notice", "problem");
    before.database.load(
        given.keySet().stream().collect(Collectors.toMap(table -> table, table -> 5_000L)),
        load -> null);

    restore(copy(), Duration.ZERO);

    try (JobBench after = restored()) {
      assertThat(after.database.nextIds(CopiedTables.ALL))
          .hasSameSizeAs(given)
          .allSatisfy((table, next) -> assertThat(next).as(table).isGreaterThan(1_000_004_000L));
    }
  }

  @Test
  void singleInstancesAndLanesWaitWhetherTheyWereWaitingOrAreSubmittedLater() throws IOException {
    long waiting = before.submit(JobDraft.command("/bin/true").single("nightly").spec());
    long plain = before.submit(JobBench.command());

    Restored restored = restore(copy(), Duration.ofHours(1));
    assertThat(restored.holdUntil()).isAfter(Instant.now().plus(Duration.ofMinutes(50)));
    try (JobBench after = restored()) {
      after.employ(JobBench.E1, "e1", 8);
      long later = after.submit(JobDraft.command("/bin/true").single("other").spec());
      long lane = after.submit(JobDraft.command("/bin/true").lane("db").spec());
      long ordinary = after.submit(JobBench.command());

      after.place();

      assertThat(after.recorded(JobBench.E1))
          .extracting(AttemptId::job)
          .containsExactlyInAnyOrder(plain, ordinary);
      for (long exclusive : new long[] {waiting, later, lane}) {
        assertThat(after.state(exclusive)).isEqualTo(JobState.WAITING);
      }
    }
  }

  @Test
  void theWaitIsTheLongestFailoverTimePlusTheTimeOfTheWatchdog() throws IOException {
    before.submit(
        JobDraft.command("/bin/true").single("slow").failover(Duration.ofMinutes(30)).spec());
    Restored restored = restore(copy(), null);
    Duration hold = Duration.between(now(), restored.holdUntil()).plus(Duration.ofMinutes(1));
    assertThat(hold).isBetween(Duration.ofMinutes(30), Duration.ofMinutes(32));
  }

  private Instant now() {
    return before.database.now();
  }

  @Test
  void aSingleInstanceThatTheBackupDoesNotKnowEndsBeforeItGetsMoreTime() throws IOException {
    long job = before.submit(JobDraft.command("/bin/true").single("nightly").spec());
    byte[] copy = copy();
    before.place();
    AttemptId old = new AttemptId(job, 1);

    restore(copy, Duration.ZERO);
    try (JobBench after = restored()) {
      // Its node is lost until it registers, and only a registration ends attempts first.
      assertThat(after.nodes.require(JobBench.E1).lost()).isTrue();
      RegistrationAnswer answer = after.register(JobBench.registration(JobBench.E1, "e1", 4, old));
      assertThat(answer.end()).containsExactly(old);
      assertThat(answer.keep()).isEmpty();
    }
  }

  @Test
  void aJobThatWasRunningContinuesIfItsNodeStillRunsItAndRunsAgainIfNot() throws IOException {
    long kept = before.submit(JobBench.command());
    long gone = before.submit(JobBench.command());
    before.place();
    AttemptId first = new AttemptId(kept, 1);
    AttemptId second = new AttemptId(gone, 1);
    before.start(first);
    before.start(second);
    byte[] copy = copy();
    before.end(second, Outcome.SUCCEEDED, 0);

    Restored restored = restore(copy, Duration.ZERO);
    assertThat(restored.running())
        .extracting(InterruptedJob::job)
        .containsExactlyInAnyOrder(kept, gone);
    assertThat(restored.unfinished()).containsEntry("RUNNING", 2L);
    try (JobBench after = restored()) {
      boolean onE1 = after.nodeOf(first).equals(JobBench.E1);
      after.employ(JobBench.E1, "e1", 4, onE1 ? new AttemptId[] {first} : new AttemptId[0]);
      after.employ(JobBench.E2, "e2", 4, onE1 ? new AttemptId[0] : new AttemptId[] {first});
      assertThat(after.state(kept)).isEqualTo(JobState.RUNNING);
      assertThat(after.state(gone)).isEqualTo(JobState.WAITING);
      after.end(first, Outcome.SUCCEEDED, 0);
      assertThat(after.state(kept)).isEqualTo(JobState.SUCCEEDED);
    }
  }

  @Test
  void tasksWhoseTimesHavePassedAreListedUnlessTheyArePaused() throws IOException {
    schedule("due", -60, false, null);
    schedule("later", 3_600, false, null);
    schedule("paused", -60, true, null);
    schedule("paused-longer", -60, true, 3_600);
    schedule("resumes", -60, true, -30);

    assertThat(restore(copy(), Duration.ZERO).dueTasks()).containsExactly("due", "resumes");
  }

  private void schedule(String task, int nextIn, boolean paused, Integer pausedFor) {
    before.database.transaction(
        handle ->
            handle
                .createUpdate(
                    """
                    insert into task_schedule
                      (task, version, first_applied, next_at, revision, paused, paused_until, counter)
                    values (:task, 1, :now, :next, 1, :paused, :until, 0)
                    """)
                .bind("task", task)
                .bind("now", now())
                .bind("next", now().plusSeconds(nextIn))
                .bind("paused", paused)
                .bind("until", pausedFor == null ? null : now().plusSeconds(pausedFor))
                .execute());
  }

  @Test
  void aDatabaseThatIsNotEmptyIsOnlyReplacedIfThatIsWanted() throws IOException {
    before.submit(JobBench.command());
    byte[] copy = copy();
    restore(copy, Duration.ZERO);

    assertThatThrownBy(() -> restore(copy, Duration.ZERO))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("not empty")
        .hasMessageContaining("--overwrite");
    Restored again = run(copy, new RestoreOptions("b", true, Duration.ZERO, false));
    assertThat(again.unfinished()).containsEntry("WAITING", 1L);
  }

  @Test
  void anIdentityThatWasWithdrawnAfterTheBackupStaysWithdrawn() throws IOException {
    NodeIdentity known = node("e7");
    accept(before.database, known);
    byte[] copy = copy();
    restore(copy, Duration.ZERO);
    NodeIdentity joinedSince = node("e8");
    try (JobBench used = restored()) {
      accept(used.database, joinedSince);
      NodeIdentities identities = identities(used.database);
      identities.withdraw("e7", "ann");
      identities.withdraw("e8", "ann");
    }

    Restored again = run(copy, new RestoreOptions("b", true, Duration.ZERO, false));

    assertThat(again.withdrawals()).isEqualTo(2);
    try (JobBench after = restored()) {
      for (NodeIdentity one : List.of(known, joinedSince)) {
        assertThatThrownBy(() -> accept(after.database, one))
            .isInstanceOfSatisfying(
                MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
      }
      assertThat(identities(after.database).all())
          .filteredOn(one -> one.withdrawnBy() != null)
          .extracting(NodeIdentityView::name, NodeIdentityView::withdrawnBy)
          .containsExactlyInAnyOrder(tuple("e7", "ann"), tuple("e8", "ann"));
      accept(after.database, node("e7"));
    }
  }

  @Test
  void aNodeDoesNotGetAWithdrawnIdentityBack() throws IOException {
    byte[] copy = copy();
    accept(before.database, new NodeIdentity(Role.EXECUTION_NODE, "e1", JobBench.E1));
    byte[] later = copy();
    restore(later, Duration.ZERO);
    try (JobBench used = restored()) {
      identities(used.database).withdraw("e1", "ann");
    }
    Restored again = run(copy, new RestoreOptions("b", true, Duration.ZERO, false));
    assertThat(again.nodes()).containsKey("e2").doesNotContainKey("e1");
  }

  @Test
  void nodesAreCalledOnlyAtAddressesThatTheyHaveReportedSince() throws IOException {
    URI original = before.nodes.require(JobBench.E1).address();
    BalancerReport balancer =
        new BalancerReport(new UUID(2, 1), "lb1", URI.create("http://127.0.0.1:1"), 0, 0);
    new LoadBalancers(before.registry).accept(balancer, new RequestNumber(1, 1));
    restore(copy(), Duration.ZERO);
    try (JobBench after = restored()) {
      // The cluster of the backup may still be running there.
      assertThat(after.nodes.require(JobBench.E1).address()).isNull();
      assertThat(new LoadBalancers(after.registry).live()).isEmpty();
      after.employ(JobBench.E1, "e1", 4);
      new LoadBalancers(after.registry).accept(balancer, new RequestNumber(2, 1));
      assertThat(after.nodes.require(JobBench.E1).address()).isEqualTo(original);
      assertThat(new LoadBalancers(after.registry).live()).containsExactly(balancer);
    }
  }

  @Test
  void nothingStartsOnDrainedNodesUntilAnOperatorUndrainsThem() throws IOException {
    long job = before.submit(JobBench.command());
    run(copy(), new RestoreOptions("backup", false, Duration.ZERO, true));
    try (JobBench after = restored()) {
      after.employ(JobBench.E1, "e1", 4);
      // Not of the backup: others than it had, or with new data directories.
      after.employ(JobBench.E2, "e2", 4);
      after.employ(new UUID(1, 3), "e3", 4);
      assertThat(after.place()).isZero();
      new ExecutionNodeCommands(
              after.database,
              new ExecutionNodeViews(after.database, NodeDenylist.NONE),
              after.wakeUps)
          .undrain("e1", "test");
      assertThat(after.place()).isEqualTo(1);
      assertThat(after.recorded(JobBench.E1)).extracting(AttemptId::job).containsExactly(job);
      // An operator has let the cluster run, so that nodes that join later do.
      after.employ(new UUID(1, 4), "e4", 4);
      assertThat(after.nodes.require(new UUID(1, 4)).requested(Instant.EPOCH))
          .isEqualTo(NodeStatus.ACTIVE);
    }
  }

  @Test
  void everyNodeOfTheBackupKeepsItsIdAlsoALoadBalancer() throws IOException {
    UUID balancer = UUID.randomUUID();
    new LoadBalancers(before.registry)
        .accept(
            new BalancerReport(balancer, "lb1", URI.create("http://127.0.0.1:1"), 0, 0),
            new RequestNumber(1, 1));
    assertThat(restore(copy(), Duration.ZERO).nodes())
        .containsEntry("lb1", balancer.toString())
        .containsEntry("e1", JobBench.E1.toString());
  }

  private static NodeIdentity node(String name) {
    return new NodeIdentity(Role.EXECUTION_NODE, name, UUID.randomUUID());
  }

  private static NodeIdentities identities(Database database) {
    return new NodeIdentities(database, new SystemClock());
  }

  private static void accept(Database database, NodeIdentity node) {
    identities(database).require(Principal.of(node));
  }

  @Test
  void aDatabaseThatACentralManagerUsesIsRefused() throws IOException {
    byte[] copy = copy();
    restore(copy, Duration.ZERO);
    try (JobBench after = restored()) {
      after.place();
    }
    assertThatThrownBy(() -> run(copy, new RestoreOptions("b", true, Duration.ZERO, false)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("stop all central managers");
  }

  @Test
  void aCopyThatWasCutOffOrIsOfALaterVersionChangesNothing() throws IOException {
    before.submit(JobBench.command());
    String copy = new String(copy(), StandardCharsets.UTF_8);
    String cut = copy.substring(0, copy.lastIndexOf("{\"end\""));
    String later = copy.replaceFirst("\"central\":\"[0-9]+\"", "\"central\":\"999\"");

    assertThatThrownBy(() -> restore(cut.getBytes(StandardCharsets.UTF_8), Duration.ZERO))
        .hasMessageContaining("ends early");
    assertThatThrownBy(() -> restore(later.getBytes(StandardCharsets.UTF_8), Duration.ZERO))
        .hasMessageContaining("does not know version 999");
    String foreign = copy.replace("{\"table\":\"licence\"", "{\"table\":\"x; drop table job\"");
    assertThatThrownBy(() -> restore(foreign.getBytes(StandardCharsets.UTF_8), Duration.ZERO))
        .hasMessageContaining("does not know");
    restore(copy.getBytes(StandardCharsets.UTF_8), Duration.ZERO);
  }

  private byte[] copy() throws IOException {
    return copy(before.database);
  }

  private static byte[] copy(Database database) throws IOException {
    ByteArrayOutputStream copy = new ByteArrayOutputStream();
    CentralCopy.write(database, copy);
    return copy.toByteArray();
  }

  private Restored restore(byte[] copy, Duration hold) throws IOException {
    return run(copy, new RestoreOptions("backup", false, hold, false));
  }

  private Restored run(byte[] copy, RestoreOptions options) throws IOException {
    return new CentralRestore(settings(), Heartbeat.defaults())
        .run(() -> new ByteArrayInputStream(copy), options);
  }

  private DatabaseSettings settings() {
    return DatabaseSettings.file(target, "central");
  }

  private JobBench restored() {
    return new JobBench(Database.open(settings(), CopiedTables.MODULES), Heartbeat.defaults());
  }
}
