/**
 * The fault drill of the batch system: jobs of every kind run on a cluster of real processes while
 * those are killed, frozen, cut off and misled by their clocks, and the jobs' own journal is held
 * against the database afterwards.
 */
package io.millrace.tests.drill.jobs;
