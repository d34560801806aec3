/**
 * The history of queues and nodes as curves: samples of some seconds, what they add up to in a
 * minute, and both over any span.
 */
package io.millrace.manager.sample;
