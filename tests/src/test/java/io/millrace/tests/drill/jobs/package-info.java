/**
 * The fault drill of the batch system: jobs of every kind run on a cluster of real processes while
 * those are killed, frozen, cut off, and have their clocks stepped; afterwards the jobs' own
 * journal is compared with the database.
 */
package io.millrace.tests.drill.jobs;
