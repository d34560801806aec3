package io.millrace.cli.queue;

/**
 * Events that are sent together.
 *
 * @param name the batch's name
 * @param mediaType how the body is written
 * @param body the events; changed by nobody
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record EventBatch(String name, String mediaType, byte[] body) {}
