/**
 * A cluster of real processes with every connection over a link, and the faults that befall it. For
 * drills, which bring the load and the judgement.
 */
package io.millrace.tests.drill.cluster;
