package io.millrace.tests.drill.jobs;

/**
 * A job of the drill that a central manager has accepted.
 *
 * @param id its id
 * @param draft the submitted job
 */
record AcceptedJob(long id, DrillJob draft) {}
