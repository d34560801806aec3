package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataSize;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.manager.job.PoolCapacity.NodeOffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What no node of a pool could ever give a job. */
final class PoolCapacityTest {
  private static final long GIGABYTE = 1L << 30;

  private final PoolCapacity pools =
      new PoolCapacity(
          List.of(
              new NodeOffer("e1", Set.of("default"), 4, 4000, 16 * GIGABYTE, Map.of("gpu", 1)),
              new NodeOffer("e2", Set.of("default", "big"), 2, 8000, 64 * GIGABYTE, Map.of()),
              new NodeOffer("e3", Set.of("open"), 1, 0, 0, Map.of())));

  private static JobDraft job() {
    return JobDraft.command("/bin/x");
  }

  private String lacking(JobDraft job) {
    JobSpec spec = job.spec();
    return pools.lacking(spec).orElse("");
  }

  @Test
  void whatOneNodeHasIsNotLacking() {
    assertThat(lacking(job())).isEmpty();
    assertThat(lacking(job().memory(new DataSize(64 * GIGABYTE)).cpu(8.0))).isEmpty();
    assertThat(lacking(job().slots(4).resources(Map.of("gpu", 1)))).isEmpty();
  }

  @Test
  void theLargestNodeOfThePoolIsNamed() {
    assertThat(lacking(job().memory(new DataSize(128 * GIGABYTE))))
        .isEqualTo("asks for memory 128GB, and the largest node of pool default, e2, has 64GB");
    assertThat(lacking(job().cpu(8.5)))
        .isEqualTo("asks for cpu 8.5, and the largest node of pool default, e2, has 8");
    assertThat(lacking(job().slots(5)))
        .isEqualTo("asks for slots 5, and the largest node of pool default, e1, has 4");
    assertThat(lacking(job().resources(Map.of("gpu", 2))))
        .isEqualTo("asks for gpu 2, and the largest node of pool default, e1, has 1");
    assertThat(lacking(job().pool("big").resources(Map.of("gpu", 1))))
        .isEqualTo("asks for gpu 1, and the largest node of pool big, e2, has 0");
  }

  @Test
  void whatNoNodeHasTogetherIsLacking() {
    assertThat(lacking(job().slots(4).memory(new DataSize(64 * GIGABYTE))))
        .isEqualTo(
            "asks for slots 4, memory 64GB, and no node of pool default has all of that together");
  }

  @Test
  void nothingIsKnownOfPoolsWithoutNodesAndOfWhatNodesDoNotLimit() {
    assertThat(lacking(job().pool("gone").slots(99))).isEmpty();
    assertThat(pools.hasNodes("gone")).isFalse();
    assertThat(lacking(job().pool("open").cpu(900.0).memory(new DataSize(900 * GIGABYTE))))
        .isEmpty();
  }
}
