package io.millrace.tests.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.partition.MineRequest;
import io.millrace.api.partition.MineRequest.MineAnswer;
import io.millrace.api.partition.PartitionGroup;
import io.millrace.api.partition.PartitionGroup.MemberRequest;
import io.millrace.api.partition.PartitionGroup.Membership;
import io.millrace.api.partition.PartitionGroup.PartitionMember;
import io.millrace.manager.partition.MemberExpiry;
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
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of groups on every database. A subclass provides the database. */
@Timeout(120)
abstract class PartitionGroupsContract {
  private static final String GROUP = "compute-h1-discovery";
  private static final Duration TTL = Duration.ofSeconds(3);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final List<String> RESOURCES =
      IntStream.range(0, 500).mapToObj(number -> "vm-" + number).toList();

  private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
  private Database database;
  private ClaimDao claims;
  private PartitionGroups groups;
  private MemberExpiry expiry;
  private Claim claim;

  /** An empty database. */
  protected abstract DatabaseSettings settings() throws Exception;

  @BeforeEach
  void open() throws Exception {
    database = Database.open(settings(), List.of("platform", "central"));
    claims = new ClaimDao(database);
    groups = new PartitionGroups(database);
    expiry = new MemberExpiry(database, claims, clock, new WriteProof(database, clock));
    claim = claims.acquireOrRenew("losing", "c1", DAY).orElseThrow();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void aJoiningMemberReceivesTheLiveMembersAndEveryChangeIncrementsTheRevision() {
    Membership a = join("a");
    Membership b = join("b");
    assertThat(a.members()).containsExactly("a");
    assertThat(b.members()).containsExactly("a", "b");
    assertThat(b.revision()).isGreaterThan(a.revision());
    assertThat(b.term()).isGreaterThan(a.term());
    groups.leave(GROUP, "a", a.term());
    PartitionGroup after = groups.show(GROUP);
    assertThat(after.members()).extracting(PartitionMember::name).containsExactly("b");
    assertThat(after.revision()).isGreaterThan(b.revision());
  }

  @Test
  void aHeartbeatChangesNeitherTheTermNorTheRevision() {
    Membership joined = join("a");
    assertThat(renew(joined)).isEqualTo(joined);
  }

  @Test
  void groupsAreIndependent() {
    join("a");
    groups.join("global", new MemberRequest("z", TTL, null));
    assertThat(groups.show(GROUP).members()).extracting(PartitionMember::name).containsExactly("a");
    assertThat(groups.list()).extracting(PartitionGroup::name).containsExactly(GROUP, "global");
  }

  @Test
  void theSharesOfAllMembersCoverEveryResourceOnce() {
    List<Membership> members = List.of(join("a"), join("b"), join("c"));
    List<String> all = new ArrayList<>();
    for (Membership member : members) {
      MineAnswer answer = mine(member, null);
      assertThat(answer.resources()).isNotEmpty();
      assertThat(answer.waits()).isFalse();
      all.addAll(answer.resources());
    }
    assertThat(all).containsExactlyInAnyOrderElementsOf(RESOURCES);
  }

  @Test
  void aSecondProcessWithTheSameNameEndsTheMembershipOfTheFirst() {
    Membership first = join("a");
    Membership second = join("a");
    assertThat(second.members()).containsExactly("a");
    refused(() -> renew(first), ErrorCode.CONFLICT, "a unique name");
    refused(() -> mine(first, null), ErrorCode.CONFLICT, "a unique name");
    assertThat(groups.leave(GROUP, "a", first.term())).isFalse();
    assertThat(mine(second, null).resources()).isEqualTo(RESOURCES);
  }

  @Test
  void aMemberWhoseMembershipHasEndedMustJoinAgain() {
    Membership joined = join("a");
    assertThat(groups.leave(GROUP, "a", joined.term())).isTrue();
    assertThat(groups.leave(GROUP, "a", joined.term())).isFalse();
    refused(() -> renew(joined), ErrorCode.UNKNOWN_GROUP, "join again");
    refused(() -> mine(joined, null), ErrorCode.UNKNOWN_GROUP, "join again");
    assertThat(join("a").term()).isGreaterThan(joined.term());
  }

  @Test
  void groupsAreBoundedInNumber() {
    groups = new PartitionGroups(database, 2);
    Membership known = join("a");
    groups.join("second", new MemberRequest("a", TTL, null));
    refused(
        () -> groups.join("third", new MemberRequest("a", TTL, null)),
        ErrorCode.CONFLICT,
        "there are 2 groups");
    assertThat(groups.list()).hasSize(2);
    renew(known);
    assertThat(join("b").members()).contains("a", "b");
  }

  @Test
  void aGroupWithoutMembersIsUnknown() {
    refused(() -> groups.show("none"), ErrorCode.UNKNOWN_GROUP, "none");
    refused(
        () -> groups.mine("none", new MineRequest("a", 1, RESOURCES, null)),
        ErrorCode.UNKNOWN_GROUP,
        "none");
    refused(
        () -> groups.join("no/name", new MemberRequest("a", TTL, null)),
        ErrorCode.INVALID_REQUEST,
        "group");
  }

  @Test
  void sharesDoNotChangeDuringACycle() {
    Membership a = join("a");
    Membership b = join("b");
    joinedLongAgo();
    Membership late = join("late");
    assertThat(mine(late, DAY).waits()).isTrue();
    assertThat(mine(late, DAY).resources()).isEmpty();
    List<String> share = mine(a, DAY).resources();
    assertThat(share).hasSizeLessThan(RESOURCES.size());
    groups.leave(GROUP, "b", b.term());
    assertThat(mine(a, DAY).resources()).isEqualTo(share);
    assertThat(mine(a, null).resources()).isNotEqualTo(share);
  }

  @Test
  void aSilentMemberIsLostAndItsShareGoesToTheOthers() {
    Membership a = join("a");
    join("b");
    for (int second = 0; second < 4; second++) {
      assertThat(groups.show(GROUP).members()).hasSize(2);
      renew(a);
      look();
    }
    assertThat(groups.show(GROUP).members()).extracting(PartitionMember::name).containsExactly("a");
    assertThat(groups.show(GROUP).revision()).isGreaterThan(a.revision());
    assertThat(mine(a, null).resources()).isEqualTo(RESOURCES);
  }

  @Test
  void aHeartbeatBetweenTheScanAndTheRemovalKeepsTheMember() {
    Membership a = join("a");
    for (int second = 0; second < 3; second++) {
      look();
    }
    clock.advance(LOOK);
    expiry.observe();
    renew(a);
    expiry.run(claim);
    assertThat(groups.show(GROUP).members()).hasSize(1);
  }

  @Test
  void anInstanceWithoutTheClaimRemovesNoMember() {
    join("a");
    claims.release("losing", "c1");
    for (int second = 0; second < 6; second++) {
      look();
    }
    assertThat(groups.show(GROUP).members()).hasSize(1);
  }

  @Test
  void membersThatJoinConcurrentlyGetDistinctTerms() {
    List<CompletableFuture<Membership>> joining =
        IntStream.range(0, 8)
            .mapToObj(one -> CompletableFuture.supplyAsync(() -> join("m" + one)))
            .toList();
    List<Long> terms = joining.stream().map(one -> one.join().term()).toList();
    assertThat(terms).doesNotHaveDuplicates();
    assertThat(groups.show(GROUP).members()).hasSize(8);
    assertThat(groups.show(GROUP).revision()).isEqualTo(8);
  }

  private Membership join(String name) {
    return groups.join(GROUP, new MemberRequest(name, TTL, null));
  }

  private Membership renew(Membership life) {
    return groups.join(GROUP, new MemberRequest(life.member(), TTL, life.term()));
  }

  private MineAnswer mine(Membership life, Duration interval) {
    return groups.mine(GROUP, new MineRequest(life.member(), life.term(), RESOURCES, interval));
  }

  private void look() {
    clock.advance(LOOK);
    expiry.observe();
    expiry.run(claim);
  }

  private void joinedLongAgo() {
    database.transaction(
        handle ->
            handle.execute(
                "update partition_member set joined_at = timestamp '2020-01-01 00:00:00'"));
  }

  private static void refused(ThrowingCallable call, ErrorCode code, String words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }
}
