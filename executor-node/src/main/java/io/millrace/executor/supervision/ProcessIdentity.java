package io.millrace.executor.supervision;

/**
 * Names one process for all time; the id alone is given to another process sooner or later.
 *
 * @param pid process id
 * @param startTicks start in clock ticks since the machine's start, field 22 of {@code stat}
 * @param bootId one start of the machine
 */
record ProcessIdentity(long pid, long startTicks, String bootId) {}
