/**
 * Commands that run servers: {@code up} with its demo, single roles, and the rescue of a dead
 * node's events.
 */
package io.millrace.cli.server;
