package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.ResourceScale;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.platform.claim.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyTest {
  private final JobBench bench = JobBench.withTwoNodes(4);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void theSameKeyWithTheSameSpecificationIsTheSameJob() {
    long first = bench.ledger.submit("ann", JobBench.command(), "key-1").id();
    assertThat(bench.ledger.submit("ann", JobBench.command(), "key-1").id()).isEqualTo(first);
    assertThat(bench.ledger.submit("ann", JobBench.command(), "key-2").id()).isNotEqualTo(first);
    assertThat(bench.ledger.submit("bob", JobBench.command(), "key-1").id()).isNotEqualTo(first);
    assertThat(bench.totals().submitted().waiting()).isEqualTo(3);
  }

  @Test
  void theSameKeyWithAnotherSpecificationIsRefused() {
    long first = bench.ledger.submit("ann", JobBench.command(), "key-1").id();
    JobSpec other = JobBench.command().draft().priority(1).spec();
    assertThatThrownBy(() -> bench.ledger.submit("ann", other, "key-1"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("for job " + first);
  }

  @Test
  void aSubmissionThatFailedLeavesItsKeyFree() {
    JobSpec bad = JobDraft.command("x").cwd("relative").spec();
    assertThatThrownBy(() -> bench.ledger.submit("ann", bad, "key-1"))
        .hasMessageStartingWith("cwd: ");
    assertThat(bench.ledger.submit("ann", JobBench.command(), "key-1").id()).isPositive();
  }

  @Test
  void concurrentSubmissionsCreateOneJob() {
    List<CompletableFuture<Long>> all =
        IntStream.range(0, 8)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> bench.ledger.submit("ann", JobBench.command(), "key-1").id()))
            .toList();
    List<Long> ids = new ArrayList<>();
    all.forEach(one -> ids.add(one.join()));
    assertThat(ids).containsOnly(ids.get(0));
    assertThat(bench.totals().submitted().waiting()).isEqualTo(1);
  }

  @Test
  void theOrderOfMapsAndSetsMakesNoDifference() {
    assertThat(fingerprint(List.of("A", "B"), List.of(1, 2)))
        .isEqualTo(fingerprint(List.of("B", "A"), List.of(2, 1)))
        .isNotEqualTo(fingerprint(List.of("A", "B"), List.of(1, 3)));
  }

  @Test
  void anotherScaleOrOtherFallbackPoolsAreAnotherSpecification() {
    RetryPolicy retry = RetryPolicy.upTo(1);
    List<RetryPolicy> policies =
        List.of(
            retry,
            retry.scaled(ResourceScale.by(2), null),
            retry.scaled(ResourceScale.by(3), null),
            retry.scaled(ResourceScale.by(2), List.of("large")));
    assertThat(policies)
        .extracting(
            policy -> IdempotentSubmission.fingerprint(JobDraft.command("x").retry(policy).spec()))
        .doesNotHaveDuplicates();
  }

  private static String fingerprint(List<String> variables, List<Integer> codes) {
    Map<String, String> env = new LinkedHashMap<>();
    variables.forEach(name -> env.put(name, "x"));
    RetryPolicy retry =
        new RetryPolicy(
            1, null, null, Set.of(FailureKind.EXIT), new LinkedHashSet<>(codes), Set.of());
    return IdempotentSubmission.fingerprint(JobDraft.command("x").env(env).retry(retry).spec());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "two words", "ü", "a\tb"})
  void anInvalidKeyIsRefused(String key) {
    assertThatThrownBy(() -> bench.ledger.submit("ann", JobBench.command(), key))
        .hasMessageStartingWith("Idempotency-Key: ");
  }

  @Test
  void aKeyIsForgottenTenMinutesAfterItsLastUse() {
    long first = bench.ledger.submit("ann", JobBench.command(), "key-1").id();
    age(Duration.ofMinutes(9));
    deleteOld();
    assertThat(bench.ledger.submit("ann", JobBench.command(), "key-1").id()).isEqualTo(first);
    age(Duration.ofMinutes(9));
    deleteOld();
    assertThat(bench.ledger.submit("ann", JobBench.command(), "key-1").id()).isEqualTo(first);
    age(Duration.ofMinutes(11));
    deleteOld();
    assertThat(bench.ledger.submit("ann", JobBench.command(), "key-1").id()).isNotEqualTo(first);
  }

  private void age(Duration by) {
    bench.database.transaction(
        handle ->
            handle.execute(
                "update idempotency_key set used_at = ?", bench.database.now().minus(by)));
  }

  private void deleteOld() {
    Claim claim =
        bench.claims.acquireOrRenew("delete", "test", Duration.ofMinutes(1)).orElseThrow();
    new JobRetention(bench.database, bench.claims, Duration.ofDays(7), 1000).run(claim);
  }
}
