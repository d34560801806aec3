package io.millrace.api.partition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.util.List;

/**
 * A task whose resources are each polled once per interval (C-01, C-02). Its group consists of the
 * execution nodes of the job's pool (C-05): each gets its share of the ring.
 *
 * @param discover prints one resource per line; run at the beginning of each interval
 * @param batch resources that one worker gets at a time, one per line on its standard input; 1 by
 *     default
 */
public record PartitionDefinition(List<String> discover, int batch) {
  public PartitionDefinition {
    if (discover == null || discover.isEmpty()) {
      throw refuse("discover is missing: a command, written as a list, that prints the resources");
    }
    discover = List.copyOf(discover);
    batch = batch == 0 ? 1 : batch;
    if (batch < 1 || batch > 10_000) {
      throw refuse("batch must be from 1 to 10000");
    }
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_DEFINITION, "partition: " + rule);
  }
}
