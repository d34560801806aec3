package io.millrace.manager.workflow;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.manager.app.CentralTables;
import io.millrace.manager.graph.StepBlock;
import io.millrace.platform.database.Database;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StepDaoTest {
  private final Database database = CentralTables.inMemory();
  private final StepDao steps = new StepDao();

  @AfterEach
  void close() {
    database.close();
  }

  /** Each block with an own number of unmet needs, so that it is recognised. */
  private static Map<Integer, StepBlock> blocks(int add, int... numbers) {
    return IntStream.of(numbers)
        .boxed()
        .collect(
            toMap(
                number -> number,
                number -> {
                  StepBlock block = new StepBlock();
                  block.unmet(number * StepBlock.SIZE, number + add);
                  return block;
                }));
  }

  @Test
  void theBlocksOfARangeAreThoseOfTheWorkflowFromItsFirstToItsLast() {
    database.transaction(
        handle -> {
          steps.insertBlocks(handle, 1, blocks(0, 0, 1, 2, 4, 5));
          steps.insertBlocks(handle, 2, blocks(100, 0, 1, 2, 3, 4, 5));
          return null;
        });
    SortedMap<Integer, StepBlock> found = database.read(handle -> steps.blocks(handle, 1, 1, 4));
    assertThat(found.keySet()).as("one that is not stored is absent").containsExactly(1, 2, 4);
    found.forEach(
        (number, block) -> assertThat(block.unmet(number * StepBlock.SIZE)).isEqualTo(number));

    Map<Integer, StepBlock> some =
        database.read(handle -> steps.blocks(handle, 1, Set.of(0, 3, 4)));
    assertThat(some).containsOnlyKeys(0, 4);
    assertThat(some.get(4).unmet(4 * StepBlock.SIZE)).isEqualTo(4);
    assertThat(some.get(4).state(4 * StepBlock.SIZE)).isEqualTo(WorkflowStepState.WAITING);
  }
}
