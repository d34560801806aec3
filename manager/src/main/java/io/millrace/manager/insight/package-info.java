/**
 * Views for operators: the overview, queues with their history, problems, and why a job waits or a
 * queue has its number of workers. Reads what the other packages own.
 */
package io.millrace.manager.insight;
