package io.millrace.manager.sample;

import io.millrace.api.insight.FigureHistory.SampledFigure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The table {@code node_sample}. Stateless; runs in the caller's transaction. */
public final class NodeSampleDao {
  private static final Duration CHUNK = Duration.ofMinutes(30);

  private NodeSampleDao() {}

  /** Adds a sample of each of these nodes, by name. */
  public static void add(
      Handle handle,
      SampledKind kind,
      Instant at,
      Map<String, Map<String, SampledFigure>> figures) {
    if (figures.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into node_sample (kind, node, sampled_at, figures)
            values (:kind, :node, :at, :figures)
            """);
    figures.forEach(
        (node, its) ->
            batch
                .bind("kind", kind.name())
                .bind("node", node)
                .bind("at", at)
                .bind("figures", FigureText.of(its))
                .add());
    batch.execute();
  }

  /** Nodes that have samples; reads one row of an index for each. */
  static List<String> nodes(Handle handle, SampledKind kind) {
    List<String> nodes = new ArrayList<>();
    Optional<String> next = nextNode(handle, kind, "");
    while (next.isPresent()) {
      nodes.add(next.get());
      next = nextNode(handle, kind, next.get());
    }
    return nodes;
  }

  private static Optional<String> nextNode(Handle handle, SampledKind kind, String after) {
    return handle
        .createQuery(
            """
            select node
            from node_sample
            where kind = :kind and node >= :from
            order by kind, node, sampled_at
            limit 1
            """)
        .bind("kind", kind.name())
        // H2 would read through all samples of a node for "greater than". No name has a sign
        // below !.
        .bind("from", after + "!")
        .mapTo(String.class)
        .findOne();
  }

  /** When the first sample of a node from that time on was taken. */
  static Optional<Instant> firstFrom(Handle handle, SampledKind kind, String node, Instant from) {
    return handle
        .createQuery(
            """
            select sampled_at
            from node_sample
            where kind = :kind and node = :node and sampled_at >= :from
            order by sampled_at
            limit 1
            """)
        .bind("kind", kind.name())
        .bind("node", node)
        .bind("from", from)
        .mapTo(Instant.class)
        .findOne();
  }

  /** A node's samples in order of time; the end is exclusive. */
  static List<TimedSample> between(
      Handle handle, SampledKind kind, String node, Instant from, Instant to) {
    return handle
        .createQuery(
            """
            select sampled_at, figures
            from node_sample
            where kind = :kind and node = :node and sampled_at >= :from and sampled_at < :to
            order by sampled_at
            """)
        .bind("kind", kind.name())
        .bind("node", node)
        .bind("from", from)
        .bind("to", to)
        .map(
            row ->
                new TimedSample(
                    row.getColumn("sampled_at", Instant.class),
                    RollUp.USUAL_SECONDS,
                    FigureText.figures(row.getColumn("figures", String.class)),
                    Map.of()))
        .list();
  }

  /**
   * Deletes some of a node's oldest samples from before then; returns whether there may be more.
   */
  static boolean forgetSome(Handle handle, SampledKind kind, String node, Instant before) {
    Optional<Instant> oldest = firstFrom(handle, kind, node, Instant.EPOCH);
    if (oldest.isEmpty() || !oldest.get().isBefore(before)) {
      return false;
    }
    Instant chunk = oldest.get().plus(CHUNK);
    handle
        .createUpdate(
            """
            delete from node_sample
            where kind = :kind and node = :node and sampled_at < :before
            """)
        .bind("kind", kind.name())
        .bind("node", node)
        .bind("before", chunk.isBefore(before) ? chunk : before)
        .execute();
    return true;
  }
}
