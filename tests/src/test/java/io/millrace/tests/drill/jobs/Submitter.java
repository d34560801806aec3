package io.millrace.tests.drill.jobs;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.tests.drill.cluster.DrillCluster;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.awaitility.Awaitility;

/**
 * Submits a job once, through any central manager that accepts it: repeats the request with the
 * same key until it is answered.
 */
final class Submitter {
  private static final Duration WITHIN = Duration.ofMinutes(4);
  private static final Set<ErrorCode> REFUSALS =
      EnumSet.of(ErrorCode.INVALID_REQUEST, ErrorCode.CONFLICT, ErrorCode.MALFORMED_BODY);

  private final DrillCluster cluster;
  private final List<String> centrals;
  private int next;

  Submitter(DrillCluster cluster) {
    this.cluster = cluster;
    this.centrals = cluster.shape().centralNames();
  }

  AcceptedJob submit(DrillJob draft) {
    String key = UUID.randomUUID().toString();
    long[] id = new long[1];
    Awaitility.await("job " + draft.spec().name() + " is accepted")
        .atMost(WITHIN)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(200))
        .until(
            () -> {
              id[0] = tryOnce(draft, key);
              return id[0] > 0;
            });
    return new AcceptedJob(id[0], draft);
  }

  private long tryOnce(DrillJob draft, String key) {
    CentralClient central = cluster.hasty(centrals.get(next++ % centrals.size()));
    try {
      return central.submit(draft.spec(), key).id();
    } catch (MillraceException e) {
      if (REFUSALS.contains(e.code())) {
        throw e;
      }
      return 0;
    }
  }
}
