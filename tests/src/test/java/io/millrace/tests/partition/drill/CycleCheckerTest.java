package io.millrace.tests.partition.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.partition.PartitionGroup.PartitionCycle;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class CycleCheckerTest {
  private static final List<String> RESOURCES = List.of("r1", "r2", "r3");

  private final CycleJournal journal = new CycleJournal(1);

  @Test
  void resourcesPolledAndRecordedOnceAreAccepted() {
    polled("a", "r1", "r2");
    polled("b", "r3");

    assertThat(violations(cycle(3, 3, 0))).isEmpty();
  }

  @Test
  void anUnpolledResourceIsReported() {
    polled("a", "r1", "r2");

    assertThat(violations(cycle(3, 3, 0))).singleElement().asString().contains("never polled");
  }

  @Test
  void aForeignResourceIsReported() {
    polled("a", "r1", "r2", "r3", "x");

    assertThat(violations(cycle(3, 3, 0))).singleElement().asString().contains("such as x");
  }

  @Test
  void aResourcePolledTwiceIsReported() {
    polled("a", "r1", "r2", "r3");
    polled("b", "r3");

    assertThat(violations(cycle(3, 3, 0))).containsExactly("r3 was polled by [a, b]");
  }

  @Test
  void resourcesOfAVanishedMemberMayBePolledOnceMore() {
    polled("a", "r1", "r2");
    polled("b", "r2", "r3");

    assertThat(after("a", "r2")).isEmpty();
    assertThat(after("a", "r3")).containsExactly("r2 was polled by [a, b]");
    assertThat(after("b", "r2")).containsExactly("r2 was polled by [a, b]");
    polled("b", "r2");
    assertThat(after("a", "r2")).containsExactly("r2 was polled by [a, b, b]");
  }

  @Test
  void aResourceRecordedTwiceOrNeverIsReported() {
    polled("a", "r1", "r2", "r3");

    assertThat(violations(cycle(3, 2, 0))).singleElement().asString().contains("records 2");
    assertThat(violations(cycle(3, 4, 0))).singleElement().asString().contains("records 4");
    assertThat(violations(cycle(4, 3, 0))).singleElement().asString().contains("has 4");
  }

  @Test
  void aHealthyMemberDeclaredLostIsReported() {
    polled("a", "r1", "r2", "r3");

    assertThat(violations(cycle(3, 3, 1))).singleElement().asString().contains("a second member");
  }

  private void polled(String member, String... resources) {
    List.of(resources).forEach(resource -> journal.polled(member, resource));
  }

  private List<String> violations(PartitionCycle ended) {
    return CycleChecker.violations(RESOURCES, journal, ended, null, List.of());
  }

  private List<String> after(String victim, String dropped) {
    return CycleChecker.violations(RESOURCES, journal, cycle(3, 3, 1), victim, List.of(dropped));
  }

  private static PartitionCycle cycle(long total, long done, long again) {
    return new PartitionCycle(1, Instant.EPOCH, Duration.ofDays(1), total, done, again);
  }
}
