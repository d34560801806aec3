package io.millrace.manager.job;

import io.millrace.api.job.JobDetails.ElementUsage;
import io.millrace.api.job.Usage;
import io.millrace.platform.database.KeyList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.Update;

/**
 * The tables {@code ended_elements}, {@code array_usage}, {@code array_run_time} and {@code
 * array_node}: the elements of arrays that succeeded at their first try. Whoever changes those of
 * an array has locked its row in {@code job_array}. Stateless.
 */
public final class ElementBlockDao {
  private static final KeyList BLOCKS = new KeyList("array_id", "block_number");
  private static final KeyList NODES = new KeyList("array_id", "ordinal");

  /** Nodes that are named of one array; elements that further nodes ran keep their rows. */
  static final int MAX_NODES = 10_000;

  /**
   * A node that ran elements.
   *
   * @param id its id
   * @param name its name at that time
   */
  record ElementNode(UUID id, String name) {}

  /** The blocks of an array with these numbers, as far as they exist. */
  SortedMap<Integer, ElementBlock> blocks(Handle handle, long array, Collection<Integer> numbers) {
    SortedMap<Integer, ElementBlock> blocks = new TreeMap<>();
    if (!numbers.isEmpty()) {
      Query query =
          handle.createQuery(
              """
              select block_number, bits, facts
              from ended_elements <keys>
              """);
      BLOCKS
          .select(query, array, numbers)
          .map(
              (row, context) ->
                  Map.entry(
                      row.getInt("block_number"),
                      ElementBlock.read(row.getBytes("bits"), row.getBytes("facts"))))
          .forEach(entry -> blocks.put(entry.getKey(), entry.getValue()));
    }
    return blocks;
  }

  /** Inserts blocks, by rising number. */
  void insert(Handle handle, long array, SortedMap<Integer, ElementBlock> blocks) {
    write(
        handle,
        """
        insert into ended_elements (array_id, block_number, elements, bits, facts)
        values (:array, :number, :elements, :bits, :facts)
        """,
        array,
        blocks);
  }

  /** Replaces blocks, by rising number. */
  void update(Handle handle, long array, SortedMap<Integer, ElementBlock> blocks) {
    write(
        handle,
        """
        update ended_elements
        set elements = :elements, bits = :bits, facts = :facts
        where array_id = :array and block_number = :number
        """,
        array,
        blocks);
  }

  private static void write(
      Handle handle, String statement, long array, SortedMap<Integer, ElementBlock> blocks) {
    if (blocks.isEmpty()) {
      return;
    }
    PreparedBatch batch = handle.prepareBatch(statement);
    blocks.forEach(
        (number, block) ->
            batch
                .bind("array", array)
                .bind("number", number)
                .bind("elements", block.elements().size())
                .bind("bits", block.bits())
                .bind("facts", block.facts())
                .add());
    batch.execute();
  }

  /** Adds what further elements used. */
  void addUsage(Handle handle, long array, Collection<EndedElement> elements) {
    // Not in one statement with "on duplicate key", which H2 executes as a failed insertion.
    int changed =
        bindUsage(
                handle.createUpdate(
                    """
                    update array_usage
                    set elements = elements + :elements, measured = measured + :measured,
                        run_millis = run_millis + :run, cpu_millis = cpu_millis + :cpu,
                        memory_bytes_max = greatest(memory_bytes_max, :memoryMax),
                        memory_bytes_sum = memory_bytes_sum + :memorySum,
                        read_bytes = read_bytes + :read,
                        written_bytes = written_bytes + :written
                    where array_id = :array
                    """),
                array,
                elements)
            .execute();
    if (changed == 0) {
      bindUsage(
              handle.createUpdate(
                  """
                  insert into array_usage (array_id, elements, measured, run_millis, cpu_millis,
                      memory_bytes_max, memory_bytes_sum, read_bytes, written_bytes)
                  values (:array, :elements, :measured, :run, :cpu, :memoryMax, :memorySum,
                      :read, :written)
                  """),
              array,
              elements)
          .execute();
    }
    addRunTime(handle, array, elements.stream().mapToLong(EndedElement::runMillis).max().orElse(0));
  }

  // In a table of its own, because migrations do not add columns.
  private static void addRunTime(Handle handle, long array, long longest) {
    int changed =
        handle
            .createUpdate(
                """
                update array_run_time
                set run_millis_max = greatest(run_millis_max, :longest)
                where array_id = :array
                """)
            .bind("array", array)
            .bind("longest", longest)
            .execute();
    if (changed == 0) {
      handle
          .createUpdate(
              """
              insert into array_run_time (array_id, run_millis_max)
              values (:array, :longest)
              """)
          .bind("array", array)
          .bind("longest", longest)
          .execute();
    }
  }

  private static Update bindUsage(Update statement, long array, Collection<EndedElement> elements) {
    List<Usage> usages =
        elements.stream().flatMap(one -> Optional.ofNullable(one.usage()).stream()).toList();
    return statement
        .bind("array", array)
        .bind("elements", elements.size())
        // Of those that ended before the first sample, only the processor time is known.
        .bind("measured", usages.stream().filter(one -> one.memoryBytes() > 0).count())
        .bind("run", elements.stream().mapToLong(EndedElement::runMillis).sum())
        .bind("cpu", usages.stream().mapToLong(Usage::cpuMillis).sum())
        .bind("memoryMax", usages.stream().mapToLong(Usage::memoryBytes).max().orElse(0))
        .bind("memorySum", usages.stream().mapToLong(Usage::memoryBytes).sum())
        .bind("read", usages.stream().mapToLong(Usage::readBytes).sum())
        .bind("written", usages.stream().mapToLong(Usage::writtenBytes).sum());
  }

  /** What the elements of an array used that were written here; empty if there is none. */
  Optional<ElementUsage> usage(Handle handle, long array) {
    return handle
        .createQuery(
            """
            select elements, measured, run_millis, cpu_millis, memory_bytes_sum,
                memory_bytes_max, read_bytes, written_bytes
            from array_usage
            where array_id = :array
            """)
        .bind("array", array)
        .map(
            (row, context) ->
                new ElementUsage(
                    row.getLong("elements"),
                    row.getLong("measured"),
                    row.getLong("run_millis"),
                    row.getLong("cpu_millis"),
                    row.getLong("memory_bytes_sum") / Math.max(1, row.getLong("measured")),
                    row.getLong("memory_bytes_max"),
                    row.getLong("read_bytes"),
                    row.getLong("written_bytes")))
        .findOne();
  }

  /** The number of a node in each of the arrays that know it. */
  Map<Long, Integer> numbers(Handle handle, Collection<Long> arrays, ElementNode node) {
    Map<Long, Integer> numbers = new HashMap<>();
    handle
        .createQuery(
            """
            select array_id, ordinal
            from array_node
            where array_id in (<arrays>) and node_id = :id and node_name = :name
            """)
        .bindList("arrays", List.copyOf(arrays))
        .bind("id", node.id().toString())
        .bind("name", node.name())
        .map((row, context) -> Map.entry(row.getLong("array_id"), row.getInt("ordinal")))
        .forEach(entry -> numbers.put(entry.getKey(), entry.getValue()));
    return numbers;
  }

  /** How many nodes the array knows. */
  int nodes(Handle handle, long array) {
    return handle
        .createQuery(
            """
            select ordinal + 1
            from array_node
            where array_id = :array
            order by array_id desc, ordinal desc
            limit 1
            """)
        .bind("array", array)
        .mapTo(Integer.class)
        .findOne()
        .orElse(0);
  }

  /** Gives a node a number in the array. */
  void insertNode(Handle handle, long array, int number, ElementNode node) {
    handle
        .createUpdate(
            """
            insert into array_node (array_id, ordinal, node_id, node_name)
            values (:array, :number, :id, :name)
            """)
        .bind("array", array)
        .bind("number", number)
        .bind("id", node.id().toString())
        .bind("name", node.name())
        .execute();
  }

  /** The nodes of an array with these numbers. */
  Map<Integer, ElementNode> nodes(Handle handle, long array, Collection<Integer> numbers) {
    Map<Integer, ElementNode> nodes = new HashMap<>();
    if (!numbers.isEmpty()) {
      Query query =
          handle.createQuery(
              """
              select ordinal, node_id, node_name
              from array_node <keys>
              """);
      NODES
          .select(query, array, numbers)
          .map(
              (row, context) ->
                  Map.entry(
                      row.getInt("ordinal"),
                      new ElementNode(
                          UUID.fromString(row.getString("node_id")), row.getString("node_name"))))
          .forEach(entry -> nodes.put(entry.getKey(), entry.getValue()));
    }
    return nodes;
  }

  /**
   * Rows that a deletion took away.
   *
   * @param rows of the table
   * @param elements that they stood for
   */
  record DeletedBlocks(int rows, long elements) {
    static final DeletedBlocks NONE = new DeletedBlocks(0, 0);

    DeletedBlocks plus(DeletedBlocks other) {
      return new DeletedBlocks(rows + other.rows, elements + other.elements);
    }
  }

  /** Deletes some nodes of an array whose blocks are deleted; returns how many. */
  int deleteNodes(Handle handle, long array, int limit) {
    return handle
        .createUpdate("delete from array_node where array_id = :array limit :limit")
        .bind("array", array)
        .bind("limit", limit)
        .execute();
  }

  /** Deletes some blocks of an array whose own job the caller has locked. */
  DeletedBlocks deleteSome(Handle handle, long array, int limit) {
    Map<Integer, Integer> found = new HashMap<>();
    handle
        .createQuery(
            """
            select block_number, elements
            from ended_elements
            where array_id = :array
            order by array_id, block_number
            limit :limit
            """)
        .bind("array", array)
        .bind("limit", limit)
        .map((row, context) -> Map.entry(row.getInt("block_number"), row.getInt("elements")))
        .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    if (!found.isEmpty()) {
      Update deletion =
          handle.createUpdate(
              """
              delete from ended_elements
              where <keys>
              """);
      BLOCKS.change(deletion, array, found.keySet()).execute();
    }
    return new DeletedBlocks(
        found.size(), found.values().stream().mapToLong(Integer::longValue).sum());
  }
}
