package io.millrace.manager.placement;

/**
 * A consumable of the cluster.
 *
 * @param total how many there are
 * @param used how many are booked; may be more, after the total was lowered
 */
public record LicenceStock(int total, int used) {
  int free() {
    return total - used;
  }
}
