package io.millrace.manager.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.notification.Notification;
import io.millrace.manager.job.IdempotencyDao.Use;
import io.millrace.platform.identity.Sha256;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jdbi.v3.core.Handle;

/**
 * Submits at most once for each key, so that a client that does not know whether its request was
 * received may repeat it. Thread-safe.
 */
final class IdempotentSubmission {
  // Maps have no order; equal ones must give the same text.
  private static final JsonMapper SORTED =
      Json.mapper().rebuild().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();

  private final IdempotencyDao store = new IdempotencyDao();

  /**
   * Submits in the caller's transaction unless the key was used before.
   *
   * @return the id of the job; of the first one for a repetition
   * @throws MillraceException CONFLICT when the key was used with another specification
   */
  long submit(
      Handle handle, String owner, String key, JobSpec spec, Instant now, LongSupplier submit) {
    String hash = IdempotencyKey.hash(key);
    String fingerprint = fingerprint(spec);
    if (store.take(handle, owner, hash, fingerprint, now)) {
      long id = submit.getAsLong();
      store.setJob(handle, owner, hash, id);
      return id;
    }
    Use before = store.use(handle, owner, hash, now);
    if (!before.fingerprint().equals(fingerprint)) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "Idempotency-Key '%s' was used with a different specification for job %d; use a new key for a new job"
              .formatted(key, before.job()));
    }
    return before.job();
  }

  /** A hash that is the same for equal specifications, on every central manager. */
  static String fingerprint(JobSpec spec) {
    // Sets have no order either.
    RetryPolicy retry = spec.retry();
    Notification notification = spec.notification();
    List<Object> sets = new ArrayList<>();
    sets.add(new TreeSet<>(retry.on()));
    sets.add(new TreeSet<>(retry.exitCodes()));
    sets.add(new TreeSet<>(retry.finalExitCodes()));
    if (retry.scale() != null) {
      sets.add(retry.scale());
    }
    if (!retry.fallback().isEmpty()) {
      sets.add(retry.fallback());
    }
    if (notification != null) {
      sets.add(new TreeSet<>(notification.on()));
      sets.add(notification.command());
      sets.add(String.valueOf(notification.webhook()));
      sets.add(notification.lateAfter());
    }
    JobSpec rest =
        spec.draft()
            .retry(RetryPolicy.upTo(retry.max(), retry.backoff(), retry.maxBackoff()))
            .notification(null)
            .spec();
    try {
      return Sha256.of(SORTED.writeValueAsString(rest) + SORTED.writeValueAsString(sets));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a specification can always be written as JSON", e);
    }
  }
}
