package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.job.JobBench;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.database.WriteProof;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ForgottenNodesTest {
  private static final Heartbeat HEARTBEAT = Heartbeat.defaults();

  private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
  private final JobBench bench = new JobBench(HEARTBEAT);
  private final NodeExpiry expiry =
      new NodeExpiry(
          bench.database,
          bench.claims,
          bench.attempts,
          clock,
          new WriteProof(bench.database, clock),
          HEARTBEAT);
  private final Claim claim =
      bench.claims.acquireOrRenew("expire-nodes", "t", Duration.ofMinutes(10)).orElseThrow();

  @BeforeEach
  void firstLook() {
    look();
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aLostLoadBalancerIsForgottenAfterAWhileAndAQueueNodeIsNot() {
    enter(NodeKind.BALANCER, 1);
    enter(NodeKind.QUEUE, 2);
    pass(12);
    assertThat(bench.registry.nodes(NodeKind.BALANCER))
        .singleElement()
        .satisfies(node -> assertThat(node.employed()).isFalse());

    retiredFor(HEARTBEAT.forgetAfter());
    pass(1);

    assertThat(bench.registry.nodes(NodeKind.BALANCER)).isEmpty();
    assertThat(bench.registry.nodes(NodeKind.QUEUE)).hasSize(1);
    enter(NodeKind.BALANCER, 1);
    assertThat(bench.registry.nodes(NodeKind.BALANCER)).hasSize(1);
  }

  @Test
  void manyNodesAreForgottenOverSeveralRuns() {
    for (int number = 1; number <= 60; number++) {
      enter(NodeKind.BALANCER, number);
    }
    pass(12);
    retiredFor(HEARTBEAT.forgetAfter());

    look();
    assertThat(bench.registry.nodes(NodeKind.BALANCER)).hasSize(10);
    look();
    assertThat(bench.registry.nodes(NodeKind.BALANCER)).isEmpty();
  }

  @Test
  void theNumberOfStatementsDoesNotDependOnTheNumberOfLostNodes() {
    bench.employ(JobBench.E1, "e1", 1);
    pass(7);
    int few = statementsOfALook();

    bench.employ(JobBench.E2, "e2", 1);
    for (int number = 1; number <= 10; number++) {
      enter(number % 2 == 0 ? NodeKind.BALANCER : NodeKind.QUEUE, number);
    }
    pass(12);

    assertThat(statementsOfALook()).isEqualTo(few);
  }

  private void enter(NodeKind kind, int number) {
    bench.registry.renew(
        kind,
        new UUID(7, number),
        "n" + number,
        URI.create("http://127.0.0.1:1"),
        null,
        JobBench.number(),
        Duration.ofSeconds(10));
  }

  private void retiredFor(Duration time) {
    bench.database.transaction(
        handle ->
            handle.execute(
                "update node set retired_at = timestampadd(second, ?, retired_at)",
                -time.toSeconds()));
  }

  private void pass(int seconds) {
    for (int second = 0; second < seconds; second++) {
      clock.advance(Duration.ofSeconds(1));
      look();
    }
  }

  private void look() {
    expiry.observe();
    expiry.run(claim);
  }

  private int statementsOfALook() {
    AtomicInteger statements = new AtomicInteger();
    Jdbi jdbi = bench.database.read(Handle::getJdbi);
    jdbi.getConfig(SqlStatements.class)
        .setSqlLogger(
            new SqlLogger() {
              @Override
              public void logAfterExecution(StatementContext context) {
                statements.incrementAndGet();
              }
            });
    look();
    jdbi.getConfig(SqlStatements.class).setSqlLogger(SqlLogger.NOP_SQL_LOGGER);
    return statements.get();
  }
}
