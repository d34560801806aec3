/**
 * {@code millrace bench jobs}: measures jobs from submission to recorded end through real central
 * managers and execution nodes, beside what this machine does without them in the same run.
 */
package io.millrace.cli.bench.job;
