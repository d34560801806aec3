/**
 * Who of a group does what, pure: a consistent-hash ring, the ledger of one cycle, and the run of a
 * partitioned task (C-01..C-14).
 */
package io.millrace.manager.partitioning;
