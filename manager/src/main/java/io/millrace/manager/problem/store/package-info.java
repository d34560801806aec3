/** The SQL of the problems list; only the package {@code problem} calls it. */
package io.millrace.manager.problem.store;
