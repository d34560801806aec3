/**
 * Sends the events of queues of sessions to the queue nodes that have the slots of their keys, and
 * reports what became of each event. They never go to another node than the owner of the slot.
 */
package io.millrace.loadbalancer.session;
