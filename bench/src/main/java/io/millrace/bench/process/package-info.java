/**
 * Servers as separate processes, their scratch directory, and the threads and rates of a load
 * generator.
 */
package io.millrace.bench.process;
