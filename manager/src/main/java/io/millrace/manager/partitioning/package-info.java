/**
 * Who of a group does what, pure: a consistent-hash ring, what changes hands in a cycle, and the
 * run of a partitioned task (C-01..C-14).
 */
package io.millrace.manager.partitioning;
