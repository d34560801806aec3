/**
 * Distributing resources among the living members of a group. A program takes part through {@link
 * io.millrace.api.partition.PartitionCoordinator}.
 */
package io.millrace.api.partition;
