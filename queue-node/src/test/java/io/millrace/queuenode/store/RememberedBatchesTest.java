package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

/** Names are remembered up to a limit, whatever is committed, undone, forgotten and read back. */
class RememberedBatchesTest {
  private static final int LIMIT = 6_000;
  private static final int ROUNDS = 120;

  @Test
  void beyondTheLimitTheOldestNameIsForgottenAndCounted() {
    RememberedBatches batches = new RememberedBatches(3);
    for (int i = 1; i <= 5; i++) {
      batches.add(name(i), i);
      batches.commit();
    }
    assertThat(batches.events(name(2))).isZero();
    assertThat(batches.events(name(3))).isEqualTo(3);
    assertThat(batches.figures()).isEqualTo(new BatchFigures(3, 3, 2));
  }

  @Test
  void undoneChangesLeaveEveryNameAsItWas() {
    RememberedBatches batches = new RememberedBatches(3);
    for (int i = 1; i <= 3; i++) {
      batches.add(name(i), i);
    }
    batches.commit();

    batches.forget(2);
    batches.add(name(1), 7);
    for (int i = 4; i <= 9; i++) {
      batches.add(name(i), i);
    }
    batches.rollback();

    assertThat(List.of(1, 2, 3)).allMatch(i -> batches.events(name(i)) == i);
    assertThat(batches.events(name(4))).isZero();
    assertThat(batches.first()).isEqualTo(1);
    assertThat(batches.last()).isEqualTo(3);
    batches.add(name(4), 4);
    batches.commit();
    assertThat(batches.figures()).isEqualTo(new BatchFigures(3, 3, 1));
  }

  @Test
  void aNameIsThatOfItsQueue() {
    RememberedBatches batches = new RememberedBatches(3);
    batches.add(new Rows.BatchName(1, "b"), 1);
    assertThat(batches.events(new Rows.BatchName(2, "b"))).isZero();
  }

  @Test
  void readBackUnderASmallerLimitTheNewestAreKept() {
    RememberedBatches batches = new RememberedBatches(LIMIT);
    for (int i = 1; i <= 5_000; i++) {
      batches.add(name(i), i);
    }
    batches.commit();

    RememberedBatches again = copy(batches, 10);

    assertThat(again.figures()).isEqualTo(new BatchFigures(10, 10, 0));
    assertThat(again.events(name(4_990))).isZero();
    assertThat(again.events(name(4_991))).isEqualTo(4_991);
    assertThat(again.last()).isEqualTo(5_000);
  }

  @Test
  void anImageStaysAsItWasWhileMoreNamesCome() {
    RememberedBatches batches = new RememberedBatches(10);
    batches.add(name(1), 1);
    batches.commit();
    RememberedBatches.Image image = batches.image();
    for (int i = 2; i <= 10_000; i++) {
      batches.add(name(i), i);
      batches.commit();
    }

    RememberedBatches then = new RememberedBatches(10);
    then.read(reader(image));

    assertThat(then.events(name(1))).isEqualTo(1);
    assertThat(then.last()).isEqualTo(1);
  }

  @Test
  void theUsualLimitTakesASixteenthOfTheHeap() {
    assertThat(RememberedBatches.usualLimit(256L << 20)).isEqualTo(524_288);
    assertThat(RememberedBatches.usualLimit(1L << 20)).isEqualTo(10_000);
    assertThat(RememberedBatches.usualLimit(64L << 30)).isEqualTo(4_000_000);
  }

  /** The same, as plainly as possible. */
  private static final class Model {
    private Map<Integer, Integer> events = new LinkedHashMap<>();
    private Map<Integer, Integer> committed = new LinkedHashMap<>();
    private int next;

    void add(int size) {
      events.put(next++, size);
      forget(events.size() - LIMIT);
    }

    void forget(int count) {
      events.keySet().removeAll(events.keySet().stream().limit(Math.max(0, count)).toList());
    }

    void commit() {
      committed = new LinkedHashMap<>(events);
    }

    void rollback() {
      events = new LinkedHashMap<>(committed);
    }
  }

  @Property(tries = 20, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
  void theTableKnowsWhatAPlainMapKnows(@ForAll long seed) {
    Random random = new Random(seed);
    Model model = new Model();
    RememberedBatches batches = new RememberedBatches(LIMIT);
    for (int round = 0; round < ROUNDS; round++) {
      switch (random.nextInt(8)) {
        case 0, 1, 2, 3 -> {
          for (int count = random.nextInt(700); count > 0; count--) {
            int size = 1 + random.nextInt(200);
            batches.add(name(model.next), size);
            model.add(size);
          }
        }
        case 4 -> {
          int count = random.nextInt(2_000);
          batches.forget(batches.first() + count - 1);
          model.forget(count);
        }
        case 5 -> {
          batches.commit();
          model.commit();
        }
        case 6 -> {
          batches.rollback();
          model.rollback();
        }
        default -> {
          batches.commit();
          model.commit();
          batches = copy(batches, LIMIT);
        }
      }
      // Each look costs a hash: some of them suffice, others in each round.
      int step = 1 + random.nextInt(30);
      for (int i = Math.max(0, model.next - 2 * LIMIT); i < model.next; i += step) {
        assertThat(batches.events(name(i))).isEqualTo(model.events.getOrDefault(i, 0));
      }
      assertThat(batches.last() - batches.first() + 1).isEqualTo(model.events.size());
    }
  }

  private static RememberedBatches copy(RememberedBatches batches, int limit) {
    RememberedBatches copy = new RememberedBatches(limit);
    copy.read(reader(batches.image()));
    return copy;
  }

  private static ByteReader reader(RememberedBatches.Image image) {
    ByteWriter writer = new ByteWriter();
    image.write(writer);
    return new ByteReader(writer.copy(), 0, writer.size());
  }

  private static Rows.BatchName name(int number) {
    return new Rows.BatchName(1 + number % 3, "batch-" + number);
  }
}
