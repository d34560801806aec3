/**
 * Runs one assignment each: as a command, as a worker with a batch of events, or as a built-in
 * program in a thread; and takes over what an earlier agent had started. Called by the agent.
 */
package io.millrace.executor.run;
