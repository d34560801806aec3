package io.millrace.manager.placement;

import io.millrace.manager.placement.PlacementPlan.ShareCharge;
import io.millrace.manager.placement.PlacementPlan.ShareTurn;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The tables {@code fair_share} and {@code share_weight}. Stateless. */
public final class FairShareDao {
  /** The positions of these shares in the pool. */
  public Map<String, ShareTurn> turns(Handle handle, String pool, Collection<String> shares) {
    if (shares.isEmpty()) {
      return Map.of();
    }
    Map<String, Double> passes = new HashMap<>();
    handle
        .createQuery(
            """
            select share, pass
            from fair_share
            where pool = :pool and share in (<shares>)
            """)
        .bind("pool", pool)
        .bindList("shares", List.copyOf(shares))
        .map((row, context) -> Map.entry(row.getString("share"), row.getDouble("pass")))
        .forEach(entry -> passes.put(entry.getKey(), entry.getValue()));
    Map<String, Double> weights = weights(handle);
    Map<String, ShareTurn> turns = new HashMap<>();
    for (String share : shares) {
      turns.put(
          share, new ShareTurn(weights.getOrDefault(share, 1.0), passes.getOrDefault(share, 0.0)));
    }
    return turns;
  }

  /** The virtual time of the pool. */
  public double virtualTime(Handle handle, String pool) {
    return handle
        .createQuery(
            """
            select coalesce(max(start_tag), 0)
            from fair_share
            where pool = :pool
            """)
        .bind("pool", pool)
        .mapTo(Double.class)
        .one();
  }

  /** Advances shares. */
  public void charge(Handle handle, String pool, Map<String, ShareCharge> charges, Instant now) {
    if (charges.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into fair_share (pool, share, pass, start_tag, started, charged_at)
            values (:pool, :share, :pass, :startTag, :slots, :now)
            on duplicate key update pass = values(pass), start_tag = values(start_tag),
                started = started + values(started), charged_at = values(charged_at)
            """);
    charges.forEach(
        (share, charge) ->
            batch
                .bind("pool", pool)
                .bind("share", share)
                .bind("pass", charge.pass())
                .bind("startTag", charge.startTag())
                .bind("slots", charge.slots())
                .bind("now", now)
                .add());
    batch.execute();
  }

  /**
   * Deletes shares without a start since that time: the pool's virtual time has passed them, so
   * that they begin like new ones. Those started last, which determine the virtual time, are kept.
   *
   * @return how many, at most the limit
   */
  public int deleteIdle(Handle handle, Instant before, int limit) {
    return handle
        .createUpdate("delete from fair_share where charged_at < :before limit :limit")
        .bind("before", before)
        .bind("limit", limit)
        .execute();
  }

  /** The weights that are set; the default is 1. */
  public Map<String, Double> weights(Handle handle) {
    Map<String, Double> weights = new HashMap<>();
    handle
        .createQuery("select share, weight from share_weight")
        .map((row, context) -> Map.entry(row.getString("share"), row.getDouble("weight")))
        .forEach(entry -> weights.put(entry.getKey(), entry.getValue()));
    return weights;
  }

  public void setWeight(Handle handle, String share, double weight) {
    handle
        .createUpdate(
            """
            insert into share_weight (share, weight)
            values (:share, :weight)
            on duplicate key update weight = values(weight)
            """)
        .bind("share", share)
        .bind("weight", weight)
        .execute();
  }

  /** Slots started so far, by share, in all pools. */
  public Map<String, Long> started(Handle handle) {
    return sums(
        handle,
        """
        select share, sum(started) as amount
        from fair_share
        group by share
        """);
  }

  /** Slots booked now, by share. */
  public Map<String, Long> running(Handle handle) {
    return sums(handle, "select share, sum(slots) as amount from booking group by share");
  }

  private static Map<String, Long> sums(Handle handle, String query) {
    Map<String, Long> sums = new HashMap<>();
    handle
        .createQuery(query)
        .map((row, context) -> Map.entry(row.getString("share"), row.getLong("amount")))
        .forEach(entry -> sums.put(entry.getKey(), entry.getValue()));
    return sums;
  }
}
