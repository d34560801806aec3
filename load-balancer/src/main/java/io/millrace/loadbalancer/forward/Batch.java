package io.millrace.loadbalancer.forward;

/**
 * Events on their way: sent under one name wherever they go, so that a repetition is recognised and
 * event ids stay the same.
 *
 * @param queue the queue
 * @param name the batch's name
 * @param mediaType as received
 * @param body as received; never changed
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody; a copy per batch would cost
public record Batch(String queue, String name, String mediaType, byte[] body) {}
