/** The names of batches of events. Used by the doors that take them: load balancer, queue nodes. */
package io.millrace.platform.batch;
