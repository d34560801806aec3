/**
 * Sessions of one segment: streams of events with the same key, each of which one worker at a time
 * has, in order (M-01..M-16). The rules are pure: times are arguments, and nothing is read or
 * written.
 */
package io.millrace.queuenode.session;
