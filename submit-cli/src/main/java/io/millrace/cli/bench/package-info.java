/**
 * {@code millrace bench}: measures queue nodes as separate processes over real HTTP, and jobs
 * through a whole cluster, next to what the machine does without Millrace in the same run.
 */
package io.millrace.cli.bench;
