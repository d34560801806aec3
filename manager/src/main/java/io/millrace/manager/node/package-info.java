/**
 * The nodes of the cluster: registration, leases, retirement, and what becomes of the attempts of a
 * node that is gone. Web routes and the dispatcher use it.
 */
package io.millrace.manager.node;
