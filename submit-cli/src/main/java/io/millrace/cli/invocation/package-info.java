/**
 * One call of the command: the options that all commands share, what they work with, and exit
 * codes.
 */
package io.millrace.cli.invocation;
