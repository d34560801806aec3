package io.millrace.executor.run;

import io.millrace.api.client.CentralClient;
import io.millrace.api.client.HttpTransport;
import io.millrace.platform.clock.Clock;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/**
 * What this node provides to all built-in programs.
 *
 * @param central the central managers, with the node's token
 * @param transport for servers that a program finds by itself
 * @param token the node's token
 * @param clock monotonic time
 * @param timer ends programs at their time limit; never blocked
 * @param pool processes the end of programs that do not end
 */
public record ProgramHost(
    CentralClient central,
    HttpTransport transport,
    Supplier<String> token,
    Clock clock,
    ScheduledExecutorService timer,
    Executor pool) {}
