package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.ResourceScale;
import io.millrace.api.job.RetryPolicy;
import io.millrace.manager.job.ResourceScaling.ResourceRequest;
import io.millrace.manager.job.ResourceScaling.ScaledRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class ResourceScalingTest {
  private static final long MB = 1L << 20;
  private static final long GB = 1L << 30;
  private static final long HOUR = Duration.ofHours(1).toMillis();

  private static RetryPolicy retry(String scale, String... fallback) {
    return RetryPolicy.upTo(9).scaled(Json.read(scale, ResourceScale.class), List.of(fallback));
  }

  private static ResourceRequest request(Long memory, Long timeout) {
    return new ResourceRequest("default", memory, timeout);
  }

  private static ScaledRequest afterMemory(
      ResourceRequest before, RetryPolicy retry, Map<String, Long> largest) {
    return ResourceScaling.after(Outcome.MEMORY_EXCEEDED, before, retry, largest).orElseThrow();
  }

  @Test
  void onlyWhatWasExceededGrows() {
    ResourceRequest before = request(2 * GB, HOUR);

    ScaledRequest memory = afterMemory(before, retry("1.5"), Map.of());
    ScaledRequest time =
        ResourceScaling.after(Outcome.TIMED_OUT, before, retry("1.5"), Map.of()).orElseThrow();

    assertThat(memory.request()).isEqualTo(request(3 * GB, HOUR));
    assertThat(memory.text()).isEqualTo("memory 2GB -> 3GB because it was exceeded");
    assertThat(time.request()).isEqualTo(request(2 * GB, HOUR * 3 / 2));
    assertThat(time.text()).isEqualTo("timeout 1h -> 1h30m because it was exceeded");
    for (Outcome outcome : Outcome.values()) {
      if (outcome != Outcome.MEMORY_EXCEEDED && outcome != Outcome.TIMED_OUT) {
        assertThat(ResourceScaling.after(outcome, before, retry("1.5"), Map.of()))
            .as("after %s", outcome)
            .isEmpty();
      }
    }
  }

  @Test
  void whatAJobDoesNotStateAndWhatItsPolicyDoesNotScaleStays() {
    RetryPolicy both = retry("2");
    assertThat(after(Outcome.MEMORY_EXCEEDED, request(null, HOUR), both)).isEmpty();
    assertThat(after(Outcome.TIMED_OUT, request(GB, null), both)).isEmpty();
    assertThat(after(Outcome.MEMORY_EXCEEDED, request(GB, HOUR), RetryPolicy.upTo(3))).isEmpty();
    assertThat(after(Outcome.MEMORY_EXCEEDED, request(GB, HOUR), retry("{\"timeout\":2}")))
        .isEmpty();
    assertThat(after(Outcome.TIMED_OUT, request(GB, HOUR), retry("1"))).isEmpty();
  }

  private static Optional<ScaledRequest> after(
      Outcome outcome, ResourceRequest before, RetryPolicy retry) {
    return ResourceScaling.after(outcome, before, retry, Map.of());
  }

  @Test
  void aListGivesTheNextLargerValueAndItsLastOneIsKept() {
    RetryPolicy retry = retry("{\"memory\": [\"4GB\", \"16GB\"], \"timeout\": [\"1h\", \"4h\"]}");

    assertThat(afterMemory(request(GB, null), retry, Map.of()).request().memoryBytes())
        .isEqualTo(4 * GB);
    assertThat(afterMemory(request(4 * GB, null), retry, Map.of()).request().memoryBytes())
        .isEqualTo(16 * GB);
    assertThat(after(Outcome.MEMORY_EXCEEDED, request(16 * GB, null), retry)).isEmpty();
    assertThat(
            after(Outcome.TIMED_OUT, request(null, HOUR), retry)
                .orElseThrow()
                .request()
                .timeoutMillis())
        .isEqualTo(4 * HOUR);
  }

  @Test
  void whatNoNodeOfThePoolHasIsRequestedInTheFirstFallbackPoolThatHasIt() {
    ScaledRequest scaled =
        afterMemory(
            request(8 * GB, null),
            retry("2", "empty", "small", "large", "huge"),
            Map.of("default", 12 * GB, "small", 8 * GB, "large", 16 * GB, "huge", 64 * GB));

    assertThat(scaled.request()).isEqualTo(new ResourceRequest("large", 16 * GB, null));
    assertThat(scaled.text()).isEqualTo("memory 8GB -> 16GB in pool large because it was exceeded");
  }

  @Test
  void withoutAPoolThatHasItTheRequestIsWhatTheLastOneHas() {
    ScaledRequest scaled =
        afterMemory(
            request(8 * GB, null),
            retry("3", "large"),
            Map.of("default", 12 * GB, "large", 16 * GB + 5));

    assertThat(scaled.request()).isEqualTo(new ResourceRequest("large", 16 * GB, null));
    assertThat(scaled.text())
        .isEqualTo(
            "memory 8GB -> 16GB in pool large, the most of its nodes, because it was exceeded");

    ScaledRequest full =
        afterMemory(
            new ResourceRequest("large", 16 * GB, null),
            retry("3", "large"),
            Map.of("large", 16 * GB));
    assertThat(full.request()).isEqualTo(new ResourceRequest("large", 16 * GB, null));
    assertThat(full.text())
        .isEqualTo("memory 16GB was exceeded, and no node of pool large has more");
  }

  @Test
  void theMemoryOfAPoolWithoutNodesIsNotBounded() {
    assertThat(
            afterMemory(request(8 * GB, null), retry("2", "large"), Map.of("large", 64 * GB))
                .request())
        .isEqualTo(request(16 * GB, null));
  }

  @Property
  void aRequestNeverShrinksNorExceedsWhatItsPoolHas(
      @ForAll @LongRange(min = 1, max = 1L << 50) long memory,
      @ForAll @DoubleRange(min = 1, max = 100) double factor,
      @ForAll @LongRange(min = 1, max = 1L << 50) long own,
      @ForAll @LongRange(min = 1, max = 1L << 50) long other) {
    RetryPolicy retry =
        RetryPolicy.upTo(1).scaled(ResourceScale.by(factor), List.of("other", "none"));
    Map<String, Long> largest = Map.of("default", own, "other", other);

    Optional<ScaledRequest> scaled =
        ResourceScaling.after(Outcome.MEMORY_EXCEEDED, request(memory, HOUR), retry, largest);

    if (scaled.isPresent()) {
      ResourceRequest next = scaled.get().request();
      assertThat(next.timeoutMillis()).isEqualTo(HOUR);
      assertThat(next.memoryBytes()).isGreaterThanOrEqualTo(memory);
      if (next.memoryBytes() > memory) {
        assertThat(next.memoryBytes()).isLessThanOrEqualTo(largest.get(next.pool()));
        assertThat(next.memoryBytes() % MB).isZero();
      } else {
        assertThat(next.pool()).isEqualTo("default");
        assertThat(Math.max(own, other) / MB * MB).isLessThanOrEqualTo(memory);
      }
    } else {
      assertThat(factor == 1 || memory >= 1L << 50).isTrue();
    }
  }

  @Property
  void aTimeLimitGrowsByItsFactorAndLessThanASecond(
      @ForAll @LongRange(min = 1, max = 1L << 36) long millis,
      @ForAll @DoubleRange(min = 1.01, max = 100) double factor) {
    RetryPolicy retry = RetryPolicy.upTo(1).scaled(ResourceScale.by(factor), null);

    Optional<ScaledRequest> scaled =
        ResourceScaling.after(Outcome.TIMED_OUT, request(GB, millis), retry, Map.of());

    long next = scaled.orElseThrow().request().timeoutMillis();
    assertThat(next).isGreaterThan(millis);
    assertThat((double) next).isLessThan(millis * factor + 1001);
    assertThat(scaled.orElseThrow().request().memoryBytes()).isEqualTo(GB);
  }

  @Test
  void aScaleIsWrittenAsItIsRead() {
    for (String scale :
        List.of(
            "1.5", "{\"memory\":2.0,\"timeout\":[\"1h\",\"4h\"]}", "{\"memory\":[\"512MB\"]}")) {
      assertThat(Json.write(Json.read(scale, ResourceScale.class))).isEqualTo(scale);
    }
  }
}
