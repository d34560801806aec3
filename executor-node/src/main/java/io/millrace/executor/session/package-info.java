/**
 * The program that an execution node starts for a worker with {@code input: session}: it takes the
 * sessions and runs one process for each. It is a process of its own, so that it and its processes
 * outlive the agent, and are limited and stopped as the command of any other attempt.
 */
package io.millrace.executor.session;
