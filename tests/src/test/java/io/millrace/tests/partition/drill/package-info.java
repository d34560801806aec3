/**
 * Members of a group that join, leave and vanish while they share many resources, cycle by cycle.
 */
package io.millrace.tests.partition.drill;
