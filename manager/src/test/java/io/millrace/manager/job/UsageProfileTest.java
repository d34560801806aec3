package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.manager.job.UsageProfile.Estimate;
import io.millrace.manager.job.UsageProfile.MemorySteps;
import io.millrace.manager.job.UsageProfile.Sample;
import java.time.Instant;
import java.util.OptionalDouble;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class UsageProfileTest {
  private static final long MB = 1L << 20;

  private static UsageProfile runs(int count, long memory, double cpuMillis) {
    UsageProfile profile = UsageProfile.NONE;
    for (int i = 0; i < count; i++) {
      profile = profile.plus(new Sample(memory, OptionalDouble.of(cpuMillis), null));
    }
    return profile;
  }

  @Test
  void two_runs_are_too_few_for_an_estimate() {
    assertThat(runs(2, 100 * MB, 1000).estimate()).isEmpty();
    assertThat(runs(3, 100 * MB, 1000).estimate()).isPresent();
  }

  @Test
  void memory_is_the_high_estimate_and_a_fifth_in_coarse_steps() {
    assertThat(runs(3, 100 * MB, 1000).estimate().orElseThrow().memoryBytes()).isEqualTo(128 * MB);
    assertThat(runs(3, 110 * MB, 1000).estimate().orElseThrow().memoryBytes()).isEqualTo(160 * MB);
    assertThat(runs(3, MB, 1000).estimate().orElseThrow().memoryBytes()).isEqualTo(16 * MB);
  }

  @Test
  void one_large_run_raises_the_estimate_at_once_and_it_falls_slowly() {
    UsageProfile profile =
        runs(10, 100 * MB, 1000).plus(new Sample(400 * MB, OptionalDouble.empty(), null));
    assertThat(profile.estimate().orElseThrow().memoryBytes()).isEqualTo(512 * MB);

    for (int i = 0; i < 10; i++) {
      profile = profile.plus(new Sample(100 * MB, OptionalDouble.empty(), null));
    }
    assertThat(profile.memoryHigh()).isBetween(250.0 * MB, 390.0 * MB);
    for (int i = 0; i < 200; i++) {
      profile = profile.plus(new Sample(100 * MB, OptionalDouble.empty(), null));
    }
    assertThat(profile.estimate().orElseThrow().memoryBytes()).isEqualTo(128 * MB);
    assertThat(profile.memoryMost()).isEqualTo(400 * MB);
  }

  @Test
  void processors_are_the_mean_to_a_tenth() {
    assertThat(runs(5, 0, 1730).estimate().orElseThrow()).isEqualTo(new Estimate(1700, 0));
    assertThat(runs(5, 0, 3).estimate().orElseThrow().cpuMillis()).isEqualTo(100);
    UsageProfile falling = runs(5, 0, 2000).plus(new Sample(0, OptionalDouble.of(1000), null));
    assertThat(falling.cpuMillis()).isCloseTo(1900, within(0.001));
  }

  @Test
  void the_last_success_elsewhere_is_remembered() {
    Instant first = Instant.parse("2026-03-01T12:00:00Z");
    UsageProfile profile =
        success(success(UsageProfile.NONE, "e1", first), "e2", first.plusSeconds(5));
    assertThat(profile.successElsewhere("e2").orElseThrow().node()).isEqualTo("e1");
    assertThat(profile.successElsewhere("e1").orElseThrow().node()).isEqualTo("e2");

    UsageProfile again = success(profile, "e2", first.plusSeconds(9));
    assertThat(again.successElsewhere("e2").orElseThrow().at()).isEqualTo(first);
    assertThat(success(UsageProfile.NONE, "e1", first).successElsewhere("e1")).isEmpty();
  }

  private static UsageProfile success(UsageProfile profile, String node, Instant at) {
    return profile.plus(new Sample(0, OptionalDouble.empty(), new UsageProfile.Success(node, at)));
  }

  @Property
  void a_step_is_never_less_and_at_most_a_quarter_more(
      @ForAll @LongRange(min = 16L << 20, max = 1L << 45) long bytes) {
    long step = MemorySteps.up((double) bytes);

    assertThat(step).isGreaterThanOrEqualTo(bytes);
    assertThat((double) step).isLessThanOrEqualTo(bytes * 1.25 + 1);
  }
}
