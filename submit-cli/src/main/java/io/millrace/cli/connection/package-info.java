/**
 * Finds the servers and the token: from options, the environment, or the pointer that {@code up}
 * leaves.
 */
package io.millrace.cli.connection;
