/**
 * A cluster of real processes with every connection over a link, and the faults that are injected
 * into it. Used by the drills, which provide the load and the checks.
 */
package io.millrace.tests.drill.cluster;
