/**
 * Starting and stopping: services and groups of them, named threads, periodic loops and the one
 * place that waits. Business code hands a task to a {@link io.millrace.platform.lifecycle.Loop} and
 * owns no threads itself.
 */
package io.millrace.platform.lifecycle;
