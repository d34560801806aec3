/**
 * What should run and does not, and what an operator should know of nodes, clocks and claims, each
 * with what to do about it. The overview shows it together with the alerts of queues.
 */
package io.millrace.manager.problem;
