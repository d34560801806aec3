package io.millrace.queuenode.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.queuenode.node.SegmentMeters.BatchMeters;
import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import java.lang.ref.WeakReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class BatchMetersTest {
  private final Object store = new Object();

  /**
   * Meters reference what they measure weakly: it must be the store, which exists as long as its
   * node.
   */
  @Test
  void figuresAreStillThereAfterMemoryWasCollected() {
    MeterRegistry registry = new SimpleMeterRegistry();
    WeakReference<Object> collected = register(registry);
    await()
        .until(
            () -> {
              System.gc();
              return collected.get() == null;
            });

    assertThat(registry.get("millrace.store.batches.remembered").gauge().value()).isEqualTo(1);
    assertThat(registry.get("millrace.store.batches.limit").gauge().value()).isEqualTo(2);
    assertThat(registry.get("millrace.store.batches.forgotten.early").functionCounter().count())
        .isEqualTo(3);
    assertThat(store).isNotNull();
  }

  /** Leaves only the meters and the store reachable. */
  private WeakReference<Object> register(MeterRegistry registry) {
    Object other = new Object();
    Function<Object, BatchFigures> figures = any -> new BatchFigures(1, 2, 3);
    BatchMeters.register(registry, store, figures);
    return new WeakReference<>(other);
  }
}
