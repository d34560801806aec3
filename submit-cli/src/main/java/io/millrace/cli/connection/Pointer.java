package io.millrace.cli.connection;

/**
 * What a running {@code up} leaves for the commands that want to find it.
 *
 * @param url the central manager
 * @param tokenFile the file with an operator's token
 * @param loadBalancer where events are sent
 */
public record Pointer(String url, String tokenFile, String loadBalancer) {}
