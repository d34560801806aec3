package io.millrace.manager.workflow;

import io.millrace.api.Json;
import io.millrace.manager.graph.StepBlock;
import io.millrace.platform.database.KeyList;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.Update;

/**
 * The steps of workflows: as they were listed ({@code workflow_step}), their states ({@code
 * workflow_state}), what waits for them ({@code workflow_successor}) and for those with equal
 * arguments ({@code workflow_join}). Stateless.
 */
final class StepDao {
  private static final KeyList STATES = new KeyList("workflow_id", "block");
  private static final KeyList SUCCESSORS = new KeyList("workflow_id", "node");
  private static final KeyList OUTPUTS = new KeyList("workflow_id", "step");

  /**
   * Listed steps in a row.
   *
   * @param firstListed counted among the listed steps, from 0
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  record StepRow(int firstListed, int steps, byte[] content) {
    boolean sameAs(StepRow other) {
      return firstListed == other.firstListed
          && steps == other.steps
          && Arrays.equals(content, other.content);
    }
  }

  /**
   * The successors of a node.
   *
   * @param node a block of steps; below 0 for a template, from -1 for the first
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  record SuccessorRow(int node, int part, byte[] content) {}

  void insertSteps(Handle handle, long workflow, List<StepRow> rows) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into workflow_step (workflow_id, first_listed, steps, content)
            values (:workflow, :first, :steps, :content)
            """);
    for (StepRow row : rows) {
      batch
          .bind("workflow", workflow)
          .bind("first", row.firstListed())
          .bind("steps", row.steps())
          .bind("content", row.content())
          .add();
    }
    batch.execute();
  }

  /** Rows from that one on, by rising number. */
  List<StepRow> steps(Handle handle, long workflow, int from, int limit) {
    return handle
        .createQuery(
            """
            select first_listed, steps, content
            from workflow_step
            where workflow_id = :workflow and first_listed >= :from
            order by workflow_id, first_listed
            limit :limit
            """)
        .bind("workflow", workflow)
        .bind("from", from)
        .bind("limit", limit)
        .map((row, context) -> row(row))
        .list();
  }

  /** The row with the listed step of that number, counted among the listed ones. */
  StepRow rowOf(Handle handle, long workflow, int listed) {
    return handle
        .createQuery(
            """
            select first_listed, steps, content
            from workflow_step
            where workflow_id = :workflow and first_listed <= :listed
            order by workflow_id desc, first_listed desc
            limit 1
            """)
        .bind("workflow", workflow)
        .bind("listed", listed)
        .map((row, context) -> row(row))
        .one();
  }

  private static StepRow row(ResultSet row) throws SQLException {
    return new StepRow(row.getInt("first_listed"), row.getInt("steps"), row.getBytes("content"));
  }

  /** The blocks that are stored, by number. */
  Map<Integer, StepBlock> blocks(Handle handle, long workflow, Collection<Integer> numbers) {
    Map<Integer, StepBlock> blocks = new HashMap<>();
    if (!numbers.isEmpty()) {
      Query query =
          handle.createQuery(
              """
              select block, steps
              from workflow_state <keys>
              """);
      STATES
          .select(query, workflow, numbers)
          .map((row, context) -> Map.entry(row.getInt("block"), row.getBytes("steps")))
          .forEach(entry -> blocks.put(entry.getKey(), new StepBlock(entry.getValue())));
    }
    return blocks;
  }

  /** The blocks from one to another one, both included, that are stored, by rising number. */
  SortedMap<Integer, StepBlock> blocks(Handle handle, long workflow, int first, int last) {
    SortedMap<Integer, StepBlock> blocks = new TreeMap<>();
    handle
        .createQuery(
            """
            select block, steps
            from workflow_state
            where workflow_id = :workflow and block between :first and :last
            """)
        .bind("workflow", workflow)
        .bind("first", first)
        .bind("last", last)
        .map((row, context) -> Map.entry(row.getInt("block"), row.getBytes("steps")))
        .forEach(entry -> blocks.put(entry.getKey(), new StepBlock(entry.getValue())));
    return blocks;
  }

  void insertBlocks(Handle handle, long workflow, Map<Integer, StepBlock> blocks) {
    write(
        handle,
        """
        insert into workflow_state (workflow_id, block, steps)
        values (:workflow, :block, :steps)
        """,
        workflow,
        blocks);
  }

  void updateBlocks(Handle handle, long workflow, Map<Integer, StepBlock> blocks) {
    write(
        handle,
        """
        update workflow_state
        set steps = :steps
        where workflow_id = :workflow and block = :block
        """,
        workflow,
        blocks);
  }

  private static void write(
      Handle handle, String statement, long workflow, Map<Integer, StepBlock> blocks) {
    if (blocks.isEmpty()) {
      return;
    }
    PreparedBatch batch = handle.prepareBatch(statement);
    blocks.forEach(
        (number, block) ->
            batch
                .bind("workflow", workflow)
                .bind("block", number)
                .bind("steps", block.bytes())
                .add());
    batch.execute();
  }

  void insertSuccessors(Handle handle, long workflow, List<SuccessorRow> rows) {
    if (rows.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into workflow_successor (workflow_id, node, part, content)
            values (:workflow, :node, :part, :content)
            """);
    for (SuccessorRow row : rows) {
      batch
          .bind("workflow", workflow)
          .bind("node", row.node())
          .bind("part", row.part())
          .bind("content", row.content())
          .add();
    }
    batch.execute();
  }

  /** The successors of blocks of steps, by block; blocks that have none are absent. */
  Map<Integer, byte[]> successors(Handle handle, long workflow, Collection<Integer> blocks) {
    Map<Integer, byte[]> found = new HashMap<>();
    if (!blocks.isEmpty()) {
      Query query =
          handle.createQuery(
              """
              select node, content
              from workflow_successor <keys> and part = 0
              """);
      SUCCESSORS
          .select(query, workflow, blocks)
          .map((row, context) -> Map.entry(row.getInt("node"), row.getBytes("content")))
          .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    }
    return found;
  }

  /** A part of the successors of a template. */
  Optional<byte[]> ofTemplate(Handle handle, long workflow, int template, int part) {
    return handle
        .createQuery(
            """
            select content
            from workflow_successor
            where workflow_id = :workflow and node = :node and part = :part
            """)
        .bind("workflow", workflow)
        .bind("node", -1 - template)
        .bind("part", part)
        .map((row, context) -> row.getBytes("content"))
        .findOne();
  }

  /** Records the values that a step gave, in place of earlier ones. */
  void writeOutputs(Handle handle, long workflow, int step, Map<String, String> values) {
    handle
        .createUpdate(
            """
            insert into step_output (workflow_id, step, content)
            values (:workflow, :step, :content)
            on duplicate key update content = values(content)
            """)
        .bind("workflow", workflow)
        .bind("step", step)
        .bind("content", Json.write(new GivenValues(values)))
        .execute();
  }

  /** Forgets the values that steps gave. */
  void deleteOutputs(Handle handle, long workflow, Collection<Integer> numbers) {
    if (numbers.isEmpty()) {
      return;
    }
    Update deletion =
        handle.createUpdate(
            """
            delete from step_output
            where <keys>
            """);
    OUTPUTS.change(deletion, workflow, numbers).execute();
  }

  /** The values that a step gave, by name. */
  Map<String, String> outputs(Handle handle, long workflow, int step) {
    return handle
        .createQuery(
            """
            select content
            from step_output
            where workflow_id = :workflow and step = :step
            """)
        .bind("workflow", workflow)
        .bind("step", step)
        .mapTo(String.class)
        .findOne()
        .map(content -> Json.read(content, GivenValues.class).values())
        .orElse(Map.of());
  }

  /** The form in which values are stored. */
  private record GivenValues(Map<String, String> values) {}

  Optional<byte[]> counters(Handle handle, long workflow, int relation, int block) {
    return handle
        .createQuery(
            """
            select counters
            from workflow_join
            where workflow_id = :workflow and relation = :relation and block = :block
            """)
        .bind("workflow", workflow)
        .bind("relation", relation)
        .bind("block", block)
        .map((row, context) -> row.getBytes("counters"))
        .findOne();
  }

  void writeCounters(Handle handle, long workflow, int relation, int block, byte[] counters) {
    handle
        .createUpdate(
            """
            insert into workflow_join (workflow_id, relation, block, counters)
            values (:workflow, :relation, :block, :counters)
            on duplicate key update counters = values(counters)
            """)
        .bind("workflow", workflow)
        .bind("relation", relation)
        .bind("block", block)
        .bind("counters", counters)
        .execute();
  }

  /** Makes counters of a relation begin anew. */
  void forgetCounters(Handle handle, long workflow, int relation) {
    handle
        .createUpdate(
            "delete from workflow_join where workflow_id = :workflow and relation = :relation")
        .bind("workflow", workflow)
        .bind("relation", relation)
        .execute();
  }

  /** Deletes some rows that the activation of a graph makes; returns whether there may be more. */
  boolean deleteActivated(Handle handle, long workflow, int limit) {
    int most = 0;
    for (String statement :
        List.of(
            "delete from workflow_state where workflow_id = :workflow limit :limit",
            "delete from workflow_successor where workflow_id = :workflow limit :limit",
            "delete from workflow_join where workflow_id = :workflow limit :limit",
            "delete from workflow_opening where workflow_id = :workflow limit :limit")) {
      most = Math.max(most, execute(handle, statement, workflow, limit));
    }
    return most == limit;
  }

  /** Deletes some of all that a workflow consists of; returns whether there may be more. */
  boolean delete(Handle handle, long workflow, int limit) {
    boolean more = deleteActivated(handle, workflow, limit);
    int most = 0;
    for (String statement : DELETIONS) {
      most = Math.max(most, execute(handle, statement, workflow, limit));
    }
    return more || most == limit;
  }

  private static final List<String> DELETIONS =
      List.of(
          "delete from workflow_step where workflow_id = :workflow limit :limit",
          "delete from workflow_edge where workflow_id = :workflow limit :limit",
          "delete from step_end where workflow_id = :workflow limit :limit",
          "delete from step_output where workflow_id = :workflow limit :limit",
          "delete from workflow_reset_part where workflow_id = :workflow limit :limit",
          "delete from workflow_event where workflow_id = :workflow limit :limit",
          "delete from workflow_list where workflow_id = :workflow limit :limit",
          """
          delete from released_step
          where array_id in (
              select array_id
              from workflow_array
              where workflow_id = :workflow)
          limit :limit
          """);

  private static int execute(Handle handle, String statement, long workflow, int limit) {
    return handle.createUpdate(statement).bind("workflow", workflow).bind("limit", limit).execute();
  }
}
