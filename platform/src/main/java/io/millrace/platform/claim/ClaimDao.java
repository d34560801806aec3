package io.millrace.platform.claim;

import io.millrace.platform.database.Database;
import io.millrace.platform.database.Dialect;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * The claims that all instances share, timed by the database's clock (G-08). Thread-safe,
 * stateless; blocks on the database.
 */
public final class ClaimDao {

  /**
   * The current state of a claim.
   *
   * @param unexpired by the database's clock
   * @param live unexpired, and its expiry no further away than a claim may last
   * @param fresh whether most of its time is left
   */
  private record Row(String claimant, long term, boolean unexpired, boolean live, boolean fresh) {
    boolean heldBy(String instance) {
      return unexpired && claimant.equals(instance);
    }
  }

  private final Database database;
  private final String now;
  private final String expiry;
  private final Dialect dialect;

  /** Needs the migration {@code platform}. */
  public ClaimDao(Database database) {
    this.database = database;
    this.dialect = database.dialect();
    this.now = dialect.now();
    this.expiry = dialect.nowPlusMicros(":ttl");
  }

  /**
   * Renews the claimant's live claim, or takes one that is free or has expired (G-05, G-06). Taking
   * it, even after one's own claim expired, raises the term. A claim with more than three quarters
   * of its time left is not renewed, so that frequent calls rarely write.
   *
   * @param ttl until it expires by the database's clock; at least three quarters of it are left
   *     when this returns a claim
   * @return the claim, or empty if another instance holds it
   */
  public Optional<Claim> acquireOrRenew(String resource, String claimant, Duration ttl) {
    long micros = TimeUnit.NANOSECONDS.toMicros(ttl.toNanos());
    return database.transaction(
        handle -> {
          // Read without a lock first: an instance that will not get the claim must not wait for
          // the holder's transactions.
          Optional<Row> found = find(handle, resource, micros);
          if (found.isEmpty()) {
            return create(handle, new Claim(resource, claimant, 1), micros);
          }
          Row row = found.get();
          if (row.heldBy(claimant)) {
            Claim own = new Claim(resource, claimant, row.term());
            return row.live() && row.fresh() ? Optional.of(own) : renew(handle, own, micros);
          }
          if (!row.live()) {
            return takeOver(handle, new Claim(resource, claimant, row.term() + 1), micros);
          }
          return Optional.empty();
        });
  }

  private Optional<Row> find(Handle handle, String resource, long micros) {
    return handle
        .createQuery(
            """
            select claimant, term, expires_at > %s as unexpired, not %s as live,
                expires_at >= %s as fresh
            from claim
            where resource = :resource
            """
                .formatted(now, over(micros), dialect.nowPlusMicros(":most")))
        .bind("resource", resource)
        .bind("most", micros / 4 * 3)
        .map(
            (row, context) ->
                new Row(
                    row.getString("claimant"),
                    row.getLong("term"),
                    row.getBoolean("unexpired"),
                    row.getBoolean("live"),
                    row.getBoolean("fresh")))
        .findOne();
  }

  /**
   * After a backward step of the database's clock a dead holder's claim would last longer by that
   * step; a claim that ends later than its time to live from now shows such a step.
   */
  private String over(long micros) {
    String latest = dialect.nowPlusMicros(Long.toString(2 * micros));
    return "(expires_at <= %s or expires_at > %s)".formatted(now, latest);
  }

  private Optional<Claim> create(Handle handle, Claim claim, long micros) {
    return changed(
        handle,
        """
        insert ignore into claim (resource, claimant, term, expires_at)
        values (:resource, :claimant, :term, %s)
        """
            .formatted(expiry),
        claim,
        micros);
  }

  private Optional<Claim> takeOver(Handle handle, Claim claim, long micros) {
    return changed(
        handle,
        """
        update claim
        set claimant = :claimant, term = :term, expires_at = %s
        where resource = :resource and term = :term - 1 and %s
        """
            .formatted(expiry, over(micros)),
        claim,
        micros);
  }

  private Optional<Claim> renew(Handle handle, Claim claim, long micros) {
    return changed(
        handle,
        """
        update claim
        set expires_at = %s
        where resource = :resource and claimant = :claimant and term = :term
            and expires_at > %s
        """
            .formatted(expiry, now),
        claim,
        micros);
  }

  private static Optional<Claim> changed(Handle handle, String sql, Claim claim, long micros) {
    int rows =
        handle
            .createUpdate(sql)
            .bind("resource", claim.resource())
            .bind("claimant", claim.claimant())
            .bind("term", claim.term())
            .bind("ttl", micros)
            .execute();
    return rows == 1 ? Optional.of(claim) : Optional.empty();
  }

  /** Lets a claim expire now; does nothing if the claimant does not hold it. */
  public void release(String resource, String claimant) {
    database.transaction(
        handle ->
            handle
                .createUpdate(
                    """
                    update claim
                    set expires_at = %1$s
                    where resource = :resource and claimant = :claimant and expires_at > %1$s
                    """
                        .formatted(now))
                .bind("resource", resource)
                .bind("claimant", claimant)
                .execute());
  }

  /**
   * Locks the claim's row until the caller's transaction ends, so that a take-over waits for it.
   * The first statement of every transaction under a claim.
   *
   * @return false when the claim has expired or has another holder or term: the caller must change
   *     nothing
   */
  public boolean lock(Handle transaction, Claim claim) {
    return transaction
        .createQuery(
            """
            select term
            from claim
            where resource = :resource and claimant = :claimant and term = :term
                and expires_at > %s
            for update
            """
                .formatted(now))
        .bind("resource", claim.resource())
        .bind("claimant", claim.claimant())
        .bind("term", claim.term())
        .mapTo(Long.class)
        .findOne()
        .isPresent();
  }

  /** All claims ever taken, by resource. */
  public List<ClaimState> list() {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    select resource, claimant, term, expires_at, expires_at > %s as live
                    from claim
                    order by resource
                    """
                        .formatted(now))
                .map(
                    (row, context) ->
                        new ClaimState(
                            new Claim(
                                row.getString("resource"),
                                row.getString("claimant"),
                                row.getLong("term")),
                            context
                                .findColumnMapperFor(Instant.class)
                                .orElseThrow()
                                .map(row, "expires_at", context),
                            row.getBoolean("live")))
                .list());
  }

  /**
   * The number of live claims that an instance holds, by duty: what precedes a colon in the name of
   * the resource, so that the pools of the dispatch are one duty.
   */
  public Map<String, Long> heldBy(String claimant) {
    return list().stream()
        .filter(state -> state.live() && state.claim().claimant().equals(claimant))
        .collect(
            Collectors.groupingBy(
                state -> state.claim().resource().replaceFirst(":.*", ""),
                TreeMap::new,
                Collectors.counting()));
  }

  /**
   * A claim as stored, for display.
   *
   * @param expiresAt by the database's clock
   * @param live whether it had not expired when it was read
   */
  public record ClaimState(Claim claim, Instant expiresAt, boolean live) {}
}
