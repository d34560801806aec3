/**
 * The fault drill of schedules: tasks of every catch-up rule come due on a cluster of real
 * processes while central managers are killed, definitions change and clocks step; afterwards the
 * history is held against what the runs themselves wrote.
 */
package io.millrace.tests.drill.tasks;
