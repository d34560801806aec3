package io.millrace.manager.graph;

import static java.util.stream.Collectors.toCollection;

import io.millrace.api.Pure;
import io.millrace.api.workflow.WorkflowStepState;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * State, template and unmet needs of {@link #SIZE} consecutive steps, five bytes each. Beside the
 * state stands in which epoch the step was last released, so that the end of an attempt of an
 * earlier one is refused. Not thread-safe.
 */
@Pure
public final class StepBlock {
  /** Steps of a block. */
  public static final int SIZE = 128;

  /** The most needs of a step. */
  public static final int MAX_NEEDS = 65_535;

  private static final int WIDTH = 5;

  /** Stands for no epoch: never released, or by a version that did not record it. */
  private static final int UNKNOWN = 0;

  /** Stands for steps whose end somebody declared, which no array has. */
  private static final int DECLARED = 31;

  private static final int EPOCHS = 30;
  private static final int STATE_BITS = 3;
  private static final int STATE = (1 << STATE_BITS) - 1;

  private final byte[] bytes;

  public StepBlock() {
    this.bytes = new byte[SIZE * WIDTH];
  }

  public StepBlock(byte[] bytes) {
    this.bytes = bytes;
  }

  public byte[] bytes() {
    return bytes;
  }

  /** The block that a step belongs to. */
  public static int of(int step) {
    return step / SIZE;
  }

  /** The blocks that steps belong to, rising. */
  public static Set<Integer> numbersOf(IntStream steps) {
    return steps.map(StepBlock::of).boxed().collect(toCollection(TreeSet::new));
  }

  /** The blocks that steps belong to, rising. */
  public static Set<Integer> numbersOf(int[] steps) {
    return numbersOf(IntStream.of(steps));
  }

  public WorkflowStepState state(int step) {
    return ofCode(bytes[at(step)] & STATE);
  }

  public void state(int step, WorkflowStepState state) {
    bytes[at(step)] = (byte) ((bytes[at(step)] & ~STATE) | code(state));
  }

  /** Makes it RELEASED, as an element of an array of that epoch. */
  public void release(int step, int epoch) {
    bytes[at(step)] = (byte) (mark(epoch) << STATE_BITS | code(WorkflowStepState.RELEASED));
  }

  /** Makes it RELEASED, so that its end can be declared. */
  public void releaseForDeclaration(int step) {
    bytes[at(step)] = (byte) (DECLARED << STATE_BITS | code(WorkflowStepState.RELEASED));
  }

  /** Whether it was last released in that epoch, as far as is known. */
  public boolean releasedIn(int step, int epoch) {
    int mark = epochMark(step);
    return mark == UNKNOWN || mark == mark(epoch);
  }

  /** Whether its end was declared, or is being declared. */
  public boolean declared(int step) {
    return epochMark(step) == DECLARED;
  }

  private int epochMark(int step) {
    return (bytes[at(step)] & 0xff) >> STATE_BITS;
  }

  // An end that is late by thirty epochs would have to survive as many resumptions.
  private static int mark(int epoch) {
    return 1 + Math.floorMod(epoch - 1, EPOCHS);
  }

  private static WorkflowStepState ofCode(int code) {
    return switch (code) {
      case 0 -> WorkflowStepState.WAITING;
      case 1 -> WorkflowStepState.RELEASED;
      case 2 -> WorkflowStepState.SUCCEEDED;
      case 3 -> WorkflowStepState.FAILED;
      case 4 -> WorkflowStepState.CANCELLED;
      default -> throw new IllegalStateException("no state of a step has the code " + code);
    };
  }

  private static int code(WorkflowStepState state) {
    return switch (state) {
      case WAITING -> 0;
      case RELEASED -> 1;
      case SUCCEEDED -> 2;
      case FAILED -> 3;
      case CANCELLED -> 4;
    };
  }

  public int template(int step) {
    return number(at(step) + 1);
  }

  public void template(int step, int template) {
    number(at(step) + 1, template);
  }

  /** Needs that have not succeeded. */
  public int unmet(int step) {
    return number(at(step) + 3);
  }

  public void unmet(int step, int needs) {
    number(at(step) + 3, needs);
  }

  private static int at(int step) {
    return step % SIZE * WIDTH;
  }

  private int number(int at) {
    return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
  }

  private void number(int at, int value) {
    bytes[at] = (byte) (value >> 8);
    bytes[at + 1] = (byte) value;
  }
}
