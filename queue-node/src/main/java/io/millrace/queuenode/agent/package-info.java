/**
 * The balancing agent of a queue node: sees the cluster, lets the policy decide about this node's
 * weight, reserves capacity at the receivers and asks a central manager to change the weight rows
 * (H-052, H-065). Never runs while an event is handled.
 */
package io.millrace.queuenode.agent;
