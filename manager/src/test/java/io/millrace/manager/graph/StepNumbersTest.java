package io.millrace.manager.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.graph.StepNumbers.Packed;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Numbers of steps as texts and back. */
final class StepNumbersTest {
  private static int[] unpacked(List<Packed> texts) {
    return texts.stream()
        .flatMapToInt(text -> IntStream.of(StepNumbers.unpack(text.bytes())))
        .toArray();
  }

  private static void assertRoundTrip(int... numbers) {
    List<Packed> texts = StepNumbers.pack(numbers, numbers.length);
    assertThat(unpacked(texts)).containsExactly(numbers);
    for (Packed text : texts) {
      assertThat(StepNumbers.unpack(text.bytes())).hasSize(text.steps());
      assertThat(text.steps()).isBetween(1, StepNumbers.MAX_STEPS);
      assertThat(text.bytes()).hasSizeLessThanOrEqualTo(StepNumbers.MAX_BYTES);
    }
  }

  @Test
  void numbersInAnyOrderComeBackInIt() {
    assertRoundTrip();
    assertRoundTrip(0);
    assertRoundTrip(5, 6, 7, 3, 2, 1, 4_999_999, 0);
    assertRoundTrip(IntStream.range(0, 3 * StepNumbers.MAX_STEPS + 1).toArray());
    Random random = new Random(2);
    for (int i = 0; i < 200; i++) {
      assertRoundTrip(numbers(random, random.nextInt(300)));
    }
  }

  @Test
  void farNumbersTakeSeveralTexts() {
    int[] numbers = new Random(3).ints(20_000, 0, 5_000_000).toArray();
    assertRoundTrip(numbers);
    assertThat(StepNumbers.pack(numbers, numbers.length)).hasSizeGreaterThan(4);
  }

  // Runs of different lengths, and single ones.
  private static int[] numbers(Random random, int runs) {
    return IntStream.range(0, runs)
        .flatMap(
            run -> {
              int first = random.nextInt(4_000_000);
              return IntStream.range(
                  first, first + 1 + (random.nextBoolean() ? 0 : random.nextInt(50)));
            })
        .toArray();
  }

  @Test
  void onlyTheFirstOnesArePacked() {
    assertThat(unpacked(StepNumbers.pack(new int[] {1, 2, 3, 9, 10}, 3))).containsExactly(1, 2, 3);
    assertThat(StepNumbers.pack(new int[] {1}, 0)).isEmpty();
  }

  @Test
  void asOneTextTheyMayTakeAsManyBytesAsTheyNeed() {
    int[] numbers =
        IntStream.range(0, StepNumbers.MAX_STEPS).map(i -> i % 2 * 4_000_000 + i).toArray();
    byte[] text = StepNumbers.packWhole(numbers);
    assertThat(text).hasSizeGreaterThan(StepNumbers.MAX_BYTES);
    assertThat(StepNumbers.unpack(text)).containsExactly(numbers);
  }

  // Servers of the version before read and write the same rows.
  @Test
  void runsAreStoredAsDistanceAndLength() {
    byte[] text = StepNumbers.pack(new int[] {7, 8, 9, 4}, 4).get(0).bytes();
    assertThat(HexFormat.of().formatHex(text)).isEqualTo("0e03" + "0901");
    int[] run = IntStream.range(0, 1_000).toArray();
    assertThat(StepNumbers.pack(run, 1_000))
        .singleElement()
        .satisfies(one -> assertThat(one.bytes()).hasSize(3));
    assertThat(Arrays.stream(StepNumbers.unpack(new byte[0]))).isEmpty();
  }
}
