/**
 * The fault drill of schedules: tasks with every catch-up rule become due on a cluster of real
 * processes while central managers are killed, definitions change and clocks are stepped;
 * afterwards the history is compared with what the runs themselves wrote.
 */
package io.millrace.tests.drill.tasks;
