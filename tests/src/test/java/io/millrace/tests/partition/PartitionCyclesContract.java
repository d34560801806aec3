package io.millrace.tests.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.partition.NextRequest;
import io.millrace.api.partition.NextRequest.NextAnswer;
import io.millrace.api.partition.PartitionGroup.MemberRequest;
import io.millrace.api.partition.PartitionGroup.Membership;
import io.millrace.api.partition.PartitionGroup.PartitionCycle;
import io.millrace.manager.partition.MemberExpiry;
import io.millrace.manager.partition.PartitionCycles;
import io.millrace.manager.partition.PartitionGroups;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.database.WriteProof;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of a group's cycles on every database. A subclass provides the database. */
@Timeout(120)
abstract class PartitionCyclesContract {
  private static final String GROUP = "alarm";
  private static final Duration TTL = Duration.ofSeconds(3);
  private static final Duration DAY = Duration.ofDays(1);
  private static final List<String> RESOURCES =
      IntStream.range(0, 60).mapToObj(number -> "vm-" + number).toList();

  private Database database;
  private PartitionGroups groups;
  private PartitionCycles cycles;
  private Membership a;
  private Membership b;

  /** An empty database. */
  protected abstract DatabaseSettings settings() throws Exception;

  @BeforeEach
  void open() throws Exception {
    database = Database.open(settings(), List.of("platform", "central"));
    groups = new PartitionGroups(database);
    cycles = new PartitionCycles(database);
    a = join("a");
    b = join("b");
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void everyResourceIsAssignedToOneMemberAndRecordedOnce() {
    List<String> polled = new ArrayList<>();
    polled.addAll(pollAll(a, begin(a)));
    NextAnswer answer = begin(b);
    assertThat(answer.finished()).isFalse();
    polled.addAll(pollAll(b, answer));
    assertThat(polled).containsExactlyInAnyOrderElementsOf(RESOURCES);
    assertThat(goOn(a).finished()).isTrue();
    PartitionCycle cycle = lastCycle();
    assertThat(cycle.done()).isEqualTo(cycle.total()).isEqualTo(RESOURCES.size());
    assertThat(cycle.again()).isZero();
  }

  @Test
  void aMemberIsAssignedNoMoreThanItRequested() {
    NextAnswer first = next(request(a, RESOURCES, 0, List.of(), 5));
    assertThat(first.resources()).hasSize(5);
    List<String> two = first.resources().subList(0, 2);
    NextAnswer second = next(request(a, null, first.cycle(), two, 5));
    assertThat(second.recorded()).isEqualTo(2);
    assertThat(second.resources())
        .hasSize(5)
        .containsAll(first.resources().subList(2, 5))
        .doesNotContainAnyElementsOf(two);
  }

  @Test
  void aLostAnswerIsRepeated() {
    NextAnswer lost = begin(a);
    assertThat(begin(a).resources()).isEqualTo(lost.resources());
    NextAnswer next = report(a, lost);
    NextAnswer repeated = report(a, lost);
    assertThat(repeated.recorded()).isZero();
    assertThat(repeated.resources()).isEqualTo(next.resources());
  }

  @Test
  void theResourcesOfALostMemberArePolledByTheOthersInTheSameCycle() {
    NextAnswer first = begin(a);
    NextAnswer second = report(a, first);
    lose(a);
    List<String> rest = pollAll(b, begin(b));
    assertThat(rest).containsAll(second.resources()).doesNotContainAnyElementsOf(first.resources());
    assertThat(rest).hasSize(RESOURCES.size() - first.resources().size());
    assertThat(goOn(b).finished()).isTrue();
    assertThat(lastCycle().again()).isEqualTo(second.resources().size());
  }

  @Test
  void aLaterReportOfALostMemberIsIgnored() {
    NextAnswer held = begin(a);
    lose(a);
    refused(() -> report(a, held), ErrorCode.UNKNOWN_GROUP);
    Membership again = join("a");
    assertThat(next(request(again, null, held.cycle(), held.resources(), 5)).recorded()).isZero();
    assertThat(pollAll(b, begin(b))).containsExactlyInAnyOrderElementsOf(RESOURCES);
    assertThat(lastCycle().done()).isEqualTo(RESOURCES.size());
  }

  @Test
  void theReportedResourcesOfALeavingMemberAreNotPolledAgain() {
    NextAnswer first = begin(a);
    NextAnswer second = report(a, first);
    report(a, second);
    groups.leave(GROUP, "a", a.term());
    List<String> rest = pollAll(b, begin(b));
    assertThat(rest)
        .doesNotContainAnyElementsOf(first.resources())
        .doesNotContainAnyElementsOf(second.resources())
        .hasSize(RESOURCES.size() - first.resources().size() - second.resources().size());
  }

  @Test
  void aMemberThatJoinsDuringACycleWaitsForTheNextOne() {
    begin(a);
    Membership late = join("late");
    NextAnswer answer = begin(late);
    assertThat(answer.waits()).isTrue();
    assertThat(answer.resources()).isEmpty();
    over();
    assertThat(begin(late).waits()).isFalse();
    assertThat(begin(late).resources()).isNotEmpty();
  }

  @Test
  void aJoiningMemberDoesNotWaitIfNoOtherMemberIsLeft() {
    NextAnswer held = begin(a);
    report(a, held);
    lose(a);
    groups.leave(GROUP, "b", b.term());
    Membership late = join("late");
    NextAnswer answer = begin(late);
    assertThat(answer.waits()).isFalse();
    assertThat(pollAll(late, answer)).hasSize(RESOURCES.size() - held.resources().size());
    assertThat(goOn(late).finished()).isTrue();
  }

  @Test
  void theNextCycleBeginsOnceTheIntervalHasPassedAndAMemberHasAList() {
    NextAnswer first = begin(a);
    assertThat(first.left()).isPositive();
    over();
    assertThat(goOn(b).cycle()).as("it remains current until the next begins").isEqualTo(1);
    assertThat(goOn(b).left()).isZero();
    NextAnswer next = begin(b);
    assertThat(next.cycle()).isEqualTo(2);
    assertThat(report(a, first).recorded()).as("late, but not reassigned").isPositive();
    assertThat(groups.show(GROUP).cycles())
        .extracting(PartitionCycle::number)
        .containsExactly(2L, 1L);
    assertThat(goOn(a).cycle()).isEqualTo(2);
  }

  @Test
  void unpolledResourcesOfACycleComeFirstInTheNext() {
    NextAnswer first = begin(a);
    NextAnswer second = report(a, first);
    over();
    List<String> early = begin(a).resources();
    assertThat(early).doesNotContainAnyElementsOf(first.resources());
    assertThat(early).doesNotContainAnyElementsOf(second.resources());
  }

  @Test
  void resourcesAreAddedAndRemovedWithTheListsOfTheMembers() {
    begin(a);
    List<String> more = Stream.concat(RESOURCES.stream(), Stream.of("new")).toList();
    next(request(b, more, 0, List.of(), 5));
    assertThat(lastCycle().total()).isEqualTo(RESOURCES.size() + 1);
    over();
    next(request(b, List.of("vm-1", "new", "new"), 0, List.of(), 5));
    assertThat(lastCycle().total()).isEqualTo(2);
    List<String> polled = new ArrayList<>(pollAll(a, goOn(a)));
    polled.addAll(pollAll(b, goOn(b)));
    assertThat(polled).containsExactlyInAnyOrder("vm-1", "new");
  }

  @Test
  void anEmptyCycleFinishesImmediately() {
    assertThat(next(request(a, List.of(), 0, List.of(), 5)).finished()).isTrue();
  }

  @Test
  void withoutACycleThereIsNothingToContinue() {
    refused(() -> goOn(a), ErrorCode.INVALID_REQUEST);
    refused(
        () -> cycles.next("none", request(a, RESOURCES, 0, List.of(), 5)), ErrorCode.UNKNOWN_GROUP);
  }

  @Test
  void aSecondProcessWithTheSameNameReplacesTheFirstInTheCycle() {
    begin(a);
    join("a");
    refused(() -> goOn(a), ErrorCode.CONFLICT);
  }

  @Test
  void theStateOfAGroupIsDeletedWhenItNoLongerSharesAnything() throws Exception {
    begin(a);
    ClaimDao claims = new ClaimDao(database);
    ManualClock still = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    MemberExpiry expiry =
        new MemberExpiry(database, claims, still, new WriteProof(database, still));
    Claim claim = claims.acquireOrRenew("losing", "c1", DAY).orElseThrow();
    expiry.run(claim);
    assertThat(goOn(a).cycle()).isEqualTo(1);
    over();
    expiry.run(claim);
    assertThat(rows("partition_resource")).isZero();
    assertThat(groups.show(GROUP).cycles()).isEmpty();
  }

  private Membership join(String name) {
    return groups.join(GROUP, new MemberRequest(name, TTL, null));
  }

  /** As the duty that removes silent members. */
  private void lose(Membership life) {
    database.transaction(
        handle -> {
          handle.execute("delete from partition_member where term = " + life.term());
          return handle.execute("update partition_group set revision = revision + 1");
        });
  }

  /** Moves the last cycle back, so that its interval has passed. */
  private void over() {
    database.transaction(
        handle ->
            handle.execute(
                "update partition_cycle set began_at = timestamp '2020-01-01 00:00:00'"));
  }

  private NextAnswer begin(Membership life) {
    return next(request(life, RESOURCES, 0, List.of(), 5));
  }

  private NextAnswer goOn(Membership life) {
    return next(request(life, null, 0, List.of(), 5));
  }

  private NextAnswer report(Membership life, NextAnswer before) {
    return next(NextRequest.after(life.member(), life.term(), before, 5));
  }

  /** Polls until this member has no more resources; returns those it polled. */
  private List<String> pollAll(Membership life, NextAnswer first) {
    List<String> polled = new ArrayList<>();
    NextAnswer answer = first;
    while (!answer.resources().isEmpty()) {
      polled.addAll(answer.resources());
      NextAnswer next = report(life, answer);
      assertThat(next.recorded()).isEqualTo(answer.resources().size());
      answer = next;
    }
    return polled;
  }

  private NextAnswer next(NextRequest request) {
    return cycles.next(GROUP, request);
  }

  private static NextRequest request(
      Membership life, List<String> resources, long cycle, List<String> done, int most) {
    Duration interval = resources == null ? null : DAY;
    return new NextRequest(life.member(), life.term(), resources, interval, cycle, done, most);
  }

  private PartitionCycle lastCycle() {
    return groups.show(GROUP).cycles().get(0);
  }

  private int rows(String table) {
    return database.read(
        handle -> handle.createQuery("select count(*) from " + table).mapTo(Integer.class).one());
  }

  private static void refused(ThrowingCallable call, ErrorCode code) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
