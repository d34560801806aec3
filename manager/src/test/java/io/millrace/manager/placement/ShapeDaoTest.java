package io.millrace.manager.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.manager.app.CentralTables;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.database.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShapeDaoTest {
  private static final String EARLIER_FINGERPRINT =
      "c0f2d9ae93dab2f8b0c9aaa7f20fb0863d2fb31078565da59823e03c6b68337a";

  private final Database database = CentralTables.inMemory();
  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void aShapeIsReadBackAsItWasWritten() {
    Shape shape =
        new Shape(
            "gpu",
            "queue:alert",
            -7,
            2,
            1500,
            1L << 33,
            Map.of("gpu", 1, "disk", 3),
            Map.of("matlab", 2),
            "memory >= 64GB",
            "cpus");
    long id = idOf(store(), shape);
    assertThat(idOf(store(), shape)).isEqualTo(id);
    Map<Long, Shape> found = database.read(handle -> store().find(handle, Set.of(id)));
    assertThat(found).containsExactly(Map.entry(id, shape));
  }

  @Test
  void theUserOfAShapeIsReadBack() {
    Map<String, Integer> gpus = Map.of("gpu", 1);
    Shape plain = new Shape("gpu", "ann", 0, 1, 0, 0, gpus, null, null, null);
    for (ShapeUser user : List.of(new ShapeUser(null), new ShapeUser("bob"))) {
      for (Shape shape : List.of(plain.withUser(user), plain.withUser(user).withResources(null))) {
        long id = idOf(store(), shape);
        Map<Long, Shape> found = database.read(handle -> store().find(handle, Set.of(id)));
        assertThat(found).containsExactly(Map.entry(id, shape));
      }
    }
  }

  /**
   * What central managers that know no users of shapes read and book: nothing of that consumable.
   */
  @Test
  void theUserIsStoredAsAConsumableOfWhichNothingIsTaken() {
    Shape shape = Shape.ofSlots("default", "ann", 0, 1).withUser(new ShapeUser("bob"));
    long id = idOf(store(), shape);
    String stored =
        database.read(
            handle ->
                handle
                    .createQuery("select resources from job_shape where id = :id")
                    .bind("id", id)
                    .mapTo(String.class)
                    .one());
    assertThat(ShapeDao.amounts(stored)).hasSize(1).containsValue(0);
    assertThat(ShapeDao.fingerprint(shape.withUser(null)))
        .as("of a shape of an earlier central manager")
        .isEqualTo(EARLIER_FINGERPRINT);
  }

  @Test
  void differentShapesHaveDifferentIds() {
    Shape plain = Shape.ofSlots("default", "ann", 0, 1);
    List<Shape> others =
        List.of(
            plain.withPriority(1),
            Shape.ofSlots("other", "ann", 0, 1),
            Shape.ofSlots("default", "bob", 0, 1),
            Shape.ofSlots("default", "ann", 0, 2),
            new Shape("default", "ann", 0, 1, 1, 0, null, null, null, null),
            new Shape("default", "ann", 0, 1, 0, 1, null, null, null, null),
            new Shape("default", "ann", 0, 1, 0, 0, Map.of("x", 1), null, null, null),
            new Shape("default", "ann", 0, 1, 0, 0, null, Map.of("x", 1), null, null),
            new Shape("default", "ann", 0, 1, 0, 0, null, null, "cpus > 1", null),
            new Shape("default", "ann", 0, 1, 0, 0, null, null, null, "cpus > 1"),
            plain.withUser(new ShapeUser(null)),
            plain.withUser(new ShapeUser("bob")),
            plain.withUser(new ShapeUser("ann")),
            plain);
    Map<Shape, Long> ids = database.transaction(handle -> store().idsOf(handle, others));
    assertThat(ids.values()).doesNotHaveDuplicates().hasSize(others.size());
  }

  @Test
  void aShapeOfATransactionThatWasRolledBackIsInsertedAgain() {
    ShapeDao store = store();
    Shape shape = Shape.ofSlots("default", "ann", 0, 1);
    assertThatThrownBy(
            () ->
                database.transaction(
                    handle -> {
                      store.idOf(handle, shape);
                      throw new IllegalStateException("changed its mind");
                    }))
        .hasMessage("changed its mind");
    long id = idOf(store, shape);
    Map<Long, Shape> found = database.read(handle -> store().find(handle, Set.of(id)));
    assertThat(found).containsExactly(Map.entry(id, shape));
  }

  @Test
  void anUnusedShapeIsDeletedAndGetsANewIdWhenUsedAgain() {
    ShapeDao store = store();
    Shape shape = Shape.ofSlots("default", "ann", 0, 1);
    long id = idOf(store, shape);
    deleteUnused(Duration.ofDays(-1));
    clock.advance(ShapeDao.RECORD_INTERVAL.plusSeconds(1));
    long again = idOf(store, shape);
    assertThat(again).isNotEqualTo(id);
    Map<Long, Shape> found = database.read(handle -> store().find(handle, Set.of(id, again)));
    assertThat(found).containsExactly(Map.entry(again, shape));
  }

  @Test
  void requestingAnIdAgainKeepsTheShape() {
    ShapeDao store = store();
    Shape shape = Shape.ofSlots("default", "ann", 0, 1);
    long id = idOf(store, shape);
    age(Duration.ofDays(2));
    clock.advance(ShapeDao.RECORD_INTERVAL.plusSeconds(1));
    assertThat(idOf(store, shape)).isEqualTo(id);
    deleteUnused(Duration.ofDays(1));
    Map<Long, Shape> found = database.read(handle -> store().find(handle, Set.of(id)));
    assertThat(found).hasSize(1);
  }

  private void age(Duration by) {
    database.transaction(
        handle ->
            handle
                .createUpdate("update job_shape set used_at = :at")
                .bind("at", database.now().minus(by))
                .execute());
  }

  private void deleteUnused(Duration since) {
    Instant now = database.now();
    database.transaction(handle -> ShapeDao.deleteUnused(handle, now.minus(since), now));
  }

  @Test
  void concurrentInsertsOfTheSameShapeGetTheSameId() throws Exception {
    List<Shape> shapes = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      shapes.add(Shape.ofSlots("default", "share" + i, 0, 1));
    }
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      Callable<Map<Shape, Long>> insert =
          () -> database.transaction(handle -> store().idsOf(handle, shapes));
      List<Future<Map<Shape, Long>>> all =
          threads.invokeAll(List.of(insert, insert, insert, insert));
      for (Future<Map<Shape, Long>> one : all) {
        assertThat(one.get()).isEqualTo(all.get(0).get()).hasSize(50).doesNotContainValue(null);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private ShapeDao store() {
    return new ShapeDao(database.dialect(), clock);
  }

  private long idOf(ShapeDao store, Shape shape) {
    return database.transaction(handle -> store.idOf(handle, shape));
  }
}
