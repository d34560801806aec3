/**
 * Starting and stopping: services and groups of them, named threads, periodic loops and the one
 * place that waits. Business code passes tasks to a {@link io.millrace.platform.lifecycle.Loop} and
 * has no threads itself.
 */
package io.millrace.platform.lifecycle;
