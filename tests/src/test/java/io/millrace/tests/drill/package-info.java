/**
 * The fault drill of events: a cluster of real processes under load, which are killed, frozen and
 * cut off from one another at random times, and the check afterwards that no acknowledged event was
 * lost.
 */
package io.millrace.tests.drill;
