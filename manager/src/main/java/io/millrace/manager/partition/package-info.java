/**
 * Groups whose members share resources: memberships that are kept alive by heartbeats, the ring
 * that divides the resources (pure), and the cycles in which members poll and report.
 */
package io.millrace.manager.partition;
