/**
 * The SQL of arrays: their rows and what only they do to the rows of their elements. Every method
 * works in its caller's transaction; only the package {@code job.array} and the reads of jobs call
 * it.
 */
package io.millrace.manager.job.array.store;
