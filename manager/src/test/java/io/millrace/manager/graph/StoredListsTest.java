package io.millrace.manager.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.graph.ListedSteps.StoredStep;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Successors and listed steps as they are stored, and back. */
final class StoredListsTest {
  private static int[] rising(Random random, int most, int bound) {
    return random.ints(random.nextInt(most + 1), 0, bound).sorted().distinct().toArray();
  }

  @Test
  void eachStepOfABlockHasSuccessorsOfItsOwn() {
    Random random = new Random(4);
    int[][] lists = new int[StepBlock.SIZE][];
    for (int i = 0; i < lists.length; i++) {
      lists[i] = random.nextBoolean() ? new int[0] : rising(random, 20, 5_000_000);
    }
    lists[0] = new int[] {0, 1, 4_999_999};
    assertThat(Successors.decode(Successors.encode(lists))).isDeepEqualTo(lists);
  }

  // Servers of the version before read and write the same rows.
  @Test
  void successorsAreStoredAsTheirNumberAndDistances() {
    int[][] lists = new int[StepBlock.SIZE][0];
    lists[1] = new int[] {5, 9};
    byte[] content = Successors.encode(lists);
    assertThat(HexFormat.of().formatHex(content, 0, 6)).isEqualTo("00" + "020504" + "0000");
    assertThat(content).hasSize(StepBlock.SIZE + 2);
  }

  private static List<StoredStep> steps() {
    Random random = new Random(5);
    List<StoredStep> steps = new ArrayList<>();
    for (int i = 0; i < ListedSteps.MAX; i++) {
      Map<String, String> arguments = new LinkedHashMap<>();
      for (int argument = random.nextInt(3); argument > 0; argument--) {
        arguments.put("x" + argument, "ä".repeat(random.nextInt(200)) + i);
      }
      steps.add(
          new StoredStep(
              random.nextInt(10_000),
              rising(random, 5, 5_000_000),
              rising(random, 3, 10_000),
              random.nextBoolean() ? "" : "näme " + i,
              arguments));
    }
    return steps;
  }

  @Test
  void listedStepsComeBackAsTheyWere() {
    List<StoredStep> steps = steps();
    assertThat(ListedSteps.decode(ListedSteps.encode(steps)))
        .usingRecursiveComparison()
        .isEqualTo(steps);
  }

  @Test
  void aSingleStepOfARowIsTheSameAsInTheWholeRow() {
    List<StoredStep> steps = steps();
    byte[] content = ListedSteps.encode(steps);
    for (int i = 0; i < steps.size(); i++) {
      assertThat(ListedSteps.decode(content, i)).usingRecursiveComparison().isEqualTo(steps.get(i));
    }
  }

  @Test
  void theOrderInWhichArgumentsAreGivenDoesNotCount() {
    Map<String, String> one = new LinkedHashMap<>();
    one.put("a", "1");
    one.put("b", "2");
    Map<String, String> other = new LinkedHashMap<>();
    other.put("b", "2");
    other.put("a", "1");
    int[] none = new int[0];
    assertThat(ListedSteps.encode(List.of(new StoredStep(1, none, none, "", one))))
        .isEqualTo(ListedSteps.encode(List.of(new StoredStep(1, none, none, "", other))));
  }

  // Servers of the version before read and write the same rows.
  @Test
  void listedStepsAreStoredAsTemplateNeedsNameAndArguments() {
    StoredStep step =
        new StoredStep(3, new int[] {5, 9}, new int[] {1}, "N", Map.of("k", "v", "j", ""));
    assertThat(HexFormat.of().formatHex(ListedSteps.encode(List.of(step))))
        .isEqualTo("03" + "020504" + "0101" + "014e" + "02" + "016a00" + "016b0176");
  }

  @Test
  void numbersAreSortedEachOnce() {
    assertThat(ListedSteps.sorted(List.of(7, 1, 7, 3, 1))).containsExactly(1, 3, 7);
    assertThat(ListedSteps.sorted(List.of())).isEmpty();
  }
}
