/** Benchmarks of jobs: rate, start delay, and the check that every job left all of its records. */
package io.millrace.bench.job;
