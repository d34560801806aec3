package io.millrace.tests.drill.jobs;

/**
 * A job of the drill that a central manager has taken.
 *
 * @param id its id
 * @param draft what was submitted
 */
record AcceptedJob(long id, DrillJob draft) {}
