package io.millrace.loadbalancer.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.event.EventMedia;
import io.millrace.platform.clock.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

class SeenBatchesTest {
  private static final int LIMIT = 12;
  private static final int NAMES = 15;

  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private final AtomicInteger early = new AtomicInteger();
  private final SeenBatches seen = new SeenBatches(clock, 3, early::incrementAndGet);

  @Test
  void theEldestIsForgottenWhenThereAreTooMany() {
    for (int i = 1; i <= 3; i++) {
      seen.remember(batch("b" + i), "q1", 1);
    }
    seen.remember(batch("b1"), "q2", 1);
    seen.remember(batch("b4"), "q1", 1);

    assertThat(seen.find(batch("b2"))).isEmpty();
    assertThat(seen.find(batch("b1"))).contains(new SeenBatches.Seen("q2", 1));
    assertThat(seen.find(batch("b4"))).isPresent();
    assertThat(early).as("names forgotten early, counted").hasValue(1);
  }

  @Test
  void eachNameIsKeptForItsTime() {
    seen.remember(batch("b1"), "q1", 1);
    clock.advance(Duration.ofMinutes(9));
    seen.remember(batch("b2"), "q1", 1);
    clock.advance(Duration.ofMinutes(1));

    assertThat(seen.find(batch("b1"))).isEmpty();
    assertThat(seen.find(batch("b2"))).isPresent();
  }

  @Test
  void namesOfDifferentQueuesAreDifferent() {
    seen.remember(batch("b1"), "q1", 1);
    assertThat(seen.find(batch("quiet", "b1"))).isEmpty();
  }

  @Test
  void aBusyQueueForgetsItsOwnNamesAndNotThoseOfOthers() {
    SeenBatches usual = new SeenBatches(clock, SeenBatches.MAX, early::incrementAndGet);
    List<Batch> quiet = IntStream.range(0, 40).mapToObj(i -> batch("quiet", "b" + i)).toList();
    List<Batch> busy = IntStream.range(0, 100_100).mapToObj(i -> batch("b" + i)).toList();
    quiet.forEach(batch -> usual.remember(batch, "q1", 1));
    busy.forEach(batch -> usual.remember(batch, "q2", 1));

    assertThat(known(usual, quiet)).isEqualTo(40);
    assertThat(known(usual, busy)).isEqualTo(SeenBatches.MAX - 40);
    assertThat(known(usual, busy.subList(0, 140))).as("the oldest of the busy queue").isZero();
    assertThat(early).as("names forgotten early, counted").hasValue(140);
  }

  private static long known(SeenBatches among, List<Batch> batches) {
    return batches.stream().filter(batch -> among.find(batch).isPresent()).count();
  }

  /** The same, as plainly as possible. */
  private static final class Model {
    private record Known(String queue, String name, String node, Instant at) {
      boolean isOf(Batch batch) {
        return queue.equals(batch.queue()) && name.equals(batch.name());
      }
    }

    private final List<Known> names = new ArrayList<>();
    private int early;

    void remember(Batch batch, String node, Instant now) {
      names.removeIf(known -> known.isOf(batch));
      names.add(new Known(batch.queue(), batch.name(), node, now));
      forgetOld(now);
      if (names.size() > LIMIT) {
        Map<String, Long> counts =
            names.stream().collect(Collectors.groupingBy(Known::queue, Collectors.counting()));
        long max = counts.values().stream().max(Comparator.naturalOrder()).orElseThrow();
        names.remove(
            names.stream()
                .filter(known -> counts.get(known.queue()) == max)
                .findFirst()
                .orElseThrow());
        early++;
      }
    }

    void forgetOld(Instant now) {
      names.removeIf(known -> !now.isBefore(known.at().plus(SeenBatches.KEPT)));
    }

    List<String> nodes(Batch batch) {
      return names.stream().filter(known -> known.isOf(batch)).map(Known::node).toList();
    }
  }

  @Property(tries = 50, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
  void theLargestQueueIsEvictedFirst(@ForAll long seed) {
    Random random = new Random(seed);
    Model model = new Model();
    AtomicInteger counted = new AtomicInteger();
    SeenBatches batches = new SeenBatches(clock, LIMIT, counted::incrementAndGet);
    for (int step = 0; step < 200; step++) {
      // Few names, so that some come again; the later queues are the quieter ones.
      Batch batch = batch("queue-" + random.nextInt(1 + random.nextInt(5)), name(random));
      batches.remember(batch, "q" + step, 1);
      model.remember(batch, "q" + step, clock.now());
      if (random.nextInt(4) == 0) {
        clock.advance(Duration.ofSeconds(random.nextInt(200)));
        model.forgetOld(clock.now());
      }
      for (int queue = 0; queue < 5; queue++) {
        for (int name = 0; name < NAMES; name++) {
          Batch any = batch("queue-" + queue, "b" + name);
          assertThat(batches.find(any).map(SeenBatches.Seen::node).stream())
              .containsExactlyElementsOf(model.nodes(any));
        }
      }
      assertThat(counted).hasValue(model.early);
    }
  }

  private static String name(Random random) {
    return "b" + random.nextInt(NAMES);
  }

  private static Batch batch(String name) {
    return batch("alert", name);
  }

  private static Batch batch(String queue, String name) {
    return new Batch(queue, name, true, EventMedia.JSON, "", new byte[0]);
  }
}
