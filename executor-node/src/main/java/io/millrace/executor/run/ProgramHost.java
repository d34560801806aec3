package io.millrace.executor.run;

import io.millrace.api.client.CentralClient;
import io.millrace.api.client.HttpTransport;
import io.millrace.platform.clock.Clock;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/**
 * What this node offers to all built-in programs.
 *
 * @param central the central managers, with the node's token
 * @param transport for servers that a program finds by itself
 * @param token the node's own
 * @param clock monotonic time
 * @param timer ends programs whose time is over; never blocked
 * @param pool where the end of a program that does not end is worked off
 */
public record ProgramHost(
    CentralClient central,
    HttpTransport transport,
    Supplier<String> token,
    Clock clock,
    ScheduledExecutorService timer,
    Executor pool) {}
