package io.millrace.tests.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimDao.ClaimState;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.database.Dialect;
import io.millrace.platform.lifecycle.Threads;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of claims on every database. A subclass provides the database. */
@Timeout(120)
public abstract class ClaimStoreContract {

  private static final String DISPATCH = "dispatch/default";
  private static final Duration LONG = Duration.ofHours(1);

  private Database database;
  private ClaimDao claims;

  /** An empty database. */
  protected abstract DatabaseSettings settings() throws Exception;

  @BeforeEach
  void open() throws Exception {
    database = Database.open(settings(), List.of("platform"));
    claims = new ClaimDao(database);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void anUnclaimedResourceIsTakenWithTheFirstTerm() {
    assertThat(take("one")).contains(new Claim(DISPATCH, "one", 1));
  }

  @Test
  void theHolderRenewsWithoutChangingTheTerm() {
    take("one");

    assertThat(take("one")).contains(new Claim(DISPATCH, "one", 1));
  }

  @Test
  void aClaimWithMostOfItsTimeRemainingIsNotWritten() {
    take("one", Duration.ofMinutes(100));
    Instant end = claims.list().get(0).expiresAt();

    assertThat(take("one", Duration.ofMinutes(100))).contains(new Claim(DISPATCH, "one", 1));

    assertThat(claims.list().get(0).expiresAt()).isEqualTo(end);
  }

  @Test
  void aClaimWithLessThanThreeQuartersOfItsTimeRemainingIsRenewed() {
    take("one", Duration.ofMinutes(74));
    Instant end = claims.list().get(0).expiresAt();

    assertThat(take("one", Duration.ofMinutes(100))).contains(new Claim(DISPATCH, "one", 1));

    assertThat(claims.list().get(0).expiresAt()).isAfter(end.plus(Duration.ofMinutes(20)));
  }

  @Test
  void anotherInstanceGetsNothingWhileTheClaimIsLive() {
    take("one");

    assertThat(take("two")).isEmpty();
  }

  @Test
  void resourcesAreClaimedIndependently() {
    take("one");

    assertThat(claims.acquireOrRenew("dispatch/gpu", "two", LONG)).isPresent();
  }

  @Test
  void takingOverAnExpiredClaimIncrementsTheTerm() {
    take("one");
    expire();

    assertThat(take("two")).contains(new Claim(DISPATCH, "two", 2));
    assertThat(take("one")).isEmpty();
  }

  @Test
  void theTermIncreasesEvenWhenTheSameInstanceReturnsAfterItsClaimExpired() {
    take("one");
    expire();

    assertThat(take("one")).contains(new Claim(DISPATCH, "one", 2));
  }

  @Test
  void aReleasedClaimIsFreeImmediatelyAndItsTermIsNeverReused() {
    take("one");

    claims.release(DISPATCH, "one");

    assertThat(take("two")).contains(new Claim(DISPATCH, "two", 2));
  }

  @Test
  void releasingAClaimOfAnotherInstanceHasNoEffect() {
    take("one");

    claims.release(DISPATCH, "two");

    assertThat(take("two")).isEmpty();
  }

  @Test
  void onlyTheHolderCanLockAClaimAndOnlyWithItsCurrentUnexpiredTerm() {
    Claim stale = take("one").orElseThrow();
    expire();
    Claim current = take("two").orElseThrow();

    assertThat(lockable(current)).isTrue();
    assertThat(lockable(stale)).isFalse();
    assertThat(lockable(new Claim(DISPATCH, "one", current.term()))).isFalse();
    assertThat(lockable(new Claim(DISPATCH, "two", stale.term()))).isFalse();
    assertThat(lockable(new Claim("dispatch/other", "two", current.term()))).isFalse();
    expire();
    assertThat(lockable(current)).isFalse();
  }

  @Test
  void aTakeoverWaitsForTheTransactionThatLockedTheClaim() throws Exception {
    Claim held = claims.acquireOrRenew(DISPATCH, "one", Duration.ofMillis(300)).orElseThrow();
    CountDownLatch locked = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    CompletableFuture<Boolean> holder =
        supply(
            () ->
                database.transaction(
                    handle -> {
                      boolean mine = claims.lock(handle, held);
                      locked.countDown();
                      finish.await();
                      return mine;
                    }));
    locked.await();
    while (claims.list().get(0).live()) {
      Thread.onSpinWait();
    }

    CompletableFuture<Optional<Claim>> successor = supply(() -> take("two"));

    await().during(Duration.ofMillis(100)).until(() -> !successor.isDone());
    finish.countDown();

    assertThat(holder.get()).isTrue();
    assertThat(successor.get()).contains(new Claim(DISPATCH, "two", 2));
  }

  @Test
  void otherInstancesAreNotBlockedByTheHoldersTransactions() throws Exception {
    Claim held = take("one").orElseThrow();

    // Not by way of the database, which runs one transaction at a time if it is embedded.
    boolean nothingGot =
        database.read(
            handle ->
                handle.inTransaction(
                    transaction -> {
                      assertThat(claims.lock(transaction, held)).isTrue();
                      return supply(() -> take("two")).get(5, TimeUnit.SECONDS).isEmpty();
                    }));

    assertThat(nothingGot).isTrue();
  }

  @RepeatedTest(20)
  void exactlyOneOfManyConcurrentInstancesGetsTheClaim() throws Exception {
    assertThat(winnersAmong(6, "first")).hasSize(1);
    expire();

    assertThat(winnersAmong(6, "second"))
        .singleElement()
        .satisfies(winner -> assertThat(winner.term()).isEqualTo(2));
  }

  @Test
  void theListShowsTheHolderOfEachClaim() {
    take("one");
    claims.acquireOrRenew("retention", "two", LONG);
    claims.release("retention", "two");

    List<ClaimState> list = claims.list();

    assertThat(list)
        .extracting(ClaimState::claim)
        .containsExactly(new Claim(DISPATCH, "one", 1), new Claim("retention", "two", 1));
    assertThat(list).extracting(ClaimState::live).containsExactly(true, false);
    assertThat(list.get(0).expiresAt()).isAfter(database.now());
  }

  @Test
  void afterAForwardStepOfTheDatabaseClockTheClaimChangesHandsAndTheFormerHolderIsFenced() {
    Claim before = take("one").orElseThrow();
    stepDatabase(Duration.ofHours(1).plusSeconds(1));

    assertThat(lockable(before)).isFalse();
    Claim after = take("two").orElseThrow();
    assertThat(after.term()).isEqualTo(2);
    assertThat(take("one")).isEmpty();
    assertThat(lockable(before)).isFalse();
    assertThat(lockable(after)).isTrue();
  }

  @Test
  void aForwardClockStepDuringTheHoldersTransactionMakesTheTakeoverWaitForItsEnd()
      throws Exception {
    Claim held = take("one").orElseThrow();
    CompletableFuture<Optional<Claim>> successor =
        database.transaction(
            handle -> {
              assertThat(claims.lock(handle, held)).isTrue();
              handle.execute("UPDATE claim SET expires_at = '2000-01-01 00:00:00'");
              CompletableFuture<Optional<Claim>> other = supply(() -> take("two"));
              await().during(Duration.ofMillis(100)).until(() -> notGiven(other));
              return other;
            });

    // It saw the claim as unexpired before the step was visible, or it waited and takes over now.
    Claim taken = successor.get().or(() -> take("two")).orElseThrow();
    assertThat(taken).isEqualTo(new Claim(DISPATCH, "two", 2));
  }

  @Test
  void afterABackwardStepOfTheDatabaseClockTheClaimOfADeadHolderIsTakenOverImmediately() {
    Claim dead = take("one", Duration.ofSeconds(10)).orElseThrow();
    stepDatabase(Duration.ofHours(-1));

    assertThat(take("two", Duration.ofSeconds(10))).contains(new Claim(DISPATCH, "two", 2));
    assertThat(lockable(dead)).isFalse();
  }

  @Test
  void afterABackwardStepOfTheDatabaseClockALiveHolderRenewsForItsUsualDuration() {
    take("one", Duration.ofSeconds(10));
    stepDatabase(Duration.ofHours(-1));

    assertThat(take("one", Duration.ofSeconds(10))).contains(new Claim(DISPATCH, "one", 1));
    assertThat(claims.list().get(0).expiresAt()).isBefore(database.now().plusSeconds(11));
    assertThat(take("two", Duration.ofSeconds(10))).isEmpty();
  }

  private static boolean notGiven(CompletableFuture<Optional<Claim>> claim) {
    return !claim.isDone() || claim.join().isEmpty();
  }

  /**
   * Shifts the stored times in the opposite direction, which is the observable effect of a clock
   * step.
   */
  private void stepDatabase(Duration step) {
    String back =
        database.dialect() == Dialect.H2
            ? "DATEADD(MICROSECOND, :by, expires_at)"
            : "expires_at + INTERVAL :by MICROSECOND";
    database.transaction(
        handle ->
            handle
                .createUpdate("UPDATE claim SET expires_at = " + back)
                .bind("by", -step.toNanos() / 1000)
                .execute());
  }

  private Optional<Claim> take(String claimant, Duration ttl) {
    return claims.acquireOrRenew(DISPATCH, claimant, ttl);
  }

  private List<Claim> winnersAmong(int count, String name) throws Exception {
    CyclicBarrier together = new CyclicBarrier(count);
    List<CompletableFuture<Optional<Claim>>> outcomes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String claimant = name + i;
      outcomes.add(
          supply(
              () -> {
                together.await();
                return take(claimant);
              }));
    }
    List<Claim> winners = new ArrayList<>();
    for (CompletableFuture<Optional<Claim>> outcome : outcomes) {
      outcome.get(60, TimeUnit.SECONDS).ifPresent(winners::add);
    }
    return winners;
  }

  private Optional<Claim> take(String claimant) {
    return claims.acquireOrRenew(DISPATCH, claimant, LONG);
  }

  private boolean lockable(Claim claim) {
    return database.transaction(handle -> claims.lock(handle, claim));
  }

  private void expire() {
    String past = database.dialect().nowPlusMicros("-1");
    database.read(handle -> handle.execute("UPDATE claim SET expires_at = " + past));
  }

  private static <T> CompletableFuture<T> supply(Callable<T> work) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    Threads.daemon(
            "claimant",
            () -> {
              try {
                outcome.complete(work.call());
              } catch (Exception failure) {
                outcome.completeExceptionally(failure);
              }
            })
        .start();
    return outcome;
  }
}
