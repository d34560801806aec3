/**
 * The fault drill: a cluster of real processes under load, which are killed, frozen and cut off
 * from one another at random times, and the proof afterwards that nothing acknowledged was lost.
 */
package io.millrace.tests.drill;
