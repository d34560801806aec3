package io.millrace.queuenode.store;

/** Why and when an event was given up; the reason may be null. */
record DeadLetterInfo(String reason, long diedAt) {}
