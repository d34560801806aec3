/**
 * The groups whose members say by heartbeats that they live and share resources, and the cycles in
 * which they poll and report them (C-01..C-10); what each is to do is decided by {@link
 * io.millrace.manager.partitioning}. Task managers and the web call in.
 */
package io.millrace.manager.partition;
