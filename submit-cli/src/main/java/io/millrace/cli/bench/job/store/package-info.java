/**
 * The benchmark's own looks into the central database, and the schema that it makes on a server.
 * Only the benchmark of jobs calls it.
 */
package io.millrace.cli.bench.job.store;
