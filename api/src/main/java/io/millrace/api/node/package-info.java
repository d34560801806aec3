/** Execution nodes and load balancers: registration, polls, reports, states. */
package io.millrace.api.node;
