/** The list of what should run and does not. */
package io.millrace.cli.problem;
