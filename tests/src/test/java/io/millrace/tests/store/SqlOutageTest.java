package io.millrace.tests.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.store.CommitSettings.Durability;
import io.millrace.queuenode.store.mysql.SqlSegmentStore;
import io.millrace.tests.drill.cluster.Ports;
import io.millrace.tests.drill.network.Direction;
import io.millrace.tests.drill.network.Link;
import io.millrace.tests.drill.network.LinkFailure;
import io.millrace.tests.drill.network.TrafficTrigger;
import io.millrace.tests.server.SqlSchema;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A store that loses its server, also in the middle of a commit. */
class SqlOutageTest {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  /** As sent by the driver; no other statement has it in upper case. */
  private static final String COMMIT = "COMMIT";

  @TempDir private Path folder;
  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private Link link;
  private SqlNode node;

  @BeforeEach
  void openOverALink() throws IOException, SQLException {
    SCHEMA.empty();
    URI server = URI.create(SCHEMA.url().substring("jdbc:".length()));
    link =
        new Link(
            "store",
            new Ports(new SplittableRandom()).free(),
            new InetSocketAddress(server.getHost(), server.getPort()));
    node = open();
    node.put("first", 1);
  }

  @AfterEach
  void close() {
    node.close();
    link.close();
  }

  @Test
  void aLostConnectionFailsRequestsInProgressAndTheNextRequestSucceeds() {
    node.store().put(SqlNode.batch("lost", 2));
    reset(link);

    assertThatThrownBy(() -> node.put("same group", 1)).hasMessageContaining("could not be");
    node.store().rollback();

    node.put("next", 1);
    assertThat(node.take(10)).containsExactly("first-0", "next-0");
  }

  @Test
  void aConnectionLostWhileIdleFailsNoRequest() {
    reset(link);
    clock.advance(Duration.ofSeconds(6));

    node.put("next", 1);
    assertThat(node.take(10)).containsExactly("first-0", "next-0");
  }

  @Test
  void anUnavailableServerIsNamedAndUsedAgainOnceItReturns() {
    link.cut(LinkFailure.REFUSED);
    clock.advance(Duration.ofSeconds(6));
    assertThatThrownBy(() -> node.put("refused", 1))
        .hasMessageContaining("the store's server jdbc:mysql://127.0.0.1:")
        .hasMessageContaining("cannot be reached");
    node.store().rollback();

    link.heal();
    clock.advance(Duration.ofSeconds(2));
    node.put("next", 1);
    assertThat(node.take(10)).containsExactly("first-0", "next-0");
  }

  @Test
  void aCommitWhoseAnswerIsLostIsFoundToBeDurable() throws InterruptedException {
    node.store().put(SqlNode.batch("second", 2));
    TrafficTrigger answer = atTheAnswer(SqlOutageTest::reset);

    node.store().commit();

    assertThat(answer.await(5)).isTrue();
    assertThat(node.inserted()).isEqualTo(3);
    assertThat(node.take(10)).containsExactly("first-0", "second-0", "second-1");
    assertThat(reopened().inserted()).isEqualTo(3);
  }

  @Test
  void aCommitThatNeverArrivedIsDetectedAndCanBeRepeated() throws InterruptedException {
    TrafficTrigger request =
        new TrafficTrigger(Direction.TO_SERVER, COMMIT, true, SqlOutageTest::reset);
    node.store().put(SqlNode.batch("second", 2));
    link.watch(request);

    assertThatThrownBy(node.store()::commit).hasMessageContaining("was not written");
    assertThat(request.await(5)).isTrue();
    node.store().rollback();
    assertThat(node.inserted()).isEqualTo(1);

    node.put("second", 2);
    assertThat(node.take(10)).containsExactly("first-0", "second-0", "second-1");
  }

  @Test
  void aNodeThatCannotResolveACommitStopsServing() throws InterruptedException {
    node.store().put(SqlNode.batch("second", 2));
    TrafficTrigger answer = atTheAnswer(SqlOutageTest::refuse);

    assertThatThrownBy(node.store()::commit).hasMessageContaining("cannot be reached");
    assertThat(answer.await(5)).isTrue();
    node.store().rollback();
    link.heal();
    clock.advance(Duration.ofSeconds(2));

    assertThatThrownBy(() -> node.put("third", 1))
        .hasMessageContaining("holds a commit whose answer was lost")
        .hasMessageContaining("restart this node");
    assertThatThrownBy(node.store()::rollback).hasMessageContaining("restart this node");
    assertThat(reopened().take(10)).containsExactly("first-0", "second-0", "second-1");
  }

  /** Cuts the link after the server has executed the next commit and before its answer passes. */
  private TrafficTrigger atTheAnswer(Consumer<Link> cut) {
    TrafficTrigger answer = new TrafficTrigger(Direction.TO_CLIENT, "", true, cut);
    link.watch(new TrafficTrigger(Direction.TO_SERVER, COMMIT, true, one -> one.watch(answer)));
    return answer;
  }

  private static void refuse(Link link) {
    link.cut(LinkFailure.REFUSED);
  }

  private static void reset(Link link) {
    link.cut(LinkFailure.REFUSED);
    // The port is free once the accepting thread has ended.
    await()
        .ignoreExceptions()
        .until(
            () -> {
              link.heal();
              return true;
            });
  }

  private SqlNode reopened() {
    node.close();
    node = open();
    return node;
  }

  private SqlNode open() {
    // Without encryption, so that the link sees the statements.
    String url = SCHEMA.url().replaceAll("//[^/]+/", "//127.0.0.1:" + link.port() + "/");
    return new SqlNode(
        SqlSegmentStore.open(
            SCHEMA.store(folder, url + "?sslMode=DISABLED"), "q1", Durability.DISK, clock));
  }
}
