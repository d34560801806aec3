package io.millrace.manager.workflow;

import io.millrace.api.Pure;
import io.millrace.api.workflow.WorkflowStepState;

/**
 * State, template and unmet needs of {@link #SIZE} consecutive steps, five bytes each. Not
 * thread-safe.
 */
@Pure
final class StepBlock {
  /** Steps of a block. */
  static final int SIZE = 128;

  /** The most needs of a step. */
  static final int MAX_NEEDS = 65_535;

  private static final int WIDTH = 5;

  private final byte[] bytes;

  StepBlock() {
    this.bytes = new byte[SIZE * WIDTH];
  }

  StepBlock(byte[] bytes) {
    this.bytes = bytes;
  }

  byte[] bytes() {
    return bytes;
  }

  /** The block that a step belongs to. */
  static int of(int step) {
    return step / SIZE;
  }

  WorkflowStepState state(int step) {
    return state(bytes[at(step)]);
  }

  void state(int step, WorkflowStepState state) {
    bytes[at(step)] = code(state);
  }

  private static WorkflowStepState state(byte code) {
    return switch (code) {
      case 0 -> WorkflowStepState.WAITING;
      case 1 -> WorkflowStepState.RELEASED;
      case 2 -> WorkflowStepState.SUCCEEDED;
      case 3 -> WorkflowStepState.FAILED;
      case 4 -> WorkflowStepState.CANCELLED;
      default -> throw new IllegalStateException("no state of a step has the code " + code);
    };
  }

  private static byte code(WorkflowStepState state) {
    return switch (state) {
      case WAITING -> 0;
      case RELEASED -> 1;
      case SUCCEEDED -> 2;
      case FAILED -> 3;
      case CANCELLED -> 4;
    };
  }

  int template(int step) {
    return number(at(step) + 1);
  }

  void template(int step, int template) {
    number(at(step) + 1, template);
  }

  /** Needs that have not succeeded. */
  int unmet(int step) {
    return number(at(step) + 3);
  }

  void unmet(int step, int needs) {
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
