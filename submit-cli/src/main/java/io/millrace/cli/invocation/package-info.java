/**
 * One call of the command: the options that all commands share, the servers and the token that it
 * finds, what commands work with, and exit codes.
 */
package io.millrace.cli.invocation;
