package io.millrace.queuenode.segment;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.util.RawValue;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.event.ReceiptAnswer;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.Receipt;
import io.millrace.queuenode.store.SegmentStore.DeadRecord;
import io.millrace.queuenode.store.SegmentStore.PeekedRecord;
import io.millrace.queuenode.store.SegmentStore.ReceiptOutcome;
import io.millrace.queuenode.store.SegmentTotals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Translates results of the store into answers of the API. */
public final class SegmentResponses {
  private static final double MILLIS_PER_SECOND = 1000.0;
  private static final TypeReference<Map<String, String>> ATTRIBUTES = new TypeReference<>() {};

  /** Between node and number in the handle of a dead letter. */
  static final char HANDLE_MARK = '/';

  private SegmentResponses() {}

  /** Waits for the store's answer; its refusals are thrown. */
  public static <R> R of(CompletableFuture<R> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof MillraceException refusal) {
        throw new MillraceException(refusal.code(), refusal.getMessage(), refusal);
      }
      throw e;
    }
  }

  /**
   * The same, but only up to the timeout: without an answer by then the refusal is thrown, and a
   * later answer is ignored.
   */
  static <R> R within(
      Duration timeout, CompletableFuture<R> future, Supplier<MillraceException> refusal) {
    try {
      return of(future.copy().orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS));
    } catch (CompletionException e) {
      if (e.getCause() instanceof TimeoutException) {
        throw refusal.get();
      }
      throw e;
    }
  }

  static DeadEvent dead(String queue, String node, DeadRecord dead) {
    return new DeadEvent(
        node + HANDLE_MARK + dead.seq(),
        dead.event().id(),
        queue,
        node,
        dead.failures(),
        dead.returns(),
        dead.reason(),
        dead.diedAt(),
        attributes(dead.event()),
        data(dead.event()));
  }

  static PeekedEvent peeked(String queue, String node, PeekedRecord peeked, long nowMillis) {
    NewEvent event = peeked.event();
    return new PeekedEvent(
        event.id(),
        queue,
        node,
        peeked.state().name().toLowerCase(Locale.ROOT),
        event.priority(),
        Math.max(0, nowMillis - peeked.storedAt()) / MILLIS_PER_SECOND,
        peeked.heldMillis() / MILLIS_PER_SECOND,
        peeked.deliveries(),
        peeked.failures(),
        attributes(event),
        data(event),
        null);
  }

  /** The same without data and attributes. */
  static PeekedEvent withoutData(String queue, String node, PeekedRecord peeked, long nowMillis) {
    PeekedEvent shown = peeked(queue, node, peeked, nowMillis);
    return new PeekedEvent(
        shown.id(),
        queue,
        node,
        shown.state(),
        shown.priority(),
        shown.ageSeconds(),
        shown.heldSeconds(),
        shown.deliveries(),
        shown.failures(),
        null,
        null,
        peeked.event().data().length);
  }

  static ReceiptAnswer receipts(ReceiptOutcome outcome) {
    return new ReceiptAnswer(
        outcome.done(), outcome.stale().stream().map(Receipt::toString).toList(), outcome.dead());
  }

  static SegmentFigures figures(
      String queue, String node, FollowedTopology topology, SegmentTotals totals, long nowMillis) {
    double oldest =
        totals.oldestStoredAt() == 0
            ? 0
            : Math.max(0, nowMillis - totals.oldestStoredAt()) / MILLIS_PER_SECOND;
    return new SegmentFigures(
        queue,
        node,
        topology.weight(queue),
        topology.weightsVersion(queue),
        totals.waiting(),
        totals.delayed(),
        totals.leased(),
        totals.dead(),
        oldest,
        totals.bytes(),
        totals.inserted(),
        totals.delivered(),
        totals.acknowledged(),
        totals.failed(),
        totals.returned(),
        totals.delays(),
        null,
        null);
  }

  /**
   * The data is written as the text that was received: it was checked then, and no number is
   * rounded.
   */
  static JsonNode data(NewEvent event) {
    return JsonNodeFactory.instance.rawValueNode(new RawValue(event.text()));
  }

  private static Map<String, String> attributes(NewEvent event) {
    if (event.attributes() == null) {
      return null;
    }
    try {
      return Json.mapper().readValue(event.attributes(), ATTRIBUTES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
