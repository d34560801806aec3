/** Members of a group that come, go and vanish while they share many resources, cycle by cycle. */
package io.millrace.tests.partition.drill;
