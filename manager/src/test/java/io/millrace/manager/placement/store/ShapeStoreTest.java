package io.millrace.manager.placement.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.manager.central.CentralTables;
import io.millrace.manager.placement.Shape;
import io.millrace.platform.database.Database;
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

class ShapeStoreTest {
  private final Database database = CentralTables.inMemory();

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
    long id = idOf(new ShapeStore(), shape);
    assertThat(idOf(new ShapeStore(), shape)).isEqualTo(id);
    Map<Long, Shape> found = database.read(handle -> new ShapeStore().find(handle, Set.of(id)));
    assertThat(found).containsExactly(Map.entry(id, shape));
  }

  @Test
  void shapesThatDifferInAnythingHaveIdsOfTheirOwn() {
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
            plain);
    Map<Shape, Long> ids = database.transaction(handle -> new ShapeStore().idsOf(handle, others));
    assertThat(ids.values()).doesNotHaveDuplicates().hasSize(others.size());
  }

  @Test
  void aShapeOfATransactionThatWasRolledBackIsInsertedAgain() {
    ShapeStore store = new ShapeStore();
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
    Map<Long, Shape> found = database.read(handle -> new ShapeStore().find(handle, Set.of(id)));
    assertThat(found).containsExactly(Map.entry(id, shape));
  }

  @Test
  void thoseWhoInsertTheSameAtTheSameMomentGetTheSameIds() throws Exception {
    List<Shape> shapes = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      shapes.add(Shape.ofSlots("default", "share" + i, 0, 1));
    }
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      Callable<Map<Shape, Long>> insert =
          () -> database.transaction(handle -> new ShapeStore().idsOf(handle, shapes));
      List<Future<Map<Shape, Long>>> all =
          threads.invokeAll(List.of(insert, insert, insert, insert));
      for (Future<Map<Shape, Long>> one : all) {
        assertThat(one.get()).isEqualTo(all.get(0).get()).hasSize(50).doesNotContainValue(null);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private long idOf(ShapeStore store, Shape shape) {
    return database.transaction(handle -> store.idOf(handle, shape));
  }
}
