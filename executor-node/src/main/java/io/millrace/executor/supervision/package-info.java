/**
 * Starts, watches, stops and re-attaches one operating-system process tree per attempt, and owns
 * the attempts' directories on disk. Linux only. Called by the execution node's agent.
 */
package io.millrace.executor.supervision;
