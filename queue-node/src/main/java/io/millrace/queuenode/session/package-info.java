/**
 * Sessions of one node: streams of events with the same key, each of which one worker at a time
 * has, in order (M-01..M-16). {@link io.millrace.queuenode.session.SessionService} is the way in;
 * {@link io.millrace.queuenode.session.SlotKeeper} lets the node hold the slots that the weight
 * rows give to it. Here are the node's lease, waiting, periodic looks and calls to other nodes;
 * what becomes of an event, a session or a worker is decided in {@code session.store}, by the
 * store's only writer.
 */
package io.millrace.queuenode.session;
