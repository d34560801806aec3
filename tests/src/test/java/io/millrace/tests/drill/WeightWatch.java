package io.millrace.tests.drill;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.tests.drill.cluster.DrillCluster;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Continuously reads the weight rows from each central manager in turn and checks that every row
 * sums to 1000 and that versions never decrease, including the intermediate versions in the
 * history. Thread-safe.
 */
final class WeightWatch implements AutoCloseable {
  private static final long EVERY_MILLIS = 250;
  private static final int TOTAL = 1000;

  private final List<ApiClient> centrals;
  private final Queue<String> violations = new ConcurrentLinkedQueue<>();
  private final Map<String, Row> latest = new ConcurrentHashMap<>();
  private final AtomicLong looks = new AtomicLong();
  private volatile long lookedAt = System.nanoTime();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread = new Thread(this::watch, "weight-watch");

  WeightWatch(DrillCluster cluster) {
    this.centrals = cluster.shape().centralNames().stream().map(cluster::impatient).toList();
    thread.start();
  }

  private record Row(long version, Map<String, Integer> points) {
    /** Not through the record of the API, which would reject an invalid row. */
    static Row of(JsonNode json) {
      Map<String, Integer> points = new HashMap<>();
      json.get("points").properties().forEach(e -> points.put(e.getKey(), e.getValue().asInt()));
      return new Row(json.get("version").asLong(), points);
    }

    boolean whole() {
      return points.values().stream().mapToInt(Integer::intValue).sum() == TOTAL;
    }
  }

  /** Violations found in the rows; empty if there are none. */
  List<String> violations() {
    return List.copyOf(violations);
  }

  /** The number of rows read. */
  long looks() {
    return looks.get();
  }

  /** The version of a queue's row when last read; 0 for none. */
  long version(String queue) {
    Row row = latest.get(queue);
    return row == null ? 0 : row.version();
  }

  /** The rows as last read and their age, for messages. */
  String describe() {
    return "rows " + latest + ", seen " + (System.nanoTime() - lookedAt) / 1_000_000 + " ms ago";
  }

  /** The points of a queue when last read. */
  Map<String, Integer> points(String queue) {
    Row row = latest.get(queue);
    return row == null ? Map.of() : row.points();
  }

  private void watch() {
    try {
      while (!stopped.await(EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
        centrals.forEach(this::look);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void look(ApiClient central) {
    for (String queue : Drill.QUEUES) {
      try {
        check(queue, central.get("/v1/queues/" + queue + "/weights?minutes=1").as(JsonNode.class));
      } catch (MillraceException e) {
        // Killed, frozen or without its database; the others are read.
        return;
      } catch (RuntimeException e) {
        // A watch that ended here would keep showing its last rows.
        violations.add(queue + " could not be read: " + e);
      }
    }
  }

  private void check(String queue, JsonNode view) {
    for (JsonNode change : view.get("history")) {
      Row past = Row.of(change);
      if (!past.whole()) {
        violations.add(queue + " in its history: " + past);
      }
    }
    Row seen = Row.of(view.get("weights"));
    looks.incrementAndGet();
    lookedAt = System.nanoTime();
    if (!seen.whole()) {
      violations.add(queue + ": " + seen);
    }
    Row before = latest.put(queue, seen);
    if (before != null && before.version() > seen.version()) {
      violations.add(queue + " decreased from " + before + " to " + seen);
    }
    if (before != null && before.version() == seen.version() && !before.equals(seen)) {
      violations.add(queue + " has two rows of one version: " + before + " and " + seen);
    }
  }

  @Override
  public void close() {
    stopped.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
