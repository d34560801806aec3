/**
 * Checkers of the drills: pure judgements of recorded facts, namely the journals that jobs write
 * themselves, samples of what the product shows, and the faults that were injected. Each returns
 * what must never happen, in words; an empty list when nothing of the kind did. One thread samples.
 */
package io.millrace.tests.drill.check;
