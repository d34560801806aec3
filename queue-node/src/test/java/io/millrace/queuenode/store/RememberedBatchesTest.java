package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Names are remembered up to a limit, whatever is committed, rolled back, removed and read back.
 */
class RememberedBatchesTest {
  private static final int LIMIT = 900;
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
  void rolledBackChangesLeaveTheNamesUnchanged() {
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

  /**
   * A log written under a lower limit may contain a name twice: it was evicted and stored again.
   * The younger one counts.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aNameAddedTwiceIsKnownUntilTheYoungerOneIsForgotten(long undone) {
    RememberedBatches batches = new RememberedBatches(10);
    batches.add(name(1), 5);
    batches.add(name(2), 6);
    batches.add(name(1), 7);
    batches.commit();

    batches.forget(undone);
    batches.rollback();
    assertThat(batches.events(name(1))).isEqualTo(7);

    batches.forget(2);
    batches.commit();
    assertThat(batches.events(name(1))).isEqualTo(7);
    batches.forget(3);
    batches.commit();
    assertThat(batches.events(name(1))).isZero();
  }

  @Test
  void aBusyQueueForgetsItsOwnNamesAndNotThoseOfOthers() {
    RememberedBatches batches = new RememberedBatches(1_000);
    Rows.BatchName payment = new Rows.BatchName(2, "order-1");
    batches.add(payment, 5);
    for (int i = 1; i <= 10_000; i++) {
      batches.add(name(i), 1);
      batches.commit();
    }
    assertThat(batches.events(payment)).isEqualTo(5);
    assertThat(batches.events(name(9_001))).isZero();
    assertThat(batches.events(name(9_002))).isEqualTo(1);
    assertThat(batches.shortened()).isEqualTo(1);
    assertThat(copy(batches, 10).events(payment)).as("read under a lower limit").isEqualTo(5);
  }

  @Test
  void queuesThatAreEquallyBusyEndWithEqualShares() {
    RememberedBatches batches = new RememberedBatches(100);
    for (int i = 1; i <= 1_000; i++) {
      batches.add(name(i), 1);
    }
    for (int i = 1; i <= 1_000; i++) {
      batches.add(new Rows.BatchName(2, "late-" + i), 1);
    }
    assertThat(batches.events(name(951))).isEqualTo(1);
    assertThat(batches.events(name(950))).isZero();
    assertThat(batches.events(new Rows.BatchName(2, "late-951"))).isEqualTo(1);
    assertThat(batches.events(new Rows.BatchName(2, "late-950"))).isZero();
  }

  /**
   * A slow queue's names are far apart in the order of all names: memory must not grow with the
   * gaps.
   */
  @Test
  void aRemainingNameDoesNotRetainTheMemoryOfRemovedOnes() {
    RememberedBatches batches = new RememberedBatches(1_000);
    long before = LogMemory.used();
    for (int i = 0; i < 1_000_000; i++) {
      batches.add(new Rows.BatchName(i % 4_000 == 0 ? 2 : 1, "batch-" + i), 1);
      batches.commit();
    }
    assertThat(LogMemory.used() - before).isLessThan(4L << 20);
    assertThat(batches.events(new Rows.BatchName(2, "batch-0"))).isEqualTo(1);
  }

  /** Such as an earlier version wrote, which did not keep whose a name is. */
  @Test
  void namesOfACheckpointWithoutQueuesAreKnownAndForgotten() {
    RememberedBatches batches = new RememberedBatches(10);
    batches.add(name(1), 7);
    batches.commit();
    ByteWriter old = new ByteWriter();
    QueueBatches.Image<HashedBatches.Hashes> names = batches.image().queues().get(0);
    old.raw(batches.image().key(), 0, 16);
    old.number(41);
    old.number(1);
    old.fixedLong(names.chunk(0).high(0));
    old.fixedLong(names.chunk(0).low(0));
    old.number(7);

    RememberedBatches again = new RememberedBatches(10);
    again.read(new ByteReader(old.copy(), 0, old.size()));

    assertThat(again.events(name(1))).isEqualTo(7);
    assertThat(again.first()).isEqualTo(41);
    assertThat(copy(again, 10).events(name(1))).isEqualTo(7);
    again.forget(41);
    assertThat(again.events(name(1))).isZero();
  }

  @Test
  void namesBelongToTheirQueue() {
    RememberedBatches batches = new RememberedBatches(3);
    batches.add(new Rows.BatchName(1, "b"), 1);
    assertThat(batches.events(new Rows.BatchName(2, "b"))).isZero();
  }

  @Test
  void readBackUnderASmallerLimitTheNewestAreKept() {
    RememberedBatches batches = new RememberedBatches(5_000);
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
  void anImageIsUnchangedWhileNamesAreAdded() {
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
  void theDefaultLimitIsOneForEach512BytesOfTheHeap() {
    assertThat(RememberedBatches.defaultLimit(256L << 20)).isEqualTo(524_288);
    assertThat(RememberedBatches.defaultLimit(1L << 20)).isEqualTo(10_000);
    assertThat(RememberedBatches.defaultLimit(64L << 30)).isEqualTo(4_000_000);
  }

  /** The same, as plainly as possible. */
  private static final class Model {
    private record Known(int queue, int size, long serial) {}

    private Map<Integer, Known> names = new LinkedHashMap<>();
    private Map<Integer, Known> committed = new LinkedHashMap<>();
    private long serial;
    private long committedSerial;
    private int next;

    void add(int size) {
      names.put(next, new Known(mixed(next).queue(), size, ++serial));
      next++;
      if (names.size() > LIMIT) {
        Map<Integer, Integer> counts = new HashMap<>();
        names.values().forEach(known -> counts.merge(known.queue(), 1, Integer::sum));
        int most = Collections.max(counts.values());
        names.remove(
            names.entrySet().stream()
                .filter(name -> counts.get(name.getValue().queue()) == most)
                .findFirst()
                .orElseThrow()
                .getKey());
      }
    }

    void forget(long through) {
      names.values().removeIf(known -> known.serial() <= through);
    }

    void commit() {
      committed = new LinkedHashMap<>(names);
      committedSerial = serial;
    }

    void rollback() {
      names = new LinkedHashMap<>(committed);
      serial = committedSerial;
    }

    int size(int number) {
      Known known = names.get(number);
      return known == null ? 0 : known.size();
    }

    long first() {
      return names.values().stream().mapToLong(Known::serial).min().orElse(serial + 1);
    }
  }

  @Property(tries = 20, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
  void theTableEqualsAPlainMap(@ForAll long seed) {
    Random random = new Random(seed);
    Model model = new Model();
    RememberedBatches batches = new RememberedBatches(LIMIT);
    for (int round = 0; round < ROUNDS; round++) {
      switch (random.nextInt(8)) {
        case 0, 1, 2, 3 -> {
          for (int count = random.nextInt(200); count > 0; count--) {
            int size = 1 + random.nextInt(200);
            batches.add(mixed(model.next), size);
            model.add(size);
          }
        }
        case 4 -> {
          long through = batches.first() + random.nextInt(LIMIT / 3) - 1;
          batches.forget(through);
          model.forget(through);
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
      // Each lookup costs a hash: some of them suffice, others in each round.
      int step = 1 + random.nextInt(5);
      for (int i = Math.max(0, model.next - 2 * LIMIT); i < model.next; i += step) {
        assertThat(batches.events(mixed(i))).isEqualTo(model.size(i));
      }
      assertThat(batches.first()).isEqualTo(model.first());
      assertThat(batches.last()).isEqualTo(model.serial);
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
    return new Rows.BatchName(1, "batch-" + number);
  }

  /** Of a busy queue most often, of one that is less so, of one with few. */
  private static Rows.BatchName mixed(int number) {
    int queue = number % 10 < 6 ? 1 : number % 10 < 9 ? 2 : 3;
    return new Rows.BatchName(queue, "batch-" + number);
  }
}
