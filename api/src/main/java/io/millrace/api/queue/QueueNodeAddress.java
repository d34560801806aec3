package io.millrace.api.queue;

import java.net.URI;
import java.util.UUID;

/**
 * A queue node that the database knows.
 *
 * @param id the node's own id
 * @param name its name
 * @param address where its API answers
 * @param standing what operators want of it
 */
public record QueueNodeAddress(UUID id, String name, URI address, QueueNodeStatus standing) {
  public QueueNodeAddress {
    standing = standing == null ? QueueNodeStatus.ACTIVE : standing;
  }
}
