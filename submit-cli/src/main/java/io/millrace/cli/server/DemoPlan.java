package io.millrace.cli.server;

/**
 * How the demo is to run.
 *
 * @param speed how many times as fast as the day
 * @param leave whether {@code up} ends with it
 */
record DemoPlan(double speed, boolean leave) {}
