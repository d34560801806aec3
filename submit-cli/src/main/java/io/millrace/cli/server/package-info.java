/**
 * Commands that serve: each role from a configuration file, and {@code up} with all of them in one
 * process. Only classes whose names do not end in Command may mention servers' types in their
 * fields and signatures: commands are looked at with the short class path, too.
 */
package io.millrace.cli.server;
