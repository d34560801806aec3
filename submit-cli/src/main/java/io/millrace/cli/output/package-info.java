/** Output of all commands: tables, ages, numbers, colours, and escaping of text for terminals. */
package io.millrace.cli.output;
