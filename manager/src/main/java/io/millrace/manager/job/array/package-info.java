/**
 * Arrays of jobs: one row and a cursor each, whatever their size. Their elements become jobs
 * shortly before their turn ({@link io.millrace.manager.job.array.ArrayFeed}), and what these come
 * to is summed up again ({@link io.millrace.manager.job.array.ArraySteward}). Called by the
 * dispatch and by the ledger of jobs.
 *
 * <p>Order of locks, everywhere: claim, rows of {@code job} by rising id (an array's own job comes
 * before its elements, which are younger), then rows of {@code job_array} by rising id. Whoever
 * holds a row of {@code job_array} asks for no lock on a job that it does not have; the one
 * exception, dependants of an ended element, is a deadlock at worst, which the database breaks and
 * {@code Database.transaction} repeats.
 */
package io.millrace.manager.job.array;
