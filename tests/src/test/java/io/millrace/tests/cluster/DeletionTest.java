package io.millrace.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.api.event.EventMedia;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.platform.identity.Role;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A deleted queue is gone from every server; what was accepted before is processed or dropped. */
class DeletionTest {
  private static final Duration SOON = Duration.ofMinutes(3);

  @RegisterExtension static final Cluster CLUSTER = new Cluster(2, 2, 8);

  @Test
  void aDrainedQueueProcessesEveryEventThatWasAcceptedAndLeavesNoTrace() throws IOException {
    Path done = CLUSTER.folder("deletion").resolve("done");
    CLUSTER.define(
        "{kind: queue, name: draining, batch: 5, pacing: {tick: 200ms}, worker: {command: [sh, -c, 'sleep 0.3; cat >> %s']}}"
            .formatted(done));
    CLUSTER.central().pause("draining", new PauseRequest(false, true, null));
    send("draining", "b1", 40);
    await("the events are reported")
        .atMost(SOON)
        .until(() -> CLUSTER.central().queue("draining").queue().waiting() == 40);
    refused(() -> delete("draining", null), ErrorCode.CONFLICT, "--drain");
    delete("draining", DeletionMode.DRAIN);
    refusedSoon("draining");
    assertThat(CLUSTER.central().queue("draining").deletion().waitsFor())
        .anyMatch(line -> line.contains("consuming is paused"));
    CLUSTER.central().resume("draining", new PauseRequest(false, true, null));

    gone("draining");
    assertThat(Files.readAllLines(done))
        .extracting(line -> Json.read(line, JsonNode.class).at("/data/n").asInt())
        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 40).boxed().toList());
  }

  @Test
  void aDiscardedQueueDropsItsEventsAndTheOneCreatedAgainBeginsEmpty() {
    String yaml = "{kind: queue, name: discarded}";
    CLUSTER.define(yaml);
    send("discarded", "b1", 30);
    await("the events are reported")
        .atMost(SOON)
        .until(() -> CLUSTER.central().queue("discarded").queue().waiting() == 30);
    assertThat(delete("discarded", DeletionMode.DISCARD)).isEqualTo(30);
    gone("discarded");
    assertThat(CLUSTER.central().definitionHistory("queue", "discarded")).hasSize(1);

    assertThat(CLUSTER.define(yaml).changes().get(0))
        .satisfies(
            change -> {
              assertThat(change.action()).isEqualTo(ApplyAction.CREATED);
              assertThat(change.version()).isEqualTo(2);
            });
    // Under the name of a batch of the earlier queue.
    await("the queue accepts events again").atMost(SOON).until(() -> sent("discarded", "b1", 2));
    await("only these are there")
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(CLUSTER.central().queue("discarded").queue().waiting()).isEqualTo(2));
    delete("discarded", DeletionMode.DISCARD);
    gone("discarded");
  }

  private static long delete(String queue, DeletionMode mode) {
    return CLUSTER
        .central(Role.OPERATOR)
        .delete("queue", queue, new DeletionRequest(mode, false))
        .dropped();
  }

  private static void send(String queue, String batch, int count) {
    await("queue " + queue + " accepts events").atMost(SOON).until(() -> sent(queue, batch, count));
  }

  private static boolean sent(String queue, String batch, int count) {
    String body =
        IntStream.range(0, count)
            .mapToObj(i -> "{\"n\":%d}".formatted(i))
            .collect(Collectors.joining("\n"));
    try {
      CLUSTER
          .producer()
          .send(queue, batch, EventMedia.LINES, body.getBytes(StandardCharsets.UTF_8));
      return true;
    } catch (MillraceException e) {
      return false;
    }
  }

  private static void refusedSoon(String queue) {
    await("events are refused")
        .atMost(SOON)
        .until(
            () -> {
              try {
                CLUSTER.producer().send(queue, "late", EventMedia.JSON, new byte[] {'1'});
                return false;
              } catch (MillraceException e) {
                return e.code() == ErrorCode.QUEUE_DELETING || e.code() == ErrorCode.UNKNOWN_QUEUE;
              }
            });
  }

  private static void refused(Runnable call, ErrorCode code, String words) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            MillraceException.class, refusal -> assertThat(refusal.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }

  private static void gone(String queue) {
    await("queue " + queue + " is deleted")
        .atMost(SOON)
        .untilAsserted(
            () -> {
              assertThat(CLUSTER.central().definitions())
                  .noneMatch(one -> one.name().equals(queue));
              assertThat(CLUSTER.central().jobs("kind=manager&state=running&limit=500").jobs())
                  .noneMatch(job -> job.name().contains(queue));
            });
    for (String node : List.of("q1", "q2")) {
      await("no segment on " + node)
          .atMost(SOON)
          .until(
              () ->
                  List.of(
                          CLUSTER
                              .queueNode(node, Role.VIEWER)
                              .get("/v1/segments")
                              .as(SegmentFigures[].class))
                      .stream()
                      .noneMatch(segment -> segment.queue().equals(queue)));
    }
    assertThat(CLUSTER.central().problems()).extracting(Alert::subject).doesNotContain(queue);
  }
}
