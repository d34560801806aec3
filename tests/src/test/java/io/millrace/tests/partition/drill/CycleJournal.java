package io.millrace.tests.partition.drill;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Which member polled which resource in one cycle, independent of the product. Thread-safe. */
final class CycleJournal {
  private final Map<String, Queue<String>> polls = new ConcurrentHashMap<>();
  private final CountDownLatch middle;

  /** A journal of a cycle whose middle is reached after that many polls. */
  CycleJournal(int middle) {
    this.middle = new CountDownLatch(middle);
  }

  void polled(String member, String resource) {
    polls.computeIfAbsent(resource, key -> new ConcurrentLinkedQueue<>()).add(member);
    middle.countDown();
  }

  void awaitMiddle(Duration limit) throws InterruptedException {
    if (!middle.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("the cycle did not reach its middle: " + polls.size() + " polled");
    }
  }

  Collection<String> resources() {
    return polls.keySet();
  }

  /** The resources polled more than once, with all their pollers. */
  Map<String, List<String>> repeated() {
    return polls.entrySet().stream()
        .filter(one -> one.getValue().size() > 1)
        .collect(Collectors.toMap(Map.Entry::getKey, one -> List.copyOf(one.getValue())));
  }

  /** The last poller of each resource. */
  Map<String, String> pollers() {
    return polls.entrySet().stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey,
                one -> List.copyOf(one.getValue()).get(one.getValue().size() - 1)));
  }
}
