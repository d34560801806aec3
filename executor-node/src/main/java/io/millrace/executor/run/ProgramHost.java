package io.millrace.executor.run;

import io.millrace.platform.clock.Clock;
import io.millrace.platform.http.NodeCalls;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What this node provides to all built-in programs.
 *
 * @param calls the calls of this node, to central managers and queue nodes
 * @param clock monotonic time
 * @param timer ends programs at their time limit; never blocked
 * @param pool processes the end of programs that do not end
 */
public record ProgramHost(
    NodeCalls calls, Clock clock, ScheduledExecutorService timer, Executor pool) {}
