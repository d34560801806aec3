package io.millrace.manager.placement;

import io.millrace.api.Pure;

/**
 * A consumable of the cluster.
 *
 * @param total how many there are
 * @param used how many are booked; may be more, after the total was lowered
 */
@Pure
public record LicenceStock(int total, int used) {
  int free() {
    return total - used;
  }
}
