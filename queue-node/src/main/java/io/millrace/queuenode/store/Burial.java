package io.millrace.queuenode.store;

/** Why and when an event was given up; the reason may be null. */
record Burial(String reason, long diedAt) {}
