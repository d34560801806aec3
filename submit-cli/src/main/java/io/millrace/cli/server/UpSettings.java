package io.millrace.cli.server;

import java.nio.file.Path;

/**
 * What {@code up} runs.
 *
 * @param data everything it keeps
 * @param port the central manager's; the load balancer gets the next one; 0 for any free ones
 * @param queueNodes how many
 * @param executors how many
 * @param slots of each execution node; 0 for two for each processor
 * @param quickSamples whether queue histories get a point each second, for days that last minutes
 */
public record UpSettings(
    Path data, int port, int queueNodes, int executors, int slots, boolean quickSamples) {}
