package io.millrace.manager.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.workflow.WorkflowStepState;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a block says of each of its steps. */
final class StepBlockTest {
  // The fourth block.
  private static final int FIRST = 3 * StepBlock.SIZE;
  private static final int EPOCHS = 30;

  @Test
  void eachStepHasStateTemplateAndNeedsOfItsOwn() {
    Random random = new Random(1);
    StepBlock block = new StepBlock();
    WorkflowStepState[] states = new WorkflowStepState[StepBlock.SIZE];
    int[] templates = new int[StepBlock.SIZE];
    int[] unmet = new int[StepBlock.SIZE];
    for (int i = 0; i < StepBlock.SIZE; i++) {
      states[i] = WorkflowStepState.values()[random.nextInt(WorkflowStepState.values().length)];
      templates[i] = random.nextInt(65_536);
      unmet[i] = random.nextInt(StepBlock.MAX_NEEDS + 1);
      block.state(FIRST + i, states[i]);
      block.template(FIRST + i, templates[i]);
      block.unmet(FIRST + i, unmet[i]);
    }
    StepBlock stored = new StepBlock(block.bytes());
    for (int i = 0; i < StepBlock.SIZE; i++) {
      assertThat(stored.state(FIRST + i)).isEqualTo(states[i]);
      assertThat(stored.template(FIRST + i)).isEqualTo(templates[i]);
      assertThat(stored.unmet(FIRST + i)).isEqualTo(unmet[i]);
    }
  }

  @Test
  void aNewStepWaitsForNothing() {
    StepBlock block = new StepBlock();
    assertThat(block.state(127)).isEqualTo(WorkflowStepState.WAITING);
    assertThat(block.unmet(127)).isZero();
  }

  @Test
  void aHundredAndTwentyEightStepsAreABlock() {
    assertThat(StepBlock.of(0)).isZero();
    assertThat(StepBlock.of(127)).isZero();
    assertThat(StepBlock.of(128)).isOne();
  }

  @Test
  void theEpochOfTheLastReleaseIsKnownUntilTheNextOne() {
    StepBlock block = new StepBlock();
    for (int epoch = 1; epoch <= 2 * EPOCHS; epoch++) {
      block.release(FIRST + 1, epoch);
      assertThat(block.state(FIRST + 1)).isEqualTo(WorkflowStepState.RELEASED);
      block.state(FIRST + 1, WorkflowStepState.SUCCEEDED);
      block.state(FIRST + 2, WorkflowStepState.FAILED);
      for (int other = epoch - EPOCHS + 1; other < epoch + EPOCHS; other++) {
        assertThat(block.releasedIn(FIRST + 1, other))
            .as("released in epoch %d, asked for %d", epoch, other)
            .isEqualTo(other == epoch);
      }
      assertThat(block.declared(FIRST + 1)).isFalse();
    }
  }

  @Test
  void aStepThatWasNeverReleasedMayBeOfAnyEpoch() {
    StepBlock block = new StepBlock();
    block.release(FIRST, 1);
    assertThat(block.releasedIn(FIRST + 1, 1)).isTrue();
    assertThat(block.releasedIn(FIRST + 1, 7)).isTrue();
    assertThat(block.declared(FIRST + 1)).isFalse();
  }

  @Test
  void aDeclaredEndIsOfNoEpoch() {
    StepBlock block = new StepBlock();
    block.releaseForDeclaration(FIRST);
    assertThat(block.state(FIRST)).isEqualTo(WorkflowStepState.RELEASED);
    block.state(FIRST, WorkflowStepState.SUCCEEDED);
    assertThat(block.declared(FIRST)).isTrue();
    for (int epoch = 1; epoch <= EPOCHS; epoch++) {
      assertThat(block.releasedIn(FIRST, epoch)).isFalse();
    }
    block.release(FIRST, 2);
    assertThat(block.declared(FIRST)).isFalse();
  }

  // Servers of the version before read and write the same rows.
  @Test
  void theBytesOfAStepStayAsTheyAre() {
    StepBlock block = new StepBlock();
    int step = 1;
    for (WorkflowStepState state : WorkflowStepState.values()) {
      block.release(step, 2);
      block.state(step, state);
      block.template(step, 0x1234);
      block.unmet(step, 0xfedc);
      step++;
    }
    block.releaseForDeclaration(step);
    assertThat(HexFormat.of().formatHex(block.bytes(), 0, 5 * (step + 1)))
        .isEqualTo(
            "0000000000"
                + "101234fedc"
                + "111234fedc"
                + "121234fedc"
                + "131234fedc"
                + "141234fedc"
                + "f900000000");
    assertThat(block.bytes()).hasSize(5 * StepBlock.SIZE);
  }

  @Test
  void aStateOfALaterVersionIsNotTakenForAnother() {
    byte[] bytes = new StepBlock().bytes();
    bytes[0] = 5;
    assertThatThrownBy(() -> new StepBlock(bytes).state(0)).hasMessageContaining("code 5");
  }
}
