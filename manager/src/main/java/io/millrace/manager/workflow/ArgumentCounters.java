package io.millrace.manager.workflow;

import io.millrace.manager.graph.WorkflowPlan.Relation;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * How many steps of each combination of arguments have not succeeded: four bytes for each, in
 * blocks that are read when they are needed and written once. One thread; blocks on the database.
 */
final class ArgumentCounters {
  private static final int SIZE = 128;

  private final Handle handle;
  private final long workflow;
  private final StepDao steps;
  private final Map<BlockKey, byte[]> blocks = new HashMap<>();

  private record BlockKey(int relation, int block) {}

  ArgumentCounters(Handle handle, long workflow, StepDao steps) {
    this.handle = handle;
    this.workflow = workflow;
    this.steps = steps;
  }

  /**
   * Changes one; returns its new value.
   *
   * @param sharing how many steps share each combination, with which counters begin
   */
  int add(Relation relation, int combination, int change, int sharing) {
    ByteBuffer counters = block(relation, combination, sharing);
    int at = combination % SIZE * Integer.BYTES;
    int left = counters.getInt(at) + change;
    counters.putInt(at, left);
    return left;
  }

  /**
   * Reads one.
   *
   * @param sharing how many steps share each combination, with which counters begin
   */
  int get(Relation relation, int combination, int sharing) {
    return block(relation, combination, sharing).getInt(combination % SIZE * Integer.BYTES);
  }

  private ByteBuffer block(Relation relation, int combination, int sharing) {
    return ByteBuffer.wrap(
        blocks.computeIfAbsent(
            new BlockKey(relation.number(), combination / SIZE),
            one ->
                steps
                    .counters(handle, workflow, one.relation(), one.block())
                    .orElseGet(() -> all(sharing))));
  }

  private static byte[] all(int value) {
    ByteBuffer block = ByteBuffer.allocate(SIZE * Integer.BYTES);
    for (int i = 0; i < SIZE; i++) {
      block.putInt(value);
    }
    return block.array();
  }

  /** Writes all blocks that were read, whether or not a counter in them was changed. */
  void write() {
    blocks.forEach(
        (key, block) -> steps.writeCounters(handle, workflow, key.relation(), key.block(), block));
  }
}
